"""Tests of the bundled catalogue."""

from pathlib import Path

import pytest

import evref
from evref.domain.catalogue.catalogue import Catalogue
from tests.adapters.files.support import read

BUNDLED = Path(evref.__file__).parent / "data" / "catalogue"


@pytest.fixture(scope="module")
def bundled() -> Catalogue:
    return read(BUNDLED)


def test_each_diagnosis_has_a_file_that_is_named_by_its_id(bundled: Catalogue) -> None:
    assert sorted(path.stem for path in BUNDLED.glob("*.yaml")) == sorted(
        entry.diagnosis.id for entry in bundled.entries
    )


def test_intervention_ids_begin_with_their_diagnosis(bundled: Catalogue) -> None:
    """An id shows its diagnosis, as docs/how-to/add-a-diagnosis.md requires."""
    assert [
        intervention.id
        for entry in bundled.entries
        for intervention in entry.interventions
        if not intervention.id.startswith(f"{entry.diagnosis.id}-")
    ] == []


def test_no_intervention_is_hidden(bundled: Catalogue) -> None:
    """A module that is missing in `enabled_modules` would hide its interventions."""
    assert [hidden for entry in bundled.entries for hidden in entry.hidden_interventions()] == []


def test_every_diagnosis_has_interventions_in_each_enabled_module(bundled: Catalogue) -> None:
    """An enabled module without interventions would look like a loss of data."""
    assert [
        (entry.diagnosis.id, module)
        for entry in bundled.entries
        for module in entry.diagnosis.enabled_modules
        if not entry.visible_interventions(module)
    ] == []
