"""The contract of the port `SharedSecrets`."""

from evref.ports.storage import Storage
from evref.testing.filling import at_once


class SharedSecretsContract:
    def test_the_first_candidate_is_kept(self, storage: Storage) -> None:
        """Later candidates are ignored."""
        assert storage.secrets.keep("cookies", "first") == "first"
        assert storage.secrets.keep("cookies", "second") == "first"

    def test_each_name_has_a_secret_of_its_own(self, storage: Storage) -> None:
        """A secret under one name does not affect another name."""
        storage.secrets.keep("cookies", "one")

        assert storage.secrets.keep("other", "two") == "two"

    def test_all_who_ask_at_once_are_given_the_same(self, storage: Storage) -> None:
        """All callers get the same candidate."""
        given = set(at_once(8, lambda number: storage.secrets.keep("cookies", str(number))))

        assert len(given) == 1
        assert given <= {str(number) for number in range(8)}
