"""The definitions that the resources use, which do not depend on the catalogue.

These are code systems, and extensions as StructureDefinition (R4, defining-extensions).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import evref
from evref.adapters.inbound.fhir.mappings import DEFINED_ON, PUBLISHER
from evref.adapters.inbound.fhir.narrative import narrative
from evref.domain.catalogue.diagnosis import Module
from evref.domain.catalogue.evidence import Direction
from evref.domain.catalogue.intervention import Phase
from evref.domain.catalogue.vocabulary import DESCRIPTIONS, MEANINGS, NAMES

CODE_SYSTEM = "CodeSystem"
STRUCTURE_DEFINITION = "StructureDefinition"

_ENUMERATIONS: dict[str, type[StrEnum]] = {
    "direction": Direction,
    "module": Module,
    "phase": Phase,
}


@dataclass(frozen=True, slots=True)
class Definition:
    """A code system or an extension."""

    id: str
    resource: dict[str, Any]

    @property
    def url(self) -> str:
        url: str = self.resource["url"]
        return url


@dataclass(frozen=True, slots=True)
class _Extension:
    """An extension: of one value, or of parts that are strings unless `types` says otherwise.

    `contexts` are the elements that may have it. `modifier` is the reason why it is a modifier.
    """

    name: str
    title: str
    description: str
    contexts: tuple[str, ...]
    type: str | None = None
    parts: tuple[tuple[str, str], ...] = ()
    modifier: str | None = None


_EXTENSIONS = (
    _Extension(
        "direction",
        "Direction of the evidence",
        "What the sources say about using the intervention: a code of the CodeSystem direction.",
        ("ActivityDefinition", "PlanDefinition.action"),
        type="code",
    ),
    _Extension(
        "do-not-perform",
        "Do not perform",
        "True: the sources advise against the intervention of this action, or find harm or no "
        "important benefit. It means for an action what doNotPerform means for an "
        "ActivityDefinition.",
        ("PlanDefinition.action",),
        type="boolean",
        modifier="It makes an action one that is not to be performed.",
    ),
    _Extension(
        "fitt-vp",
        "Dose of an exercise",
        "The elements of FITT-VP that the source states.",
        ("ActivityDefinition",),
        parts=tuple(
            (name, "string")
            for name in ("frequency", "intensity", "time", "type", "volume", "progression")
        ),
    ),
    _Extension(
        "relation",
        "Relation of a code to a diagnosis",
        "How well a code of the search fits the diagnosis: certain or approximate, and the same in "
        "words.",
        ("Bundle.entry.search",),
        parts=(("code", "code"), ("text", "string")),
    ),
)


def definitions(root: str) -> dict[str, dict[str, Definition]]:
    """Return the definitions by resource type and id; `root` begins their canonical URLs."""
    return {
        CODE_SYSTEM: _by_id(_code_system(root, *each) for each in _ENUMERATIONS.items()),
        STRUCTURE_DEFINITION: _by_id(_structure_definition(root, each) for each in _EXTENSIONS),
    }


def _by_id(resources: Iterable[dict[str, Any]]) -> dict[str, Definition]:
    return {each["id"]: Definition(each["id"], each) for each in resources}


def _head(root: str, resource_type: str, name: str, title: str, description: str) -> dict[str, Any]:
    return {
        "resourceType": resource_type,
        "id": name,
        "meta": {"lastUpdated": f"{DEFINED_ON}T00:00:00Z"},
        "text": narrative(title, [description]),
        "url": f"{root}/{resource_type}/{name}",
        "version": evref.__version__,
        "name": "".join(map(str.capitalize, name.split("-"))),
        "title": title,
        "status": "active",
        "experimental": False,
        "date": DEFINED_ON,
        "publisher": PUBLISHER,
        "description": description,
    }


def _code_system(root: str, name: str, enumeration: type[StrEnum]) -> dict[str, Any]:
    title = f"{name.capitalize()} of an intervention"
    return {
        **_head(root, CODE_SYSTEM, name, title, DESCRIPTIONS[enumeration]),
        "caseSensitive": True,
        "content": "complete",
        "count": len(enumeration),
        "concept": [
            {"code": each.value, "display": NAMES[each], "definition": MEANINGS[each]}
            for each in enumeration
        ],
    }


def _structure_definition(root: str, extension: _Extension) -> dict[str, Any]:
    head = _head(root, STRUCTURE_DEFINITION, extension.name, extension.title, extension.description)
    return {
        **head,
        "fhirVersion": "4.0.1",
        "kind": "complex-type",
        "abstract": False,
        "context": [{"type": "element", "expression": each} for each in extension.contexts],
        "type": "Extension",
        "baseDefinition": "http://hl7.org/fhir/StructureDefinition/Extension",
        "derivation": "constraint",
        "differential": {"element": [*_elements(extension, head["url"])]},
    }


def _elements(extension: _Extension, url: str) -> Iterable[dict[str, Any]]:
    whole = {
        "id": "Extension",
        "path": "Extension",
        "short": extension.title,
        "definition": extension.description,
        "min": 0,
        "max": "1",
    }
    if extension.modifier:
        whole |= {"isModifier": True, "isModifierReason": extension.modifier}
    yield whole
    yield from _parts(extension)
    yield {"id": "Extension.url", "path": "Extension.url", "fixedUri": url}
    value = {"id": "Extension.value[x]", "path": "Extension.value[x]"}
    if extension.type is None:
        yield {**value, "max": "0"}
    else:
        yield {**value, "min": 1, "type": [{"code": extension.type}]}


def _parts(extension: _Extension) -> Iterable[dict[str, Any]]:
    path = "Extension.extension"
    if not extension.parts:
        yield {"id": path, "path": path, "max": "0"}
    for name, kind in extension.parts:
        part = f"{path}:{name}"
        yield {"id": part, "path": path, "sliceName": name, "min": 0, "max": "1"}
        yield {"id": f"{part}.url", "path": f"{path}.url", "fixedUri": name}
        yield {
            "id": f"{part}.value[x]",
            "path": f"{path}.value[x]",
            "min": 1,
            "type": [{"code": kind}],
        }
