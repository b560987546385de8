"""Hypothesis strategies for codes, by their grammar, and for whole catalogues."""

from dataclasses import replace
from datetime import date
from decimal import Decimal

from hypothesis import strategies as st

from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.catalogue.diagnosis import Module, Review
from evref.domain.catalogue.effect import Measure, Per1000
from evref.domain.catalogue.entry import Entry
from evref.domain.catalogue.icd import CodeList, FinerCodes
from evref.domain.catalogue.intervention import Phase
from evref.testing.builders import a_diagnosis, an_effect, an_intervention

EFFECTS = [
    an_effect(),
    an_effect("0.80", ("0.7", "1.0"), Measure.RISK_RATIO, studies=None),
    an_effect("-2", None, Measure.MEAN_DIFFERENCE, unit="points of 10"),
    an_effect(
        "-4.80",
        ("-6.0", "-0.0"),
        Measure.RISK_DIFFERENCE,
        unit="percentage points",
        per_1000=Per1000(Decimal(162), Decimal("114.5")),
    ),
]

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
LETTERS_11 = "ABCDEFGHJKLMNPQRSTUVWXYZ"
DIGITS = "0123456789"
BASE_34 = DIGITS + LETTERS_11


def _parts(*alphabets: str) -> st.SearchStrategy[str]:
    return st.tuples(*(st.sampled_from(alphabet) for alphabet in alphabets)).map("".join)


def _dotted(alphabet: str) -> st.SearchStrategy[str]:
    return st.just("") | st.text(alphabet, min_size=1, max_size=2).map(lambda text: f".{text}")


icd10_texts = st.builds(str.__add__, _parts(LETTERS, DIGITS, DIGITS), _dotted(DIGITS))
stem_texts = st.builds(
    str.__add__,
    _parts(BASE_34.replace("X", "").removeprefix("0"), LETTERS_11, DIGITS, BASE_34),
    _dotted(BASE_34),
)
extension_texts = st.builds(
    str.__add__, _parts("X", LETTERS_11, DIGITS), st.text(BASE_34, min_size=1, max_size=3)
)


def clusters_of(
    stems: st.SearchStrategy[str], extensions: st.SearchStrategy[str]
) -> st.SearchStrategy[str]:
    links = st.lists(stems.map("/{}".format) | extensions.map("&{}".format), max_size=4)
    return st.builds(lambda stem, rest: stem + "".join(rest), stems, links)


icd11_texts = clusters_of(stem_texts, extension_texts)


@st.composite
def entries(draw: st.DrawFn, diagnosis_id: str = "asthma") -> Entry:
    """Return an entry with interventions of any module, enabled or not.

    There are few choices, so that two entries are often equal or nearly equal.
    """
    drawn = draw(
        st.lists(
            st.tuples(st.integers(0, 9), st.sampled_from(Module), st.sampled_from(Phase)),
            max_size=4,
            unique_by=lambda numbered: numbered[0],
        )
    )
    diagnosis = a_diagnosis(
        diagnosis_id,
        name=draw(st.sampled_from(["Asthma", "asthma", "Guillain-Barré syndrome"])),
        icd10=draw(st.sampled_from([("J45",), ("J45.0",), ("J45", "G61.0")])),
        terms=draw(st.sampled_from([{}, {"en": ("wheeze",)}, {"de": ("Bronchialasthma",)}])),
        broader_codes=draw(st.sampled_from([(), ("FA01",)])),
        finer_codes=draw(st.sampled_from([{}, {CodeList.ICD_10_CM: FinerCodes(("J45.2",))}])),
        reviewed=draw(st.sampled_from([None, Review("A. N. Other, physician", date(2026, 2, 2))])),
        modules=draw(st.sampled_from([(), (Module.HOME,), tuple(Module)[:3], tuple(Module)])),
        scope=draw(st.sampled_from([None, "Asthma of adults and of children."])),
        not_covered=draw(st.sampled_from([None, "occupational asthma"])),
    )
    interventions = [
        an_intervention(
            f"{diagnosis_id}-{number}",
            diagnosis_id=diagnosis_id,
            module=module,
            phase=phase,
            title=["Exercise", "Education", "exercise"][number % 3],
            cautions=[None, "A label warns of something serious." * 2][number % 2],
            effects=draw(st.lists(st.sampled_from(EFFECTS), max_size=3)),
        )
        for number, module, phase in drawn
    ]
    entry = Entry(diagnosis, tuple(interventions))
    visible = [intervention.id for intervention in entry.visible_interventions()]
    mainstays = draw(st.permutations(visible)) if draw(st.booleans()) else []
    return replace(entry, diagnosis=replace(diagnosis, mainstays=tuple(mainstays)))


@st.composite
def catalogues(draw: st.DrawFn) -> Catalogue:
    ids = draw(st.lists(st.sampled_from(["a", "b", "a-b"]), max_size=3, unique=True))
    return Catalogue([draw(entries(diagnosis_id)) for diagnosis_id in ids])
