"""Reads resources with the models of fhir.resources, from the files in the first argument."""

import json
import sys
from pathlib import Path

from fhir.resources.R4B import get_fhir_model_class

files = sorted(Path(sys.argv[1]).glob("*.json"))
for file in files:
    given = json.loads(file.read_text(encoding="utf-8"))
    model = get_fhir_model_class(given["resourceType"]).model_validate(given)
    # Nothing is lost, added or changed.
    assert json.loads(model.model_dump_json(exclude_none=True)) == given, file.name
print(len(files))  # noqa: T201 - what the test reads
