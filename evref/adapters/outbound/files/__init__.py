"""Catalogue files as contributors write them: YAML, one file for each diagnosis."""

from evref.adapters.outbound.files.catalogue_files import YamlCatalogueFiles
from evref.adapters.outbound.files.word_lists import read_word_lists

__all__ = ["YamlCatalogueFiles", "read_word_lists"]
