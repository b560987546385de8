"""Catalogue files as contributors write them: YAML, one file for each diagnosis.

A file passes through `folders` (paths to text), `nodes` (text to plain data with lines) and
`reading` (validation by the JSON Schema and by the domain); `writing` does the reverse.
"""

from evref.adapters.outbound.files.catalogue_files import YamlCatalogueFiles
from evref.adapters.outbound.files.schema import SCHEMA_FILE

__all__ = ["SCHEMA_FILE", "YamlCatalogueFiles"]
