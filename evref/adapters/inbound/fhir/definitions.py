"""The definitions that the resources use, which do not depend on the catalogue.

These are code systems, and extensions as StructureDefinition (R4, defining-extensions).
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any

import evref
from evref.adapters.inbound.fhir.mappings import DEFINED_ON, PUBLISHER
from evref.adapters.inbound.fhir.narrative import narrative
from evref.domain.catalogue.diagnosis import Module
from evref.domain.catalogue.evidence import Direction
from evref.domain.catalogue.intervention import FittVp, Phase
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
        parts=tuple((field.name, "string") for field in fields(FittVp)),
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
    value: dict[str, Any] = {"max": "0"} if extension.type is None else _of_type(extension.type)
    reason = extension.modifier
    modifier: dict[str, Any] = {"isModifier": True, "isModifierReason": reason} if reason else {}
    texts: dict[str, Any] = {"short": extension.title, "definition": extension.description}
    return {
        **head,
        "fhirVersion": "4.0.1",
        "kind": "complex-type",
        "abstract": False,
        "context": [{"type": "element", "expression": each} for each in extension.contexts],
        "type": "Extension",
        "baseDefinition": "http://hl7.org/fhir/StructureDefinition/Extension",
        "derivation": "constraint",
        "differential": {
            "element": [
                _element("Extension", **texts, min=0, max="1", **modifier),
                *_parts(extension.parts),
                _element("Extension.url", fixedUri=head["url"]),
                _element("Extension.value[x]", **value),
            ]
        },
    }


def _parts(parts: tuple[tuple[str, str], ...]) -> Iterator[dict[str, Any]]:
    path = "Extension.extension"
    if not parts:
        yield _element(path, max="0")
    for name, kind in parts:
        yield _element(path, name, sliceName=name, min=0, max="1")
        yield _element(f"{path}.url", name, fixedUri=name)
        yield _element(f"{path}.value[x]", name, **_of_type(kind))


def _element(path: str, part: str | None = None, **members: Any) -> dict[str, Any]:
    """Return the definition of the element at a path, in this part of the extension if any."""
    slice_path = "Extension.extension" if part is None else f"Extension.extension:{part}"
    return {"id": path.replace("Extension.extension", slice_path), "path": path, **members}


def _of_type(code: str) -> dict[str, Any]:
    return {"min": 1, "type": [{"code": code}]}
