"""The contract of the port `SharedSecrets`."""

from evref.ports.accounts.secrets import SharedSecrets
from evref.testing.contract import Contract
from evref.testing.stores import Stores, at_once


class SharedSecretsContract(Contract):
    port = SharedSecrets

    def test_the_store_is_the_adapter(self, stores: Stores) -> None:
        """The tests use the adapter of this contract."""
        assert type(stores.secrets) is self.adapter

    def test_the_first_candidate_is_kept(self, stores: Stores) -> None:
        """Later candidates are ignored."""
        assert stores.secrets.keep("cookies", "first") == "first"
        assert stores.secrets.keep("cookies", "second") == "first"

    def test_each_name_has_a_secret_of_its_own(self, stores: Stores) -> None:
        """A secret under one name does not affect another name."""
        stores.secrets.keep("cookies", "one")

        assert stores.secrets.keep("other", "two") == "two"

    def test_all_who_ask_at_once_are_given_the_same(self, stores: Stores) -> None:
        """All callers get the same candidate."""
        given = set(at_once(8, lambda number: stores.secrets.keep("cookies", str(number))))

        assert len(given) == 1
        assert given <= {str(number) for number in range(8)}
