"""Calls the service with the client that openapi-generator makes for Python."""

import os
from collections.abc import Callable

from openapi_client import ApiClient, CatalogueApi, Configuration, Module, Phase
from openapi_client.exceptions import ApiException

KNEE = "knee-osteoarthritis"
ALZHEIMER = "alzheimer-disease"
CODES = ["m1711", "g30.1+", "b05"]


def catalogue(key: str | None) -> CatalogueApi:
    # Left to itself, urllib3 waits as long as Retry-After says: after a 429, until midnight.
    return CatalogueApi(ApiClient(Configuration(access_token=key, retries=0)))


def refused(status: int, call: Callable[[], object]) -> ApiException:
    try:
        call()
    except ApiException as error:
        found = error
    else:
        raise AssertionError(f"{status} was expected")
    assert found.status == status, found
    return found


key = os.environ["EVREF_KEY"]
api = catalogue(key)

found = api.list_diagnoses_with_http_info(icd10=CODES, module=Module.HOME)
assert [diagnosis.id for diagnosis in found.data.data] == [ALZHEIMER, KNEE]
assert found.data.meta.count == 2
assert [(each.read_as, each.diagnosis_ids) for each in found.data.meta.matches] == [
    ("M17.11", [KNEE]),
    ("G30.1", [ALZHEIMER]),
    ("B05", []),
]
assert api.list_diagnoses(q="knee").meta.matches is None
assert found.headers["X-RateLimit-Limit"] == "1000"
assert found.headers["RateLimit"].startswith('"daily";r=')

diagnosis = api.get_diagnosis(KNEE).data
assert diagnosis.icd10_codes == ["M17"]
assert diagnosis.enabled_modules == list(Module)

answer = api.list_interventions(KNEE, module=Module.FITT_VIP, phase=Phase.CHRONIC)
assert answer.meta.filters.module is Module.FITT_VIP
assert len(answer.data) == answer.meta.count > 0
for intervention in answer.data:
    assert (intervention.module, intervention.phase) == (Module.FITT_VIP, Phase.CHRONIC)
    assert intervention.fitt_vp
    assert intervention.references[0].url.startswith("https://")
everything = api.list_interventions(KNEE).data
assert {each.module for each in everything if each.fitt_vp is None} >= {Module.HOME}

etag = found.headers["ETag"]
refused(304, lambda: api.list_diagnoses(icd10=CODES, module=Module.HOME, if_none_match=etag))

missing = refused(401, lambda: catalogue(None).list_diagnoses())
assert missing.data.type.endswith("/problems/missing-credentials")
unknown = refused(401, lambda: catalogue("evref_mistyped").list_diagnoses(x_request_id="mine"))
assert unknown.data.type.endswith("/problems/invalid-api-key")
assert unknown.data.request_id == "mine"

refused(404, lambda: api.get_diagnosis("knee-arthritis"))

invalid = refused(422, lambda: api.list_diagnoses(q=" "))
assert [fault.parameter for fault in invalid.data.errors] == ["q"]

used_up = catalogue(os.environ["EVREF_USED_UP_KEY"])
exceeded = refused(429, used_up.list_diagnoses)
assert exceeded.data.violated_policies == ["daily"]
assert int(exceeded.headers["Retry-After"]) > 0
