from benchmarks.catalogues import scaled
from evref.testing.builders import a_catalogue, an_entry


def test_a_scaled_catalogue_has_as_many_diagnoses_as_asked_for() -> None:
    """Each with as many interventions as the one that it is a copy of."""
    original = a_catalogue(an_entry("asthma", name="Asthma"), an_entry())

    larger = scaled(original, 7)

    assert len(larger.entries) == 7
    assert {len(entry.interventions) for entry in larger.entries} == {
        len(entry.interventions) for entry in original.entries
    }
    assert set(original.entries) <= set(larger.entries)


def test_it_is_the_same_each_time() -> None:
    original = a_catalogue(an_entry())

    assert scaled(original, 5).version == scaled(original, 5).version
