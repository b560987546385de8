/** Reads the service with fhir-kit-client. */
import assert from "node:assert/strict";
import { Client } from "fhir-kit-client";

const { EVREF_URL, EVREF_KEY, EVREF_USED_UP_KEY } = process.env;
const client = (bearerToken) => new Client({ baseUrl: `${EVREF_URL}/fhir`, bearerToken });
const ours = client(EVREF_KEY);

/** The call is refused with this status and an OperationOutcome of this type. */
async function refused(call, status, code) {
  await assert.rejects(call, (error) => {
    assert.equal(error.response.status, status);
    assert.equal(error.response.data.resourceType, "OperationOutcome");
    assert.equal(error.response.data.issue[0].code, code);
    return true;
  });
}

assert.equal((await client().capabilityStatement()).fhirVersion, "4.0.1");

const found = await ours.search({
  resourceType: "PlanDefinition",
  searchParams: { context: "http://hl7.org/fhir/sid/icd-10|M17.1" },
});
assert.equal(found.total, 1);
const knee = found.entry[0].resource;
assert.deepEqual(await ours.read({ resourceType: "PlanDefinition", id: knee.id }), knee);

// By canonical URL, and as POST.
const canonical = knee.action[0].definitionCanonical;
const byUrl = await ours.search({
  resourceType: "ActivityDefinition",
  searchParams: { url: canonical },
});
assert.equal(byUrl.entry[0].resource.url, canonical);
const posted = await ours.search({
  resourceType: "PlanDefinition",
  searchParams: { context: "http://hl7.org/fhir/sid/icd-10-cm|M17.11" },
  options: { postSearch: true },
});
assert.equal(posted.entry[0].resource.id, knee.id);
const marked = knee.action.filter((action) => action.modifierExtension);
assert.ok(marked.length > 0 && marked.length < knee.action.length);

const read = new Set();
let bundle = await ours.search({ resourceType: "ActivityDefinition", searchParams: { _count: 30 } });
const { total } = bundle;
while (bundle) {
  for (const { resource } of bundle.entry) read.add(resource.id);
  bundle = await ours.nextPage({ bundle });
}
assert.equal(read.size, total);

const id = knee.id;
const resourceType = "PlanDefinition";
await refused(() => client().read({ resourceType, id }), 401, "login");
await refused(() => client("evref_mistyped").read({ resourceType, id }), 401, "unknown");
await refused(() => client(EVREF_USED_UP_KEY).read({ resourceType, id }), 429, "throttled");
await refused(() => ours.read({ resourceType, id: "nobody" }), 404, "not-found");
await refused(() => ours.search({ resourceType, searchParams: { modul: "home" } }), 400, "invalid");
