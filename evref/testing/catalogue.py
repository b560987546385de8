"""The contract of the port `CatalogueStore`."""

from datetime import timedelta
from threading import Event

from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.catalogue.diagnosis import Module
from evref.domain.catalogue.intervention import Phase
from evref.ports.catalogue import CatalogueStore, Publication
from evref.testing.builders import NOON, a_catalogue, a_reference, an_entry, an_intervention
from evref.testing.contract import Contract
from evref.testing.stores import Stores, at_once


def a_large_catalogue(name: str, size: int = 20) -> Catalogue:
    return a_catalogue(*(an_entry(f"{name}-{number}", name=name) for number in range(size)))


class CatalogueStoreContract(Contract):
    port = CatalogueStore

    def test_the_store_is_the_adapter(self, stores: Stores) -> None:
        """The tests ask the adapter that this contract names."""
        assert type(stores.catalogue) is self.adapter

    def test_at_first_there_is_no_catalogue(self, stores: Stores) -> None:
        """Neither a version nor anything to load."""
        assert stores.catalogue.version() is None
        assert stores.catalogue.load() is None

    def test_a_catalogue_comes_back_as_it_was_published(self, stores: Stores) -> None:
        """Every field of every entry, in order, and when it was published."""
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
        published_at = NOON + timedelta(microseconds=5)

        stores.catalogue.publish(Publication(catalogue, published_at))

        loaded = stores.catalogue.load()
        assert loaded is not None
        assert loaded.catalogue.entries == catalogue.entries
        assert loaded.published_at == published_at
        assert stores.catalogue.version() == loaded.catalogue.version == catalogue.version

    def test_a_catalogue_may_be_empty(self, stores: Stores) -> None:
        """It is published all the same: that is not the same as none."""
        empty = Catalogue([])

        stores.catalogue.publish(Publication(empty, NOON))

        loaded = stores.catalogue.load()
        assert loaded is not None
        assert loaded.catalogue.entries == ()
        assert stores.catalogue.version() == empty.version

    def test_publishing_replaces_the_whole_catalogue(self, stores: Stores) -> None:
        """Nothing of the one before is left, whether it is in the new one or not."""
        before = a_catalogue(an_entry("asthma", name="Asthma"), an_entry("migraine", name="Old"))
        after = a_catalogue(an_entry("migraine", name="New"), an_entry("obesity", name="Obesity"))
        stores.catalogue.publish(Publication(before, NOON))

        stores.catalogue.publish(Publication(after, NOON + timedelta(days=1)))

        loaded = stores.catalogue.load()
        assert loaded is not None
        assert loaded.catalogue.entries == after.entries
        assert loaded.published_at == NOON + timedelta(days=1)
        assert stores.catalogue.version() == after.version

    def test_the_same_catalogue_can_be_published_again(self, stores: Stores) -> None:
        """It keeps its version and is as whole as before."""
        catalogue = a_large_catalogue("same")
        stores.catalogue.publish(Publication(catalogue, NOON))

        stores.catalogue.publish(Publication(a_large_catalogue("same"), NOON + timedelta(days=1)))

        loaded = stores.catalogue.load()
        assert loaded is not None
        assert loaded.catalogue.entries == catalogue.entries
        assert loaded.published_at == NOON + timedelta(days=1)

    def test_of_several_that_are_to_be_the_first_one_is(self, stores: Stores) -> None:
        """And those that are not know it."""
        catalogues = [a_large_catalogue(name) for name in "abcdef"]

        published = at_once(
            len(catalogues),
            lambda number: stores.catalogue.publish_first(Publication(catalogues[number], NOON)),
        )

        loaded = stores.catalogue.load()
        assert sorted(published) == [False] * 5 + [True]
        assert loaded is not None
        assert loaded.catalogue.entries == catalogues[published.index(True)].entries
        assert stores.catalogue.version() == catalogues[published.index(True)].version

    def test_a_first_catalogue_takes_the_place_of_no_other(self, stores: Stores) -> None:
        """Not even of an empty one."""
        stores.catalogue.publish(Publication(Catalogue([]), NOON))

        assert not stores.catalogue.publish_first(Publication(a_large_catalogue("a"), NOON))
        assert stores.catalogue.version() == Catalogue([]).version

    def test_readers_never_see_a_mixture(self, stores: Stores) -> None:
        """While catalogues are being published, each one that is loaded is whole."""
        catalogues = [a_large_catalogue("a"), a_large_catalogue("b", size=7)]
        whole = {catalogue.version: catalogue.entries for catalogue in catalogues}
        stores.catalogue.publish(Publication(catalogues[0], NOON))
        done = Event()

        def act(number: int) -> list[Publication | None]:
            if number > 0:
                loaded = [stores.catalogue.load()]
                while not done.is_set():
                    loaded.append(stores.catalogue.load())
                return loaded
            try:
                for turn in range(1, 12):
                    stores.catalogue.publish(Publication(catalogues[turn % 2], NOON))
            finally:
                done.set()
            return []

        loaded = [publication for several in at_once(3, act) for publication in several]

        for publication in loaded:
            assert publication is not None
            assert publication.catalogue.entries == whole[publication.catalogue.version]

    def test_of_several_published_at_once_one_is_left_whole(self, stores: Stores) -> None:
        """Which one is not said."""
        catalogues = [a_large_catalogue(name) for name in "abcdef"]

        at_once(
            len(catalogues),
            lambda number: stores.catalogue.publish(Publication(catalogues[number], NOON)),
        )

        loaded = stores.catalogue.load()
        assert loaded is not None
        assert loaded.catalogue.entries in [catalogue.entries for catalogue in catalogues]
        assert Catalogue(loaded.catalogue.entries).version == stores.catalogue.version()
