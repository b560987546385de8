/** Sends the requests of the collection that openapi-to-postmanv2 makes, as a user of Postman would
 * fill them in, through newman. The collection is the first argument. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import newman from "newman";

const id = "knee-osteoarthritis";
const codes = "m1711,g30.1+,b05";
const collection = JSON.parse(await readFile(process.argv[2], "utf-8"));
const requests = new Map();
(function gather(items) {
  for (const item of items) item.item ? gather(item.item) : requests.set(item.name, item);
})(collection.item);
const reading = [...requests.keys()].filter((name) => !name.endsWith(": only the headers"));
assert.equal(requests.size, 2 * reading.length);
assert.deepEqual(reading.sort(), [
  "Get a diagnosis",
  "Get an intervention",
  "Get the daily limit",
  "Get the whole catalogue",
  "Get this document",
  "List diagnoses",
  "List the changes in publications",
  "List the interventions of a diagnosis",
  "Search the interventions of all diagnoses",
]);

/** The answer to one request, with these parameters and no others. */
async function send(name, { key = process.env.EVREF_KEY, ...values } = {}) {
  const item = structuredClone(requests.get(name));
  const { query, variable } = item.request.url;
  for (const each of [...query, ...variable, ...item.request.header]) {
    if (each.key === "Accept") continue;
    each.disabled = !(each.key in values);
    each.value = values[each.key];
  }
  return run(item, key);
}

/** The answer to a request of the collection as it is. */
async function run(item, key = process.env.EVREF_KEY) {
  const envVar = [{ key: "bearerToken", value: key }];
  const summary = await new Promise((resolve, reject) => {
    newman.run({ collection: { ...collection, item: [item] }, envVar }, (error, done) =>
      error ? reject(error) : resolve(done),
    );
  });
  const [execution] = summary.run.executions;
  assert(!execution.requestError, String(execution.requestError));
  return execution.response;
}

for (const [name, item] of requests) {
  // OpenAPI cannot say that a search needs one of `q`, codes and `diagnosis`; the how-to does.
  const status = name.startsWith("Search the interventions") ? 422 : 200;
  assert.equal((await run(item)).code, status, `${name}, as it was imported`);
}

const found = await send("List diagnoses", { icd10: codes, module: "home" });
assert.equal(found.code, 200);
assert.deepEqual(found.json().data.map((diagnosis) => diagnosis.id), ["alzheimer-disease", id]);
assert.deepEqual(found.json().meta.matches.map((each) => [each.read_as, each.diagnosis_ids]), [
  ["M17.11", [id]],
  ["G30.1", ["alzheimer-disease"]],
  ["B05", []],
]);
assert.equal(found.headers.get("X-RateLimit-Limit"), "1000");

const one = await send("Get a diagnosis", { id });
assert.equal(one.json().data.name, "Knee osteoarthritis");

const filters = { module: "fitt_vip", phase: "chronic" };
const answer = await send("List the interventions of a diagnosis", { id, ...filters });
assert(answer.json().data.length > 0);
assert.deepEqual(answer.json().meta.filters, filters);

const whole = await send("Get the whole catalogue");
assert(whole.json().data.some((record) => record.diagnosis.id === id));

const limit = await send("Get the daily limit");
assert.equal(limit.json().data.limit, 1000);
assert.equal(limit.json().data.permission, "read");

const kept = { icd10: codes, module: "home", "If-None-Match": found.headers.get("ETag") };
assert.equal((await send("List diagnoses", kept)).code, 304);

assert.equal((await send("List diagnoses", { key: "evref_mistyped" })).code, 401);
assert.equal((await send("Get a diagnosis", { id: "knee-arthritis" })).code, 404);

const invalid = await send("List diagnoses", { module: "Home" });
assert.equal(invalid.code, 422);
assert(invalid.json().errors[0].allowed.includes("home"));

const exceeded = await send("List diagnoses", { key: process.env.EVREF_USED_UP_KEY });
assert.equal(exceeded.code, 429);
assert.deepEqual(exceeded.json()["violated-policies"], ["daily"]);
