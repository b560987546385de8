"""The contract of the port `Storage`."""

from evref.ports.storage import Storage
from evref.testing.builders import a_key
from evref.testing.contract import Contract
from evref.testing.stores import Stores, at_once, keep_institutions, keep_key


class StorageContract(Contract):
    port = Storage

    def test_the_storage_is_the_adapter(self, stores: Stores) -> None:
        """The tests ask the adapter that this contract names."""
        assert type(stores.storage) is self.adapter

    def test_a_prepared_storage_is_ready_and_takes_writes(self, stores: Stores) -> None:
        """Neither looking at it raises."""
        stores.storage.verify()
        stores.storage.ping()

    def test_preparing_again_keeps_all_data(self, stores: Stores) -> None:
        """Also when several do so at once."""
        keep_institutions(stores, "i1")
        keep_key(stores, a_key())

        at_once(4, lambda _: stores.storage.prepare())

        assert stores.keys.list() == (a_key(),)

    def test_asking_for_a_write_writes_nothing(self, stores: Stores) -> None:
        """A storage that was watched is still empty."""
        stores.storage.ping()

        assert stores.institutions.list() == ()
        assert stores.catalogue.version() is None

    def test_what_was_closed_comes_back_on_demand(self, stores: Stores) -> None:
        """Closing loses nothing, and may be repeated."""
        keep_institutions(stores, "i1")

        stores.storage.close()
        stores.storage.close()

        assert [institution.id for institution in stores.institutions.list()] == ["i1"]
        stores.storage.ping()
