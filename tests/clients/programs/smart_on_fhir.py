"""Reads the service with fhirclient, the Python client of SMART on FHIR."""

import os
from collections.abc import Callable

import requests
from fhirclient.models.activitydefinition import ActivityDefinition
from fhirclient.models.capabilitystatement import CapabilityStatement
from fhirclient.models.operationoutcome import OperationOutcome
from fhirclient.models.plandefinition import PlanDefinition
from fhirclient.server import (
    FHIRNotFoundException,
    FHIRServer,
    FHIRUnauthorizedException,
)

ICD_10_CM = "http://hl7.org/fhir/sid/icd-10-cm"
SURGERY = "Arthroscopic surgery for degenerative knee disease"


def server(key: str | None) -> FHIRServer:
    made = FHIRServer(None, f"{os.environ['EVREF_URL']}/fhir")
    if key is not None:
        made.session.headers["Authorization"] = f"Bearer {key}"
    return made


def refused(call: Callable[[], object], kind: type[Exception], status: int, code: str) -> None:
    """The call is refused with this status and an OperationOutcome of this type."""
    try:
        call()
    except kind as error:
        response = error.response
    else:
        raise AssertionError(f"{status} was expected")
    assert response.status_code == status
    (issue,) = OperationOutcome(response.json()).issue
    assert issue.code == code, issue.as_json()


ours = server(os.environ["EVREF_KEY"])

# Without a key.
statement = CapabilityStatement.read_from("metadata", server(None))
assert statement.fhirVersion == "4.0.1"
assert [each.type for each in statement.rest[0].resource] == [
    "PlanDefinition",
    "ActivityDefinition",
    "CodeSystem",
    "StructureDefinition",
]

(knee,) = PlanDefinition.where({"context": f"{ICD_10_CM}|M17.11"}).perform_resources(ours)
assert knee.title == "Knee osteoarthritis"
(first,) = ActivityDefinition.where({"url": knee.action[0].definitionCanonical}).perform_resources(
    ours
)
assert first.title == knee.action[0].title

(surgery,) = ActivityDefinition.where({"title:exact": SURGERY}).perform_resources(ours)
assert surgery.doNotPerform is True
assert ActivityDefinition.read(surgery.id, ours).as_json() == surgery.as_json()

# Every page: small ones, and as large as they get.
for count in (7, 100):
    plans = list(PlanDefinition.where({"_count": str(count)}).perform_resources_iter(ours))
    assert len({plan.id for plan in plans}) == len(plans) > count - 20
activities = list(ActivityDefinition.where({"_count": "100"}).perform_resources_iter(ours))
assert {each.url for each in activities} == {
    action.definitionCanonical for plan in plans for action in plan.action or []
}

for key, kind, status, code in (
    (None, FHIRUnauthorizedException, 401, "login"),
    ("evref_mistyped", FHIRUnauthorizedException, 401, "unknown"),
    (os.environ["EVREF_USED_UP_KEY"], requests.HTTPError, 429, "throttled"),
):
    refused(lambda key=key: PlanDefinition.read(knee.id, server(key)), kind, status, code)
refused(lambda: PlanDefinition.read("nobody", ours), FHIRNotFoundException, 404, "not-found")
refused(
    lambda: PlanDefinition.where({"modul": "home"}).perform(ours),
    requests.HTTPError,
    400,
    "invalid",
)
