"""The JSON Lines catalogue store fulfils the contract of its port."""

from pathlib import Path

import pytest

from evref.bootstrap.container import container_for
from evref.bootstrap.settings import Settings, StorageKind
from evref.testing import CatalogueStoreContract, Stores
from evref_jsonlines.store import JsonLinesCatalogueStore

SETTINGS = Settings(storage=StorageKind.MEMORY, container="evref_jsonlines.wiring:container")


class TestJsonLinesCatalogueStore(CatalogueStoreContract):
    adapter = JsonLinesCatalogueStore

    @pytest.fixture
    def stores(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stores:
        """The stores as the service uses them: this one, and all others in memory."""
        monkeypatch.setenv("CATALOGUE_FILE", str(tmp_path / "catalogue.jsonl"))
        return Stores.of(container_for(SETTINGS))
