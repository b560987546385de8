"""What becomes of the file: it is served, and where it is damaged it is not."""

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
    """Where the catalogue is kept."""
    return tmp_path / "catalogue.jsonl"


def test_the_service_serves_what_is_in_the_file(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Published by one service, the catalogue is served by another."""
    monkeypatch.setenv("CATALOGUE_FILE", str(file))
    container_for(SETTINGS).publish().publish_bundled(lambda _done, _total: None, by="operator")
    served = container_for(SETTINGS)
    hospital = served.manage_institutions().create_institution(OPERATOR, "Hospital")
    key = served.manage_keys().create(OPERATOR, hospital.id, name="App")

    answer = (
        create_app(SETTINGS, served)
        .test_client()
        .get("/api/v1/diagnoses", headers={"Authorization": f"Bearer {key.token.text}"})
    )

    assert answer.status_code == 200
    assert answer.json is not None
    assert answer.json["meta"]["count"] == file.read_text().count("\n") - 1


@pytest.mark.parametrize(
    "damage",
    [
        lambda file: file.write_text(""),
        lambda file: file.write_text("{}\n"),
        lambda file: file.write_text("no JSON\n"),
        lambda file: file.write_bytes(b"\xff"),
        lambda file: (file.unlink(), file.mkdir()),
    ],
    ids=["empty", "nothing said", "no JSON", "no text", "a folder"],
)
def test_a_damaged_file_is_storage_out_of_reach(
    file: Path, damage: Callable[[Path], object]
) -> None:
    """The service then goes on with the catalogue that it holds."""
    store = JsonLinesCatalogueStore(file)
    keep_catalogue(store, a_catalogue())

    damage(file)

    with pytest.raises(StorageUnavailableError):
        store.version()
    with pytest.raises(StorageUnavailableError):
        store.load()


def test_a_file_without_its_last_line_is_not_served(file: Path) -> None:
    """Nor is one that was edited by hand: its version would tell of another content."""
    store = JsonLinesCatalogueStore(file)
    keep_catalogue(store, a_catalogue(an_entry("a"), an_entry("b")))

    file.write_text("\n".join(file.read_text().splitlines()[:-1]))

    with pytest.raises(StorageUnavailableError) as caught:
        store.load()
    assert caught.value.reason == f"{file}: was changed or cut short since it was published"


def test_a_folder_that_is_not_there_takes_no_catalogue(tmp_path: Path) -> None:
    """And says so in the words of the port."""
    store = JsonLinesCatalogueStore(tmp_path / "missing" / "catalogue.jsonl")

    with pytest.raises(StorageUnavailableError):
        keep_catalogue(store, a_catalogue())
