/** Validates resources with FHIR.js, from the files in the folder that the first argument names. */
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import fhir from "fhir";

const folder = process.argv[2];
const validator = new fhir.Fhir();

// A resource with each kind of fault that is looked for, so that a validator which finds none fails.
const wrong = { resourceType: "ActivityDefinition", status: "late", colour: "red" };
assert.equal(validator.validate(wrong, { errorOnUnexpected: true }).valid, false);

const files = (await readdir(folder)).sort();
for (const file of files) {
  const resource = JSON.parse(await readFile(join(folder, file), "utf-8"));
  const { valid, messages } = validator.validate(resource, { errorOnUnexpected: true });
  const faults = messages.filter((each) => ["fatal", "error"].includes(each.severity));
  assert(valid && faults.length === 0, `${file}: ${JSON.stringify(faults)}`);
}
console.log(files.length);
