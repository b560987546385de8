"""What contributors are warned of."""

from evref.domain.catalogue.advice import warnings
from evref.domain.catalogue.diagnosis import Module
from evref.domain.catalogue.entry import Entry
from evref.testing.builders import a_catalogue, a_diagnosis, an_entry, an_intervention


def test_what_is_hidden_unseen_or_reads_backwards_is_warned_of() -> None:
    """Beside a direction, a title that names one would read as a double negative."""
    interventions = [
        an_intervention("a", diagnosis_id="ache", title="Advice against opioids"),
        an_intervention("b", diagnosis_id="ache", title="Walking\u202e"),
        an_intervention("c", diagnosis_id="ache", module=Module.FITT_VIP),
    ]
    entry = an_entry("ache", modules=[Module.HOME], interventions=interventions)

    assert [*warnings(a_catalogue(entry))] == [
        "c: fitt_vip is not in enabled_modules, so the intervention is hidden",
        (
            "a: the title 'Advice against opioids' names a direction; it should name only the "
            "intervention"
        ),
        "ache: has invisible or bidirectional characters: U+202E",
    ]
    assert [*warnings(a_catalogue(an_entry()))] == []


def test_a_term_of_two_diagnoses_is_warned_of() -> None:
    """It may mean both, so it is not an error."""
    entries = [
        Entry(a_diagnosis(name, terms={"en": (term,)}), ())
        for name, term in (("asthma", "Wheeze"), ("flu", "wheeze"))
    ]

    assert [*warnings(a_catalogue(*entries))] == [
        "the term 'Wheeze' (en) is shared by several diagnoses: asthma, flu"
    ]
