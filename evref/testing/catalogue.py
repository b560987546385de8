"""The contracts of the ports `PublishedCatalogue`, `CatalogueChanges` and `CatalogueFiles`."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from threading import Event

import pytest

from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.catalogue.evidence import Direction
from evref.domain.catalogue.publication import (
    Comparison,
    DiagnosisChange,
    InterventionChange,
    Publication,
    Turn,
)
from evref.domain.catalogue.snomed import LoadedMap, SnomedMap
from evref.domain.errors import CatalogueReplacedError
from evref.ports.catalogue import (
    CATALOGUES_KEPT,
    KEPT_FOR,
    PUBLICATIONS_KEPT,
    CatalogueFiles,
    InvalidCatalogueError,
)
from evref.ports.storage import Storage
from evref.testing.builders import (
    NOON,
    OPERATOR,
    a_catalogue,
    a_map,
    a_publication,
    an_entry,
    interventions_of_every_kind,
)
from evref.testing.contract import Contract, succeeds
from evref.testing.filling import at_once, keep_catalogue, served_version


def a_large_catalogue(name: str, size: int = 20) -> Catalogue:
    return a_catalogue(*(an_entry(f"{name}-{number}", name=name) for number in range(size)))


def publish(
    storage: Storage, publication: Publication, catalogue: Catalogue, replacing: str | None
) -> bool:
    """Return whether the publication succeeds; False if another one came first."""

    def change() -> None:
        with storage.changes(OPERATOR, NOON) as changes:
            changes.catalogue.publish(catalogue, publication, replacing=replacing)

    return succeeds(change, CatalogueReplacedError)


def assert_serves(storage: Storage, catalogue: Catalogue) -> None:
    loaded = storage.catalogue.load()
    assert loaded is not None
    assert loaded.entries == catalogue.entries
    assert served_version(storage) == loaded.version == catalogue.version


def assert_stores(storage: Storage, catalogue: Catalogue) -> None:
    loaded = storage.catalogue.load(catalogue.version)
    assert loaded is not None
    assert loaded.entries == catalogue.entries
    assert loaded.version == catalogue.version


class CatalogueContract:
    def test_at_first_there_is_no_catalogue(self, storage: Storage) -> None:
        """There is no catalogue to load, and the history is empty."""
        assert storage.catalogue.publication_id() is None
        assert storage.catalogue.load() is None
        assert storage.catalogue.history() == ()
        assert storage.catalogue.load(a_catalogue().version) is None

    def test_a_catalogue_comes_back_as_it_was_published(self, storage: Storage) -> None:
        """Every field of every entry is the same, in the same order."""
        catalogue = a_catalogue(
            an_entry(interventions=interventions_of_every_kind()),
            an_entry("asthma", name="Asthma, “severe”", interventions=[], modules=[]),
        )

        keep_catalogue(storage, catalogue)

        assert_serves(storage, catalogue)

    def test_a_catalogue_may_be_empty(self, storage: Storage) -> None:
        """An empty catalogue is still published; it differs from no catalogue."""
        keep_catalogue(storage, Catalogue([]))

        assert_serves(storage, Catalogue([]))

    def test_publishing_replaces_the_whole_catalogue(self, storage: Storage) -> None:
        """Only the new catalogue's entries are left."""
        before = a_catalogue(an_entry("asthma", name="Asthma"), an_entry("migraine", name="Old"))
        after = a_catalogue(an_entry("migraine", name="New"), an_entry("obesity", name="Obesity"))
        keep_catalogue(storage, before)
        held = storage.catalogue.load()

        keep_catalogue(storage, after)

        assert held is not None
        assert held.entries == before.entries
        assert_serves(storage, after)

    def test_readers_never_see_a_mixture(self, storage: Storage) -> None:
        """During publications, each loaded catalogue is complete."""
        catalogues = [a_large_catalogue("a"), a_large_catalogue("b", size=7)]
        whole = {catalogue.version: catalogue.entries for catalogue in catalogues}
        keep_catalogue(storage, catalogues[0])
        done = Event()

        def act(number: int) -> list[Catalogue | None]:
            if number > 0:
                loaded = [storage.catalogue.load()]
                while not done.is_set():
                    loaded.append(storage.catalogue.load())
                return loaded
            try:
                for turn in range(1, 12):
                    keep_catalogue(storage, catalogues[turn % 2])
            finally:
                done.set()
            return []

        loaded = [catalogue for several in at_once(3, act) for catalogue in several]

        for catalogue in loaded:
            assert catalogue is not None
            assert catalogue.entries == whole[catalogue.version]

    def test_a_publication_comes_back_as_it_was_made(self, storage: Storage) -> None:
        """Every field is the same, for any publisher."""
        first, second = a_catalogue(an_entry("asthma")), a_catalogue(an_entry("migraine"))
        by_nobody = replace(a_publication(first, by=None, is_bundled=True), comparison=None)
        by_somebody = Publication(
            version=second.version,
            published_at=NOON + timedelta(microseconds=5),
            published_by="Zoë “root”",
            is_bundled=False,
            added=1,
            changed=2,
            removed=3,
            comparison=Comparison(
                added=("a",),
                removed=("b", "c", "d"),
                changed=(
                    DiagnosisChange(
                        "e",
                        record=True,
                        interventions_added=("f",),
                        interventions_removed=("g", "h"),
                        interventions_changed=(
                            InterventionChange(
                                "i",
                                ("evidence.direction",),
                                Turn(Direction.FOR, Direction.AGAINST),
                            ),
                            InterventionChange("j", ("summary", "references"), None),
                        ),
                    ),
                ),
                removed_with_them=("k", "l"),
            ),
        )

        assert publish(storage, by_nobody, first, None)
        assert publish(storage, by_somebody, second, first.version)

        assert storage.catalogue.history() == (by_somebody, by_nobody)

    def test_the_same_catalogue_can_be_published_again(self, storage: Storage) -> None:
        """It keeps its version and content, and is in the history twice, as two publications."""
        catalogue = a_large_catalogue("same")
        keep_catalogue(storage, catalogue)
        before = storage.catalogue.publication_id()
        assert before is not None

        keep_catalogue(storage, a_large_catalogue("same"), at=NOON + timedelta(days=1))

        assert_serves(storage, catalogue)
        assert storage.catalogue.publication_id() not in {before, None}
        assert [publication.published_at for publication in storage.catalogue.history()] == [
            NOON + timedelta(days=1),
            NOON,
        ]

    def test_an_earlier_catalogue_is_as_whole_as_it_was(self, storage: Storage) -> None:
        """Shared documents and repeated publication do not change it."""
        same = an_entry("same")
        catalogues = [
            a_catalogue(same, an_entry("gone")),
            a_catalogue(same, an_entry("changed")),
            a_catalogue(same, an_entry("changed", name="Changed")),
            Catalogue([]),
        ]
        for catalogue in [*catalogues, catalogues[1]]:
            keep_catalogue(storage, catalogue)

        for catalogue in catalogues:
            assert_stores(storage, catalogue)

    def test_the_newest_catalogues_are_kept(self, storage: Storage) -> None:
        """Of earlier publications, the catalogue is dropped, but not what they changed."""
        catalogues = [
            a_catalogue(an_entry("same"), an_entry(f"only-{number}"))
            for number in range(CATALOGUES_KEPT + 3)
        ]
        for number, catalogue in enumerate(catalogues):
            keep_catalogue(storage, catalogue, at=NOON + timedelta(days=number))

        history = storage.catalogue.history()
        assert [publication.version for publication in history] == [
            catalogue.version for catalogue in catalogues[::-1]
        ]
        assert [
            publication.comparison and publication.comparison.removed for publication in history
        ] == [
            *((f"only-{number}",) for number in reversed(range(len(catalogues) - 1))),
            (),
        ]
        for catalogue in catalogues[:3]:
            assert storage.catalogue.load(catalogue.version) is None
        for catalogue in catalogues[3:]:
            assert_stores(storage, catalogue)

    def test_what_a_publication_changed_is_dropped_only_when_old_and_beyond_the_newest(
        self, storage: Storage
    ) -> None:
        """Neither age nor number alone is enough."""
        catalogue = Catalogue([])
        recent = NOON + KEPT_FOR
        days = [NOON - timedelta(days=1), NOON, *(recent for _ in range(PUBLICATIONS_KEPT - 2))]
        for day in days:
            keep_catalogue(storage, catalogue, at=day)

        kept = []
        for day in (recent, recent, recent + timedelta(microseconds=1)):
            keep_catalogue(storage, catalogue, at=day)
            kept.append(
                [publication.published_at for publication in storage.catalogue.history()[::-1]][:2]
            )

        assert kept == [[NOON, recent], [NOON, recent], [recent, recent]]

    @pytest.mark.parametrize("replacing", [None, "0123456789abcdef"], ids=["none", "another"])
    def test_a_replacement_of_another_version_is_refused(
        self, storage: Storage, replacing: str | None
    ) -> None:
        """Neither the served catalogue nor the history changes."""
        served, other = a_catalogue(an_entry("served")), a_catalogue(an_entry("other"))
        keep_catalogue(storage, served)
        before = storage.catalogue.history()

        assert not publish(storage, a_publication(other), other, replacing)

        assert_serves(storage, served)
        assert storage.catalogue.history() == before
        assert storage.catalogue.load(other.version) is None
        assert storage.catalogue.load("") is None

    @pytest.mark.parametrize("is_first", [True, False], ids=["the first", "a later one"])
    def test_one_of_several_concurrent_replacements_succeeds(
        self, storage: Storage, is_first: bool
    ) -> None:
        """Its catalogue is complete, and the others get an error."""
        if not is_first:
            keep_catalogue(storage, a_catalogue())
        replaced = served_version(storage)
        catalogues = [a_large_catalogue(name) for name in "abcdef"]

        published = at_once(
            len(catalogues),
            lambda number: publish(
                storage, a_publication(catalogues[number]), catalogues[number], replaced
            ),
        )

        served = catalogues[published.index(True)]
        assert sorted(published) == [False] * 5 + [True]
        assert_serves(storage, served)
        assert storage.catalogue.history()[0].version == served.version
        assert len(storage.catalogue.history()) == (1 if is_first else 2)

    def test_a_map_is_replaced_as_a_whole_and_removed(self, storage: Storage) -> None:
        """Each change is another publication to readers; catalogues share the map."""
        keep_catalogue(storage, a_catalogue(an_entry("first")))
        assert storage.catalogue.loaded_map() is None
        ids = [storage.catalogue.publication_id()]
        largest = SnomedMap(None, {10**18 - 1: (("M17.0", ""), ("I10",)), 2: ((),)})

        for loaded in (a_map("M17"), LoadedMap(largest, NOON, "Zoë"), None, a_map("M17")):
            with storage.changes(OPERATOR, NOON) as changes:
                changes.catalogue.replace_map(loaded)

            assert storage.catalogue.loaded_map() == loaded
            ids.append(storage.catalogue.publication_id())

        assert len({*ids}) == len(ids)
        keep_catalogue(storage, a_catalogue(an_entry("second")))
        assert storage.catalogue.loaded_map() == a_map("M17")


