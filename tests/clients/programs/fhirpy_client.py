"""Reads the service with fhirpy: counting, elements and included resources."""

import os

from fhirpy import SyncFHIRClient

client = SyncFHIRClient(
    f"{os.environ['EVREF_URL']}/fhir", authorization=f"Bearer {os.environ['EVREF_KEY']}"
)
plans = client.resources("PlanDefinition")
knee = plans.search(context="http://hl7.org/fhir/sid/icd-10-cm|M17.11").get()

assert plans.count() == len(plans.limit(100).fetch_all()) > 100
assert plans.search(_id=knee.id).count() == 1

short = plans.search(_id=knee.id).elements("title").get()
assert short.title == knee.title
assert "action" not in short
assert short["meta"]["tag"][0]["code"] == "SUBSETTED"

bundle = plans.search(_id=knee.id).include("PlanDefinition", "definition").fetch_raw()
included = [entry.resource for entry in bundle.entry if entry.search["mode"] == "include"]
assert {each["url"] for each in included} == {
    action["definitionCanonical"] for action in knee["action"]
}
