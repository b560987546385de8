"""The service serves the file, unless it is damaged."""

from collections.abc import Callable
from pathlib import Path

import pytest

from evref.bootstrap.app import create_app
from evref.bootstrap.container import container_for
from evref.bootstrap.settings import Settings, StorageKind
from evref.domain.errors import StorageUnavailableError
from evref.testing.builders import OPERATOR, a_catalogue, an_entry
from evref.testing.stores import keep_catalogue
from evref_jsonlines.store import JsonLinesCatalogueStore

SETTINGS = Settings(storage=StorageKind.MEMORY, container="evref_jsonlines.wiring:container")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return the path of the catalogue file."""
    return tmp_path / "catalogue.jsonl"


def test_the_service_serves_the_catalogue_in_the_file(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One service publishes the catalogue, and another serves it."""
    monkeypatch.setenv("CATALOGUE_FILE", str(file))
    container_for(SETTINGS).publish().publish_bundled(
        OPERATOR, lambda _done, _total: None, by="operator"
    )
    served = container_for(SETTINGS)
    hospital = served.manage_institutions().create_institution(OPERATOR, "Hospital")
    key = served.manage_keys().create(OPERATOR, hospital.id, name="App")

    response = (
        create_app(SETTINGS, served)
        .test_client()
        .get("/api/v1/diagnoses", headers={"Authorization": f"Bearer {key.token.text}"})
    )

    assert response.status_code == 200
    assert response.json is not None
    assert response.json["meta"]["count"] == file.read_text().count("\n") - 1


@pytest.mark.parametrize(
    "damage",
    [
        lambda file: file.write_text(""),
        lambda file: file.write_text("{}\n"),
        lambda file: file.write_text("not JSON\n"),
        lambda file: file.write_bytes(b"\xff"),
        lambda file: (file.unlink(), file.mkdir()),
    ],
    ids=["empty", "no members", "not JSON", "not UTF-8", "a folder"],
)
def test_a_damaged_file_is_unavailable_storage(
    file: Path, damage: Callable[[Path], object]
) -> None:
    """The service then continues to serve the catalogue that it has loaded."""
    store = JsonLinesCatalogueStore(file)
    keep_catalogue(store, a_catalogue())

    damage(file)

    with pytest.raises(StorageUnavailableError):
        store.version()
    with pytest.raises(StorageUnavailableError):
        store.load()


def test_a_file_without_its_last_line_is_not_served(file: Path) -> None:
    """An edited file is not served either: its version would not match its content."""
    store = JsonLinesCatalogueStore(file)
    keep_catalogue(store, a_catalogue(an_entry("a"), an_entry("b")))

    file.write_text("\n".join(file.read_text().splitlines()[:-1]))

    with pytest.raises(StorageUnavailableError) as caught:
        store.load()
    assert caught.value.reason == f"{file}: was changed or cut short since it was published"


def test_publishing_to_a_missing_folder_fails(tmp_path: Path) -> None:
    """It raises the exception that the port declares."""
    store = JsonLinesCatalogueStore(tmp_path / "missing" / "catalogue.jsonl")

    with pytest.raises(StorageUnavailableError):
        keep_catalogue(store, a_catalogue())
