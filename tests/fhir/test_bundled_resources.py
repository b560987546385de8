"""Checks of every resource of the bundled catalogue."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from evref.adapters.inbound.fhir.index import ACTIVITY_DEFINITION, PLAN_DEFINITION, items_of
from evref.domain.catalogue.evidence import Direction
from evref.domain.catalogue.vocabulary import DISCLAIMER, NAMES
from tests.fhir.conftest import RESOURCES, direction
from tests.pages.site import bundled


@pytest.fixture(scope="module")
def resources() -> list[dict[str, Any]]:
    return [
        RESOURCES.rendered(item)
        for kind in (PLAN_DEFINITION, ACTIVITY_DEFINITION)
        for item in items_of(bundled(), kind).values()
    ]


def values(element: Any) -> Iterator[Any]:
    yield element
    if isinstance(element, dict | list):
        for value in element.values() if isinstance(element, dict) else element:
            yield from values(value)


def actions_of(resources: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [action for resource in resources for action in resource.get("action", [])]


def test_no_resource_has_an_empty_value(
    resources: list[dict[str, Any]],
) -> None:
    """FHIR does not allow empty values in JSON (R4)."""
    for resource in resources:
        assert [value for value in values(resource) if value in (None, "", [], {})] == []


def test_every_action_leads_to_an_intervention(
    resources: list[dict[str, Any]],
) -> None:
    """Each ActivityDefinition belongs to an action."""
    addresses = [resource["url"] for resource in resources]
    assert len(set(addresses)) == len(addresses)
    led_to = [action["definitionCanonical"] for action in actions_of(resources)]
    activities = [address for address in addresses if "/ActivityDefinition/" in address]
    assert sorted(led_to) == sorted(activities)


def test_every_resource_has_the_disclaimer_and_only_actions_against_are_marked(
    resources: list[dict[str, Any]],
) -> None:
    """A client that ignores the modifier extension must not take such an action for advice."""
    actions = actions_of(resources)

    assert {resource["usage"] for resource in resources} == {DISCLAIMER}
    assert {direction(action) for action in actions} == {"for", "against", "unclear"}
    for action in actions:
        assert ("modifierExtension" in action) == (direction(action) == "against")


def test_every_narrative_is_well_formed_and_says_the_direction(
    resources: list[dict[str, Any]],
) -> None:
    for resource in resources:
        root = ET.fromstring(resource["text"]["div"])
        narrative = " ".join(root.itertext())
        assert root.tag == "{http://www.w3.org/1999/xhtml}div"
        assert resource["title"] in narrative
        assert DISCLAIMER in narrative
        for action in resource.get("action", []):
            name = NAMES[Direction(direction(action))]
            assert f"{name}: {action['title']} (" in narrative
