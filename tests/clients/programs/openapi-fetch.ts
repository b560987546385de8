/** Calls the service with openapi-fetch, over the types that openapi-typescript makes. */
import assert from "node:assert/strict";
import createClient from "openapi-fetch";
import type { components, paths } from "./client.js";

const id = "knee-osteoarthritis";
const baseUrl = process.env.EVREF_URL;

function catalogue(key?: string) {
  const headers = key === undefined ? {} : { Authorization: `Bearer ${key}` };
  const querySerializer = { array: { style: "form", explode: false } } as const;
  return createClient<paths>({ baseUrl, headers, querySerializer });
}

const api = catalogue(process.env.EVREF_KEY);

const query = { icd10: ["m1711", "g30.1+", "b05"], module: "home" as const };
const found = await api.GET("/api/v1/diagnoses", { params: { query } });
assert.deepEqual(found.data?.data.map((diagnosis) => diagnosis.id), ["alzheimer-disease", id]);
assert.deepEqual(found.data?.meta.matches?.map((each) => [each.read_as, each.diagnosis_ids]), [
  ["M17.11", [id]],
  ["G30.1", ["alzheimer-disease"]],
  ["B05", []],
]);
assert.equal(found.response.headers.get("X-RateLimit-Limit"), "1000");

const one = await api.GET("/api/v1/diagnoses/{id}", { params: { path: { id } } });
assert.equal(one.data?.data.name, "Knee osteoarthritis");

const module: components["schemas"]["Module"] = "fitt_vip";
const answer = await api.GET("/api/v1/diagnoses/{id}/interventions", {
  params: { path: { id }, query: { module, phase: "chronic" } },
});
assert(answer.data !== undefined && answer.data.data.length > 0);
assert.equal(answer.data.meta.filters.phase, "chronic");
for (const intervention of answer.data.data) {
  assert.equal(intervention.module, module);
  assert(intervention.fitt_vp !== null && intervention.fitt_vp.type);
}

const kept = { "If-None-Match": found.response.headers.get("ETag") ?? "" };
const same = await api.GET("/api/v1/diagnoses", { params: { query, header: kept } });
assert.equal(same.response.status, 304);

for (const nobody of [catalogue(), catalogue("evref_mistyped")]) {
  const refused = await nobody.GET("/api/v1/diagnoses");
  assert.equal(refused.response.status, 401);
  assert(refused.error?.request_id);
}

const path = { id: "knee-arthritis" };
const unknown = await api.GET("/api/v1/diagnoses/{id}", { params: { path } });
assert.equal(unknown.response.status, 404);

const invalid = await api.GET("/api/v1/diagnoses", { params: { query: { q: " " } } });
assert(invalid.error !== undefined && "errors" in invalid.error);
assert.deepEqual(invalid.error.errors.map((fault) => fault.parameter), ["q"]);

const exceeded = await catalogue(process.env.EVREF_USED_UP_KEY).GET("/api/v1/diagnoses");
assert(exceeded.error !== undefined && "violated-policies" in exceeded.error);
assert.deepEqual(exceeded.error["violated-policies"], ["daily"]);
