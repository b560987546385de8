"""The contract of the port `SharedSecrets`."""

from evref.ports.storage import Storage
from evref.testing.filling import at_once


class SharedSecretsContract:
    def test_the_first_candidate_is_kept(self, storage: Storage) -> None:
        """Later candidates are ignored. Each name has a secret of its own."""
        assert storage.secrets.keep("cookies", "first") == "first"
        assert storage.secrets.keep("cookies", "second") == "first"
        assert storage.secrets.keep("other", "two") == "two"

    def test_all_who_ask_at_once_are_given_the_same(self, storage: Storage) -> None:
        """All callers get the same candidate."""
        secrets = set(at_once(8, lambda number: storage.secrets.keep("cookies", str(number))))

        assert len(secrets) == 1
        assert secrets <= {str(number) for number in range(8)}
