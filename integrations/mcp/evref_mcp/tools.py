"""The two tools: their arguments, and what each one reads from the service."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, Any, Generic, TypeVar, get_args

from mcp.types import CallToolResult, TextContent, Tool, ToolAnnotations
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from evref_mcp import wording
from evref_mcp.records import (
    DiagnosesBody,
    FoundDiagnoses,
    InterventionsBody,
    ListedInterventions,
    Module,
    Phase,
)
from evref_mcp.service import Service, ServiceError

_MOST_LISTED = 100

_MODULES = (
    "fitt_vip: exercise with a dose; pharmaconeutral: pharmacology by drug class and generic "
    "name; home: home programmes and self-management; concept: named therapeutic concepts, "
    "approaches and techniques; prevention: primary and secondary prevention; diagnostic: "
    "criteria, tests, imaging advice and outcome measures."
)

# The schema names the allowed values, and the check is left to the service.
_Module = Annotated[str, Field(json_schema_extra={"enum": list(get_args(Module))})]
_Edition = Annotated[str, Field(json_schema_extra={"enum": ["who", "cm", "gm"]})]
_Phase = Annotated[str, Field(json_schema_extra={"enum": list(get_args(Phase))})]


class _Arguments(BaseModel):
    """Arguments of a call. An unknown one is an error: ignored, it would look like a filter."""

    model_config = ConfigDict(extra="forbid")


class FindDiagnoses(_Arguments):
    """The arguments of find_diagnoses, named as the parameters of listDiagnoses."""

    q: Annotated[
        str | None,
        Field(description="A name, a lay name or an abbreviation: “heart attack”, “COPD”."),
    ] = None
    icd10: Annotated[
        str | None,
        Field(
            description="1 to 50 ICD-10 codes separated by commas, as a record holds them: WHO's, "
            "or those of national modifications, with or without dot and marks: "
            "“M17.11,S72001A,F32.1 G”. A code finds the diagnoses that it means."
        ),
    ] = None
    edition: Annotated[
        _Edition | None,
        Field(
            description="The edition that the codes of icd10 are from, if known: WHO's, ICD-10-CM "
            "or ICD-10-GM. The same code can mean different conditions in them."
        ),
    ] = None
    icd11: Annotated[
        str | None,
        Field(
            description="1 to 50 ICD-11 MMS codes separated by commas, stems or clusters: "
            "“FA01.0,FA01.0&XK8G”."
        ),
    ] = None
    module: Annotated[
        _Module | None,
        Field(description=f"Only diagnoses for which this module is enabled. {_MODULES}"),
    ] = None


class ListInterventions(_Arguments):
    """The arguments of list_interventions, named as the parameters of listInterventions."""

    diagnosis_id: Annotated[
        str,
        Field(
            description="The id of a diagnosis, as find_diagnoses returns it: knee-osteoarthritis.",
            pattern="^[a-z0-9]+(-[a-z0-9]+)*$",
        ),
    ]
    module: Annotated[
        _Module | None, Field(description=f"Only interventions of this module. {_MODULES}")
    ] = None
    phase: Annotated[
        _Phase | None,
        Field(
            description="Only interventions of this phase. acute: from onset to a few weeks; "
            "subacute: from a few weeks to about three to six months; chronic: later than that, "
            "and long-term disease."
        ),
    ] = None


async def _find_diagnoses(service: Service, call: FindDiagnoses) -> tuple[BaseModel, str]:
    body = await service.get("/diagnoses", call.model_dump(exclude_none=True), DiagnosesBody)
    answer = FoundDiagnoses(
        found=len(body.data),
        diagnoses=body.data[:_MOST_LISTED],
        matches=body.meta.matches,
        catalogue_version=body.meta.catalogue_version,
        disclaimer=body.meta.disclaimer,
    )
    return answer, wording.diagnoses(answer)


async def _list_interventions(service: Service, call: ListInterventions) -> tuple[BaseModel, str]:
    filters = call.model_dump(exclude={"diagnosis_id"}, exclude_none=True)
    path = f"/diagnoses/{call.diagnosis_id}/interventions"
    body = await service.get(path, filters, InterventionsBody)
    answer = ListedInterventions(
        diagnosis=body.meta.diagnosis,
        module=filters.get("module"),
        phase=filters.get("phase"),
        interventions=body.data,
        catalogue_version=body.meta.catalogue_version,
        disclaimer=body.meta.disclaimer,
    )
    return answer, wording.interventions(answer)


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
        answer: type[BaseModel],
        run: Callable[[Service, Given], Awaitable[tuple[BaseModel, str]]],
    ) -> None:
        self._arguments = arguments
        self._run = run
        self.tool = Tool(
            name=name,
            title=title,
            description=description,
            input_schema=arguments.model_json_schema(),
            output_schema=answer.model_json_schema(),
            # It reads one catalogue, not the open world.
            annotations=ToolAnnotations(
                title=title, read_only_hint=True, idempotent_hint=True, open_world_hint=False
            ),
        )

    async def call(self, service: Service, given: dict[str, Any]) -> CallToolResult:
        """Return the answer; an assistant can read why there is none, and correct its call."""
        try:
            arguments = self._arguments.model_validate(given)
        except ValidationError as error:
            faults = [(".".join(map(str, each["loc"])), each["msg"]) for each in error.errors()]
            return failure(wording.invalid_arguments(faults, self._arguments.model_fields))
        try:
            answer, text = await self._run(service, arguments)
        except ServiceError as error:
            return failure(str(error))
        return CallToolResult(
            content=[TextContent(type="text", text=text)],
            structured_content=answer.model_dump(mode="json"),
        )


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
            answer=FoundDiagnoses,
            run=_find_diagnoses,
        ),
        Operation(
            "list_interventions",
            title="List interventions",
            description=wording.LIST_INTERVENTIONS,
            arguments=ListInterventions,
            answer=ListedInterventions,
            run=_list_interventions,
        ),
    )
}
