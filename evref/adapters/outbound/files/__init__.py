"""Catalogue files: YAML, one file a diagnosis, as contributors write them.

A file travels through `folders` (paths to text), `nodes` (text to plain data with lines) and
`reading` (the JSON Schema of the format, then the domain); `writing` goes the other way.
"""

from evref.adapters.outbound.files.catalogue_files import YamlCatalogueFiles
from evref.adapters.outbound.files.schema import SCHEMA_FILE

__all__ = ["SCHEMA_FILE", "YamlCatalogueFiles"]
