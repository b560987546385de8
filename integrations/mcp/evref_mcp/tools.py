"""The three tools: their arguments, and what each one reads from the service."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, Any, Generic, TypeAlias, TypeVar, get_args

from mcp.types import CallToolResult, TextContent, Tool, ToolAnnotations
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)

from evref_mcp import answers, wording
from evref_mcp.records import (
    DiagnosesBody,
    Direction,
    Group,
    InterventionsBody,
    Module,
    Phase,
    SearchBody,
)
from evref_mcp.service import Service, ServiceError

Answer: TypeAlias = tuple[dict[str, Any], str]
"""The structured answer, and its summary as plain text."""


# The schema names the allowed values, and the check is left to the service.
_Module = Annotated[str, Field(json_schema_extra={"enum": list(get_args(Module))})]
_Phase = Annotated[str, Field(json_schema_extra={"enum": list(get_args(Phase))})]
_Direction = Annotated[str, Field(json_schema_extra={"enum": list(get_args(Direction))})]


def _joined(values: object) -> object:
    return ",".join(map(str, values)) if isinstance(values, list) else values


# Several values come with commas or as a list.
_Several = Annotated[
    str | None,
    BeforeValidator(_joined),
    Field(json_schema_extra={"type": ["string", "array"], "items": {"type": "string"}}),
]
_Edition = Annotated[str, Field(json_schema_extra={"enum": ["who", "cm", "gm"]})]


class _Arguments(BaseModel):
    """Arguments of a call. An unknown one is an error: ignored, it would look like a filter."""

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def without_empty(cls, given: dict[str, Any]) -> dict[str, Any]:
        """Leave out optional arguments without content, which some assistants send."""
        optional = {name for name, field in cls.model_fields.items() if not field.is_required()}
        return {
            name: value
            for name, value in given.items()
            if name not in optional
            or not (value == [] or (isinstance(value, str) and not value.strip()))
        }


class FindDiagnoses(_Arguments):
    """The arguments of find_diagnoses, named as the parameters of listDiagnoses."""

    q: Annotated[
        str | None,
        Field(description="A name, a lay name or an abbreviation: “heart attack”, “COPD”."),
    ] = None
    icd10: Annotated[
        _Several,
        Field(description="ICD-10 codes as records hold them, with commas: “M17.11,S72001A”."),
    ] = None
    edition: Annotated[
        _Edition | None,
        Field(description="The edition of the icd10 codes: WHO, ICD-10-CM or ICD-10-GM."),
    ] = None
    icd11: Annotated[_Several, Field(description="ICD-11 codes: “FA01.0,FA01.0&XK8G”.")] = None
    snomed: Annotated[_Several, Field(description="SNOMED CT codes: “239873007”.")] = None
    module: Annotated[_Module | None, Field(description="Only diagnoses with this module.")] = None


class FindInterventions(FindDiagnoses):
    """The arguments of find_interventions, named as the parameters of searchInterventions."""

    q: Annotated[str | None, Field(description="As people ask: “CPAP”, “ibuprofen back pain”.")] = (
        None
    )
    diagnosis: Annotated[_Several, Field(description="Only for these diagnosis ids.")] = None
    group: Annotated[_Several, Field(description=f"Only {', '.join(get_args(Group))}.")] = None
    module: Annotated[_Module | None, Field(description="Only of this module.")] = None
    phase: _Phase | None = None
    direction: _Direction | None = None
    limit: Annotated[int, Field(description="At most so many, up to 100.")] = 5
    offset: int = 0


class ListInterventions(_Arguments):
    """The arguments of list_interventions, named as the parameters of listInterventions."""

    diagnosis_id: Annotated[
        str,
        Field(
            description="From find_diagnoses: knee-osteoarthritis.",
            pattern="^[a-z0-9]+(-[a-z0-9]+)*$",
        ),
    ]
    module: Annotated[_Module | None, Field(description=wording.MODULES)] = None
    phase: Annotated[_Phase | None, Field(description=wording.PHASES)] = None


async def _find_diagnoses(service: Service, call: FindDiagnoses) -> Answer:
    parameters = call.model_dump(exclude_none=True)
    body = await service.get("/diagnoses", parameters, DiagnosesBody)
    answer = answers.diagnoses(body, only_names=not parameters)
    return answer, wording.diagnoses(body, only_names=not parameters)


async def _find_interventions(service: Service, call: FindInterventions) -> Answer:
    given = call.model_dump(exclude_none=True)
    parameters = {name: str(value) for name, value in given.items()}
    body = await service.get("/interventions", parameters, SearchBody)
    return answers.found_interventions(body), wording.found_interventions(body)


async def _list_interventions(service: Service, call: ListInterventions) -> Answer:
    filters = call.model_dump(exclude={"diagnosis_id"}, exclude_none=True)
    path = f"/diagnoses/{call.diagnosis_id}/interventions"
    body = await service.get(path, filters, InterventionsBody)
    return answers.interventions(body), wording.interventions(body, filters)


Given = TypeVar("Given", bound=_Arguments)


class Operation(Generic[Given]):
    """A tool, and how it is called."""

    def __init__(
        self,
        name: str,
        *,
        title: str,
        description: str,
        arguments: type[Given],
        run: Callable[[Service, Given], Awaitable[Answer]],
    ) -> None:
        self._arguments = arguments
        self._run = run
        self.tool = Tool(
            name=name,
            title=title,
            description=description,
            input_schema=_schema(arguments),
            # It reads one catalogue, not the open world.
            annotations=ToolAnnotations(
                read_only_hint=True, idempotent_hint=True, open_world_hint=False
            ),
        )

    async def call(self, service: Service, given: dict[str, Any]) -> CallToolResult:
        """Return the answer; an assistant can read why there is none, and correct its call."""
        try:
            arguments = self._arguments.model_validate(given)
        except ValidationError as error:
            # Unknown names may be long and many.
            faults = [
                (".".join(map(str, detail["loc"]))[:100], detail["msg"])
                for detail in error.errors()[:10]
            ]
            return failure(wording.invalid_arguments(faults, self._arguments.model_fields))
        try:
            answer, text = await self._run(service, arguments)
        except ServiceError as error:
            return failure(str(error))
        return CallToolResult(
            content=[TextContent(type="text", text=text)],
            structured_content=answer,
        )


def _schema(arguments: type[_Arguments]) -> dict[str, Any]:
    """Return the schema of the arguments in as few words as possible.

    Every assistant reads it at the start of every conversation.
    """
    whole = arguments.model_json_schema()
    return {
        "type": "object",
        "properties": {name: _short(schema) for name, schema in whole["properties"].items()},
        "required": whole.get("required", []),
        "additionalProperties": False,
    }


def _short(schema: dict[str, Any]) -> dict[str, Any]:
    (kind, *_) = schema.get("anyOf", [{}])
    return {
        name: value
        for name, value in {**kind, **schema}.items()
        if name not in {"anyOf", "title"} and value is not None
    }


def failure(message: str) -> CallToolResult:
    """Return a failed call, with words for the assistant."""
    return CallToolResult(content=[TextContent(type="text", text=message)], is_error=True)


OPERATIONS = {
    operation.tool.name: operation
    for operation in (
        Operation(
            "find_diagnoses",
            title="Find diagnoses",
            description=wording.FIND_DIAGNOSES,
            arguments=FindDiagnoses,
            run=_find_diagnoses,
        ),
        Operation(
            "find_interventions",
            title="Find interventions",
            description=wording.FIND_INTERVENTIONS,
            arguments=FindInterventions,
            run=_find_interventions,
        ),
        Operation(
            "list_interventions",
            title="List interventions",
            description=wording.LIST_INTERVENTIONS,
            arguments=ListInterventions,
            run=_list_interventions,
        ),
    )
}
