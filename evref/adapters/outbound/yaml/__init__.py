"""Catalogue files in YAML, as contributors write them.

A file travels through `sources` (paths to text), `documents` (text to a tree of nodes with
lines; no objects are ever built) and `reading` (nodes to entries of the domain); `writing` goes
the other way. `catalogue_files` puts them together behind the port.
"""

from evref.adapters.outbound.yaml.catalogue_files import YamlCatalogueFiles

__all__ = ["YamlCatalogueFiles"]
