"""Catalogue files as contributors write them: YAML, one file for each diagnosis.

A file passes through `folders` (paths to text), `nodes` (text to plain data with lines) and
`reading` (validation by the JSON Schema and by the domain); `writing` does the reverse.
`word_lists` are the lists that the search needs.
"""

from evref.adapters.outbound.files.catalogue_files import YamlCatalogueFiles
from evref.adapters.outbound.files.schema import SCHEMA_FILE
from evref.adapters.outbound.files.word_lists import read_lexicon

__all__ = ["SCHEMA_FILE", "YamlCatalogueFiles", "read_lexicon"]
