"""The contracts of the ports `StorageHealth`, `StorageSchema` and `StorageConnections`."""

from evref.ports.storage import StorageConnections, StorageHealth, StorageSchema
from evref.testing.builders import a_key
from evref.testing.contract import Contract
from evref.testing.stores import Stores, at_once, keep_institutions, keep_key


class StorageHealthContract(Contract):
    port = StorageHealth

    def test_the_health_is_the_adapters(self, stores: Stores) -> None:
        """The tests use the adapter of this contract."""
        assert type(stores.health) is self.adapter

    def test_a_prepared_storage_takes_writes(self, stores: Stores) -> None:
        """The check does not raise."""
        stores.health.ping()

    def test_asking_for_a_write_writes_nothing(self, stores: Stores) -> None:
        """The storage is still empty after the check."""
        stores.health.ping()

        assert stores.institutions.list() == ()
        assert stores.catalogue.version() is None


class StorageSchemaContract(Contract):
    port = StorageSchema

    def test_the_schema_is_the_adapters(self, stores: Stores) -> None:
        """The tests use the adapter of this contract."""
        assert type(stores.schema) is self.adapter

    def test_a_prepared_storage_is_ready(self, stores: Stores) -> None:
        """The verification does not raise."""
        stores.schema.verify()

    def test_preparing_again_keeps_all_data(self, stores: Stores) -> None:
        """This also holds for concurrent preparations."""
        keep_institutions(stores, "i1")
        keep_key(stores, a_key())

        at_once(4, lambda _: stores.schema.prepare())

        assert stores.keys.list() == (a_key(),)


class StorageConnectionsContract(Contract):
    port = StorageConnections

    def test_the_connections_are_the_adapters(self, stores: Stores) -> None:
        """The tests use the adapter of this contract."""
        assert type(stores.connections) is self.adapter

    def test_what_was_closed_comes_back_on_demand(self, stores: Stores) -> None:
        """Closing loses no data, and may be repeated."""
        keep_institutions(stores, "i1")

        stores.connections.close()
        stores.connections.close()

        assert [institution.id for institution in stores.institutions.list()] == ["i1"]
        stores.health.ping()
