"""Tests of the bundled catalogue."""

from evref.bootstrap.container import BUNDLED_CATALOGUE
from tests.pages.site import bundled


def test_each_diagnosis_has_a_file_that_is_named_by_its_id() -> None:
    assert sorted(path.stem for path in BUNDLED_CATALOGUE.glob("*.yaml")) == sorted(
        entry.diagnosis.id for entry in bundled().entries
    )


def test_intervention_ids_begin_with_their_diagnosis() -> None:
    """An id shows its diagnosis, as docs/how-to/add-a-diagnosis.md requires."""
    assert [
        intervention.id
        for entry in bundled().entries
        for intervention in entry.interventions
        if not intervention.id.startswith(f"{entry.diagnosis.id}-")
    ] == []


def test_no_intervention_is_hidden() -> None:
    """A module that is missing in `enabled_modules` would hide its interventions."""
    assert [hidden for entry in bundled().entries for hidden in entry.hidden_interventions()] == []


def test_every_diagnosis_has_interventions_in_each_enabled_module() -> None:
    """An enabled module without interventions would look like a loss of data."""
    assert [
        (entry.diagnosis.id, module)
        for entry in bundled().entries
        for module in entry.diagnosis.enabled_modules
        if not entry.visible_interventions(module)
    ] == []