class CatalogueFilesContract(Contract):
    port = CatalogueFiles

    def test_what_is_written_reads_back_the_same(
        self, instance: CatalogueFiles, tmp_path: Path
    ) -> None:
        """Every module, phase and reference field is the same, and the version too."""
        catalogue = a_catalogue(
            an_entry(interventions=interventions_of_every_kind()),
            an_entry("asthma", name="Asthma: “no” # severe"),
        )

        instance.write(catalogue, tmp_path / "new")

        read = instance.read([tmp_path / "new"])
        assert read.entries == catalogue.entries
        assert read.version == catalogue.version

    def test_what_is_not_read_is_named(self, instance: CatalogueFiles, tmp_path: Path) -> None:
        """No skipped file is omitted; written files are read."""
        instance.write(a_catalogue(an_entry("asthma")), tmp_path)
        assert instance.not_read([tmp_path]) == ()

        (tmp_path / "notes.docx").write_text("To whom it may concern")

        (name,) = instance.not_read([tmp_path])
        assert "notes.docx" in name
        instance.read([tmp_path])

    def test_a_path_that_is_not_there_is_a_fault(
        self, instance: CatalogueFiles, tmp_path: Path
    ) -> None:
        """The error names the path."""
        with pytest.raises(InvalidCatalogueError) as caught:
            instance.read([tmp_path / "missing"])

        assert any("missing" in str(fault) for fault in caught.value.faults)

    def test_no_file_at_all_is_a_fault(self, instance: CatalogueFiles, tmp_path: Path) -> None:
        """An empty folder is not an empty catalogue."""
        with pytest.raises(InvalidCatalogueError):
            instance.read([tmp_path])

    def test_a_folder_that_is_not_empty_is_left_as_it_is(
        self, instance: CatalogueFiles, tmp_path: Path
    ) -> None:
        """Reading the folder back would mix them in."""
        instance.write(a_catalogue(an_entry("asthma")), tmp_path)
        before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}

        with pytest.raises(InvalidCatalogueError):
            instance.write(a_catalogue(an_entry("migraine")), tmp_path)

        assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
