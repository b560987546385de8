"""The adapter for YAML files keeps to its contract."""

from evref.adapters.outbound.files import YamlCatalogueFiles
from evref.testing import CatalogueFilesContract


class TestYamlCatalogueFiles(CatalogueFilesContract):
    adapter = YamlCatalogueFiles
