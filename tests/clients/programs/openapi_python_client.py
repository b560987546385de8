"""Calls the service with the client that openapi-python-client makes; type-checked strictly."""

import os

from evidence_reference_service_client import AuthenticatedClient
from evidence_reference_service_client.api.catalogue import (
    get_catalogue,
    get_diagnosis,
    list_diagnoses,
    list_interventions,
)
from evidence_reference_service_client.api.key import get_limit
from evidence_reference_service_client.models import (
    Catalogue,
    DiagnosisAnswer,
    DiagnosisList,
    InterventionList,
    InvalidParameterProblem,
    LimitAnswer,
    Module,
    Phase,
    Problem,
    QuotaExceededProblem,
)

KNEE = "knee-osteoarthritis"
ALZHEIMER = "alzheimer-disease"
# This generator repeats the parameter for each item of a list.
CODES = ["m1711", "g30.1+", "b05"]
URL = os.environ["EVREF_URL"]

client = AuthenticatedClient(URL, token=os.environ["EVREF_KEY"])

found = list_diagnoses.sync_detailed(client=client, icd10=CODES, module=Module.HOME)
assert isinstance(found.parsed, DiagnosisList)
assert [diagnosis.id for diagnosis in found.parsed.data] == [ALZHEIMER, KNEE]
assert found.parsed.meta.matches
assert [(each.read_as, each.diagnosis_ids) for each in found.parsed.meta.matches] == [
    ("M17.11", [KNEE]),
    ("G30.1", [ALZHEIMER]),
    ("B05", []),
]
assert found.headers["X-RateLimit-Limit"] == "1000"

one = get_diagnosis.sync(KNEE, client=client)
assert isinstance(one, DiagnosisAnswer)
assert set(one.data.enabled_modules) == set(Module)

answer = list_interventions.sync(KNEE, client=client, module=Module.FITT_VIP, phase=Phase.CHRONIC)
assert isinstance(answer, InterventionList)
assert answer.meta.filters.phase is Phase.CHRONIC
assert len(answer.data) == answer.meta.count > 0
for intervention in answer.data:
    assert intervention.module is Module.FITT_VIP
    assert intervention.fitt_vp is not None
    assert intervention.fitt_vp.type_

whole = get_catalogue.sync(client=client)
assert isinstance(whole, Catalogue)
assert len(whole.data) == whole.meta.count
assert KNEE in {entry.diagnosis.id for entry in whole.data}

limit = get_limit.sync(client=client)
assert isinstance(limit, LimitAnswer)
assert limit.data.limit == limit.data.used + limit.data.remaining == 1000

same = list_diagnoses.sync_detailed(
    client=client, icd10=CODES, module=Module.HOME, if_none_match=found.headers["ETag"]
)
assert same.status_code == 304
assert same.content == b""

for nobody in (
    AuthenticatedClient(URL, token="evref_mistyped"),
    AuthenticatedClient(URL, token="", prefix=""),
):
    refused = list_diagnoses.sync_detailed(client=nobody)
    assert refused.status_code == 401
    assert isinstance(refused.parsed, Problem)

unknown = get_diagnosis.sync_detailed("knee-arthritis", client=client)
assert unknown.status_code == 404

invalid = list_diagnoses.sync(client=client, q=" ")
assert isinstance(invalid, InvalidParameterProblem)
assert [fault.parameter for fault in invalid.errors] == ["q"]

used_up = AuthenticatedClient(URL, token=os.environ["EVREF_USED_UP_KEY"])
exceeded = list_diagnoses.sync(client=used_up)
assert isinstance(exceeded, QuotaExceededProblem)
assert exceeded.violated_policies == ["daily"]
