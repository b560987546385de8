"""The contracts of the ports `PublishedCatalogue` and `CatalogueStore`."""

from collections.abc import Callable
from datetime import timedelta
from threading import Event

import pytest

from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.catalogue.diagnosis import Module
from evref.domain.catalogue.intervention import Phase
from evref.domain.errors import CatalogueReplacedError
from evref.ports.catalogue.store import (
    PUBLICATIONS_KEPT,
    CatalogueStore,
    Publication,
    PublishedCatalogue,
)
from evref.testing.builders import (
    NOON,
    a_catalogue,
    a_publication,
    a_publication_entry,
    a_reference,
    an_entry,
    an_intervention,
)
from evref.testing.contract import Contract
from evref.testing.stores import Stores, at_once, keep_catalogue


def a_large_catalogue(name: str, size: int = 20) -> Catalogue:
    return a_catalogue(*(an_entry(f"{name}-{number}", name=name) for number in range(size)))


def is_published(publish: Callable[[], None]) -> bool:
    """Return whether the publication succeeds; False if another one came first."""
    try:
        publish()
    except CatalogueReplacedError:
        return False
    return True


class PublishedCatalogueContract(Contract):
    port = PublishedCatalogue

    def test_the_store_is_the_adapter(self, stores: Stores) -> None:
        """The tests use the adapter of this contract."""
        assert type(stores.catalogue) is self.adapter

    def test_at_first_there_is_no_catalogue(self, stores: Stores) -> None:
        """There is neither a version nor a catalogue to load."""
        assert stores.catalogue.version() is None
        assert stores.catalogue.load() is None

    def test_a_catalogue_comes_back_as_it_was_published(self, stores: Stores) -> None:
        """Every field of every entry is the same, in the same order."""
        every_kind = [
            an_intervention(
                f"knee-osteoarthritis-{number}",
                module=module,
                phase=list(Phase)[number % 3],
                references=[
                    a_reference(doi=None, pmid="31908163"),
                    a_reference(doi=None, url="https://example.org/ä?b=c&d=%20"),
                ],
            )
            for number, module in enumerate(Module)
        ]
        catalogue = a_catalogue(
            an_entry(interventions=every_kind),
            an_entry("asthma", name="Asthma, “severe”", interventions=[], modules=[]),
        )

        keep_catalogue(stores.catalogue, catalogue)

        loaded = stores.catalogue.load()
        assert loaded is not None
        assert loaded.entries == catalogue.entries
        assert stores.catalogue.version() == loaded.version == catalogue.version

    def test_a_catalogue_may_be_empty(self, stores: Stores) -> None:
        """An empty catalogue is still published; it differs from no catalogue."""
        empty = Catalogue([])

        keep_catalogue(stores.catalogue, empty)

        loaded = stores.catalogue.load()
        assert loaded is not None
        assert loaded.entries == ()
        assert stores.catalogue.version() == empty.version

    def test_publishing_replaces_the_whole_catalogue(self, stores: Stores) -> None:
        """Only the new catalogue's entries are left."""
        before = a_catalogue(an_entry("asthma", name="Asthma"), an_entry("migraine", name="Old"))
        after = a_catalogue(an_entry("migraine", name="New"), an_entry("obesity", name="Obesity"))
        keep_catalogue(stores.catalogue, before)
        held = stores.catalogue.load()

        keep_catalogue(stores.catalogue, after)

        loaded = stores.catalogue.load()
        assert held is not None
        assert held.entries == before.entries
        assert loaded is not None
        assert loaded.entries == after.entries
        assert stores.catalogue.version() == after.version

    def test_readers_never_see_a_mixture(self, stores: Stores) -> None:
        """During publications, each loaded catalogue is complete."""
        catalogues = [a_large_catalogue("a"), a_large_catalogue("b", size=7)]
        whole = {catalogue.version: catalogue.entries for catalogue in catalogues}
        keep_catalogue(stores.catalogue, catalogues[0])
        done = Event()

        def act(number: int) -> list[Catalogue | None]:
            if number > 0:
                loaded = [stores.catalogue.load()]
                while not done.is_set():
                    loaded.append(stores.catalogue.load())
                return loaded
            try:
                for turn in range(1, 12):
                    keep_catalogue(stores.catalogue, catalogues[turn % 2])
            finally:
                done.set()
            return []

        loaded = [catalogue for several in at_once(3, act) for catalogue in several]

        for catalogue in loaded:
            assert catalogue is not None
            assert catalogue.entries == whole[catalogue.version]


