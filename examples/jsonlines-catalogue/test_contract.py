"""The JSON Lines catalogue store fulfils the contract of its port."""

from pathlib import Path

import pytest

from evref.bootstrap.container import container_for
from evref.bootstrap.settings import Settings, StorageKind
from evref.testing import CatalogueStoreContract, PublishedCatalogueContract, Stores
from evref_jsonlines.store import JsonLinesCatalogueStore

SETTINGS = Settings(storage=StorageKind.MEMORY, container="evref_jsonlines.wiring:container")


@pytest.fixture
def stores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stores:
    """Return the stores of the service: this one, and all others in memory."""
    monkeypatch.setenv("CATALOGUE_FILE", str(tmp_path / "catalogue.jsonl"))
    return Stores.of(container_for(SETTINGS))


class TestJsonLinesPublishedCatalogue(PublishedCatalogueContract):
    adapter = JsonLinesCatalogueStore


class TestJsonLinesCatalogueStore(CatalogueStoreContract):
    adapter = JsonLinesCatalogueStore
