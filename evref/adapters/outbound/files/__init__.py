"""Catalogue files as contributors write them: YAML, one file for each diagnosis."""

from evref.adapters.outbound.files.catalogue_files import YamlCatalogueFiles
from evref.adapters.outbound.files.schema import SCHEMA_FILE
from evref.adapters.outbound.files.word_lists import read_lexicon

__all__ = ["SCHEMA_FILE", "YamlCatalogueFiles", "read_lexicon"]
