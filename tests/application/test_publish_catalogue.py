"""A catalogue goes from files to storage, whole or not at all, and back."""

from pathlib import Path

import pytest

from evref.adapters.outbound.memory import MemoryCatalogueStore, MemoryState
from evref.application.publish_catalogue import PublishCatalogue
from evref.domain.catalogue.catalogue import CatalogueChanges
from evref.domain.errors import InvalidCatalogueError, NoCatalogueError, StorageUnavailableError
from evref.ports.catalogue import Publication
from evref.testing.builders import NOON, a_catalogue, an_entry
from tests.fakes import BreakableCatalogueStore, FakeCatalogueFiles, FakeClock

BUNDLED, ONE, OTHER, FAULTY = Path("bundled"), Path("one"), Path("other"), Path("faulty")
CATALOGUES = {
    BUNDLED: a_catalogue(an_entry("bundled")),
    ONE: a_catalogue(an_entry("kept"), an_entry("edited"), an_entry("gone")),
    OTHER: a_catalogue(an_entry("kept"), an_entry("edited", name="Edited"), an_entry("new")),
}


@pytest.fixture
def store(state: MemoryState) -> BreakableCatalogueStore:
    return BreakableCatalogueStore(MemoryCatalogueStore(state))


@pytest.fixture
def files() -> FakeCatalogueFiles:
    files = FakeCatalogueFiles()
    files.held = dict(CATALOGUES)
    return files


@pytest.fixture
def publish(
    store: BreakableCatalogueStore, files: FakeCatalogueFiles, clock: FakeClock
) -> PublishCatalogue:
    return PublishCatalogue(store, files, clock, BUNDLED)


def unheard(_done: int, _total: int) -> None:
    pass


def test_what_is_not_read_is_what_the_files_say(publish: PublishCatalogue) -> None:
    assert publish.not_read([ONE]) == ("one/README.md",)


def test_a_check_reads_all_paths_and_changes_nothing(
    publish: PublishCatalogue, state: MemoryState
) -> None:
    told: list[tuple[int, int]] = []
    checked = publish.check([BUNDLED, ONE], lambda done, total: told.append((done, total)))

    assert [entry.diagnosis.id for entry in checked.entries] == [
        "bundled",
        "edited",
        "gone",
        "kept",
    ]
    assert told == [(1, 2), (2, 2)]
    assert state.publication is None


def test_what_is_loaded_is_served_from_now_on(
    publish: PublishCatalogue, clock: FakeClock, state: MemoryState
) -> None:
    published = publish.load(ONE, unheard)

    assert published.publication.catalogue.version == CATALOGUES[ONE].version
    assert published.publication.published_at == NOON
    assert state.publication == published.publication


def test_a_load_tells_what_it_added_changed_and_removed(publish: PublishCatalogue) -> None:
    first = publish.load(ONE, unheard)
    second = publish.load(OTHER, unheard)
    third = publish.load(OTHER, unheard)

    assert first.changes == CatalogueChanges(("edited", "gone", "kept"), (), ())
    assert second.changes == CatalogueChanges(("new",), ("edited",), ("gone",))
    assert third.changes == CatalogueChanges((), (), ())


def test_files_with_faults_leave_the_present_catalogue(
    publish: PublishCatalogue, state: MemoryState
) -> None:
    before = publish.load(ONE, unheard).publication

    with pytest.raises(InvalidCatalogueError) as caught:
        publish.load(FAULTY, unheard)

    assert [str(fault) for fault in caught.value.faults] == ["faulty: is not there"]
    assert state.publication is before


def test_storage_out_of_reach_leaves_the_present_catalogue(
    publish: PublishCatalogue, store: BreakableCatalogueStore, state: MemoryState
) -> None:
    before = publish.load(ONE, unheard).publication
    store.broken = True

    with pytest.raises(StorageUnavailableError):
        publish.load(OTHER, unheard)

    assert state.publication is before


class DamagedCatalogueStore(MemoryCatalogueStore):
    """Has a catalogue that can be replaced, but no longer read."""

    def load(self) -> Publication | None:
        raise StorageUnavailableError("the stored catalogue is damaged")


def test_a_damaged_catalogue_is_replaced(
    state: MemoryState, files: FakeCatalogueFiles, clock: FakeClock
) -> None:
    publish = PublishCatalogue(DamagedCatalogueStore(state), files, clock, BUNDLED)

    published = publish.load(ONE, unheard)

    assert state.publication == published.publication


def test_the_bundled_catalogue_is_loaded_where_there_is_none(publish: PublishCatalogue) -> None:
    published = publish.load_bundled_where_none(unheard)

    assert published is not None
    assert published.changes == CatalogueChanges(("bundled",), (), ())
    assert publish.status() == published.publication


def test_the_bundled_catalogue_never_replaces_another(publish: PublishCatalogue) -> None:
    before = publish.load(ONE, unheard).publication

    assert publish.load_bundled_where_none(unheard) is None
    assert publish.status() is before


class OvertakenCatalogueStore(MemoryCatalogueStore):
    """Has no catalogue when it is looked at, and one when another is to be published."""

    def version(self) -> str | None:
        return None


def test_the_bundled_catalogue_does_not_replace_one_that_came_first(
    state: MemoryState, files: FakeCatalogueFiles, clock: FakeClock
) -> None:
    publish = PublishCatalogue(OvertakenCatalogueStore(state), files, clock, BUNDLED)
    before = publish.load(ONE, unheard).publication

    assert publish.load_bundled_where_none(unheard) is None
    assert publish.status() is before


def test_the_status_is_what_storage_has(publish: PublishCatalogue, clock: FakeClock) -> None:
    publish.load(ONE, unheard)
    clock.advance(days=1)

    assert publish.status() == Publication(publish.status().catalogue, NOON)


def test_without_a_catalogue_there_is_neither_a_status_nor_an_export(
    publish: PublishCatalogue, files: FakeCatalogueFiles
) -> None:
    with pytest.raises(NoCatalogueError):
        publish.status()
    with pytest.raises(NoCatalogueError):
        publish.export(Path("out"))

    assert Path("out") not in files.held


def test_what_is_exported_loads_to_the_same_version(publish: PublishCatalogue) -> None:
    before = publish.load(ONE, unheard).publication.catalogue
    exported = publish.export(Path("out"))

    assert exported.version == before.version
    assert publish.load(Path("out"), unheard).changes == CatalogueChanges((), (), ())


def test_a_folder_that_cannot_take_the_export_is_told(publish: PublishCatalogue) -> None:
    publish.load(ONE, unheard)

    with pytest.raises(InvalidCatalogueError):
        publish.export(OTHER)
