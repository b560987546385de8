/** Calls the service with the client that openapi-generator makes as typescript-fetch. */
import assert from "node:assert/strict";
import {
  CatalogueApi,
  Configuration,
  InvalidParameterProblemFromJSON,
  Module,
  Phase,
  ProblemFromJSON,
  QuotaExceededProblemFromJSON,
  ResponseError,
} from "./client/index.js";

const KNEE = "knee-osteoarthritis";
const ALZHEIMER = "alzheimer-disease";
const codes = ["m1711", "g30.1+", "b05"];

function catalogue(key?: string): CatalogueApi {
  return new CatalogueApi(new Configuration({ accessToken: key }));
}

async function refused(status: number, call: Promise<unknown>): Promise<Response> {
  const error = await call.then(
    () => assert.fail(`${status} was expected`),
    (error: unknown) => error,
  );
  assert(error instanceof ResponseError, String(error));
  assert.equal(error.response.status, status);
  return error.response;
}

const api = catalogue(process.env.EVREF_KEY);

const found = await api.listDiagnosesRaw({ icd10: codes, module: Module.Home });
const list = await found.value();
assert.deepEqual(list.data.map((diagnosis) => diagnosis.id), [ALZHEIMER, KNEE]);
assert.deepEqual(list.meta.matches?.map((each) => [each.readAs, each.diagnosisIds]), [
  ["M17.11", [KNEE]],
  ["G30.1", [ALZHEIMER]],
  ["B05", []],
]);
assert.equal(found.raw.headers.get("X-RateLimit-Limit"), "1000");

const { data: diagnosis } = await api.getDiagnosis({ id: KNEE });
assert.deepEqual(diagnosis.enabledModules, Object.values(Module));

const request = { id: KNEE, module: Module.FittVip, phase: Phase.Chronic };
const answer = await api.listInterventions(request);
assert.equal(answer.meta.filters.phase, Phase.Chronic);
assert.equal(answer.data.length, answer.meta.count);
assert(answer.data.length > 0);
for (const intervention of answer.data) {
  assert.equal(intervention.module, Module.FittVip);
  assert(intervention.fittVp !== null && intervention.fittVp.type);
}
const everything = await api.listInterventions({ id: KNEE });
assert(everything.data.some((each) => each.fittVp === null && each.module === Module.Home));

const ifNoneMatch = found.raw.headers.get("ETag") ?? undefined;
await refused(304, api.listDiagnoses({ icd10: codes, module: Module.Home, ifNoneMatch }));

const missing = ProblemFromJSON(await (await refused(401, catalogue().listDiagnoses())).json());
assert(missing.type.endsWith("/problems/missing-credentials"));
await refused(401, catalogue("evref_mistyped").listDiagnoses());

await refused(404, api.getDiagnosis({ id: "knee-arthritis" }));

const invalid = await refused(422, api.listDiagnoses({ q: " " }));
const faults = InvalidParameterProblemFromJSON(await invalid.json()).errors;
assert.deepEqual(faults.map((fault) => fault.parameter), ["q"]);

const exceeded = await refused(429, catalogue(process.env.EVREF_USED_UP_KEY).listDiagnoses());
assert.deepEqual(QuotaExceededProblemFromJSON(await exceeded.json()).violatedPolicies, ["daily"]);
assert(Number(exceeded.headers.get("Retry-After")) > 0);
