"""The adapter for YAML files keeps to its contract."""

from evref.adapters.outbound.yaml import YamlCatalogueFiles
from tests.contracts.catalogue_files import CatalogueFilesContract


class TestYamlCatalogueFiles(CatalogueFilesContract):
    adapter = YamlCatalogueFiles
