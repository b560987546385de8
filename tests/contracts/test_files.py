"""Contract tests of the adapter for YAML files."""

from evref.adapters.outbound.files import YamlCatalogueFiles
from evref.testing import CatalogueFilesContract


class TestYamlCatalogueFiles(CatalogueFilesContract):
    adapter = YamlCatalogueFiles