class CatalogueStoreContract(Contract):
    port = CatalogueStore

    def test_at_first_there_is_no_history(self, stores: Stores) -> None:
        """There is no version to load either."""
        assert stores.catalogue.history() == ()
        assert stores.catalogue.load_version(a_catalogue().version) is None

    def test_a_publication_comes_back_as_it_was_made(self, stores: Stores) -> None:
        """Every field is the same, for any publisher."""
        first, second = a_catalogue(an_entry("asthma")), a_catalogue(an_entry("migraine"))
        by_nobody = a_publication(first, by=None, is_bundled=True)
        by_somebody = Publication(
            version=second.version,
            published_at=NOON + timedelta(microseconds=5),
            published_by="Zoë “root”",
            is_bundled=False,
            added=1,
            changed=2,
            removed=3,
        )

        stores.catalogue.publish(first, by_nobody, a_publication_entry(first), replacing=None)
        stores.catalogue.publish(
            second, by_somebody, a_publication_entry(second), replacing=first.version
        )

        assert stores.catalogue.history() == (by_somebody, by_nobody)

    def test_the_same_catalogue_can_be_published_again(self, stores: Stores) -> None:
        """It keeps its version and content, and is in the history twice."""
        catalogue = a_large_catalogue("same")
        keep_catalogue(stores.catalogue, catalogue)

        keep_catalogue(stores.catalogue, a_large_catalogue("same"), at=NOON + timedelta(days=1))

        loaded = stores.catalogue.load()
        assert loaded is not None
        assert loaded.entries == catalogue.entries
        assert [each.published_at for each in stores.catalogue.history()] == [
            NOON + timedelta(days=1),
            NOON,
        ]

    def test_an_earlier_catalogue_is_as_whole_as_it_was(self, stores: Stores) -> None:
        """Shared documents and repeated publication do not change it."""
        same = an_entry("same")
        catalogues = [
            a_catalogue(same, an_entry("gone")),
            a_catalogue(same, an_entry("changed")),
            a_catalogue(same, an_entry("changed", name="Changed")),
            Catalogue([]),
        ]
        for catalogue in [*catalogues, catalogues[1]]:
            keep_catalogue(stores.catalogue, catalogue)

        for catalogue in catalogues:
            loaded = stores.catalogue.load_version(catalogue.version)
            assert loaded is not None
            assert loaded.entries == catalogue.entries
            assert loaded.version == catalogue.version

    def test_the_newest_publications_are_kept(self, stores: Stores) -> None:
        """The history is limited, and the newest publication comes first."""
        catalogues = [
            a_catalogue(an_entry("same"), an_entry(f"only-{number}"))
            for number in range(PUBLICATIONS_KEPT + 3)
        ]
        for number, catalogue in enumerate(catalogues):
            keep_catalogue(stores.catalogue, catalogue, at=NOON + timedelta(days=number))

        kept = catalogues[3:]
        assert [each.version for each in stores.catalogue.history()] == [
            catalogue.version for catalogue in reversed(kept)
        ]
        for catalogue in catalogues[:3]:
            assert stores.catalogue.load_version(catalogue.version) is None
        for catalogue in kept:
            loaded = stores.catalogue.load_version(catalogue.version)
            assert loaded is not None
            assert loaded.entries == catalogue.entries

    @pytest.mark.parametrize("replacing", [None, "0123456789abcdef"], ids=["none", "another"])
    def test_whoever_would_replace_another_one_is_refused(
        self, stores: Stores, replacing: str | None
    ) -> None:
        """Neither the served catalogue nor the history changes."""
        served, other = a_catalogue(an_entry("served")), a_catalogue(an_entry("other"))
        keep_catalogue(stores.catalogue, served)
        before = stores.catalogue.history()

        with pytest.raises(CatalogueReplacedError):
            stores.catalogue.publish(
                other, a_publication(other), a_publication_entry(other), replacing=replacing
            )

        loaded = stores.catalogue.load()
        assert loaded is not None
        assert loaded.entries == served.entries
        assert stores.catalogue.history() == before
        assert stores.catalogue.load_version(other.version) is None

    def test_a_version_cannot_be_replaced_where_there_is_none(self, stores: Stores) -> None:
        """Nothing is published."""
        catalogue = a_catalogue()

        with pytest.raises(CatalogueReplacedError):
            stores.catalogue.publish(
                catalogue,
                a_publication(catalogue),
                a_publication_entry(catalogue),
                replacing=catalogue.version,
            )

        assert stores.catalogue.version() is None
        assert stores.catalogue.history() == ()

    @pytest.mark.parametrize("is_first", [True, False], ids=["the first", "a later one"])
    def test_of_several_who_replace_the_same_one_at_once_one_does(
        self, stores: Stores, is_first: bool
    ) -> None:
        """Its catalogue is complete, and the others get an error."""
        if not is_first:
            keep_catalogue(stores.catalogue, a_catalogue())
        replaced = stores.catalogue.version()
        catalogues = [a_large_catalogue(name) for name in "abcdef"]

        published = at_once(
            len(catalogues),
            lambda number: is_published(
                lambda: stores.catalogue.publish(
                    catalogues[number],
                    a_publication(catalogues[number]),
                    a_publication_entry(catalogues[number]),
                    replacing=replaced,
                )
            ),
        )

        loaded = stores.catalogue.load()
        served = catalogues[published.index(True)]
        assert sorted(published) == [False] * 5 + [True]
        assert loaded is not None
        assert loaded.entries == served.entries
        assert stores.catalogue.history()[0].version == loaded.version == served.version
        assert len(stores.catalogue.history()) == (1 if is_first else 2)
