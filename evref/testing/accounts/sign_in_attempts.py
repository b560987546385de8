"""The contract of the port `SignInAttempts`."""

from collections.abc import Mapping
from datetime import timedelta

import pytest

from evref.domain.accounts.slowdown import Failures
from evref.domain.errors import TooManyAttemptsError
from evref.ports.storage import Storage
from evref.testing.builders import NOON
from evref.testing.filling import at_once


def failures_of(storage: Storage, *names: str) -> dict[str, Failures]:
    return dict(storage.sign_in_attempts.get(names))


def keep(storage: Storage, **failures: Failures) -> None:
    storage.sign_in_attempts.change(failures, lambda _before: failures)


class SignInAttemptsContract:
    def test_a_name_that_is_new_has_no_failures(self, storage: Storage) -> None:
        """The result has every requested name."""
        assert failures_of(storage, "a", "b") == {"a": Failures(), "b": Failures()}

    def test_failures_come_back_as_they_were_kept(self, storage: Storage) -> None:
        """Each name has its own failures, with times to the microsecond."""
        last = NOON + timedelta(microseconds=7)
        keep(storage, a=Failures(3, NOON), b=Failures(1, last))
        keep(storage, a=Failures(4, last))

        assert failures_of(storage, "b", "a") == {"a": Failures(4, last), "b": Failures(1, last)}

    def test_failures_can_be_forgiven(self, storage: Storage) -> None:
        """The failures of another name stay."""
        keep(storage, a=Failures(3, NOON), b=Failures(2, NOON))

        keep(storage, a=Failures())

        assert failures_of(storage, "a", "b") == {"a": Failures(), "b": Failures(2, NOON)}

    def test_nothing_changes_when_the_change_is_refused(self, storage: Storage) -> None:
        """The exception is passed on."""

        def refuse(_before: Mapping[str, Failures]) -> Mapping[str, Failures]:
            raise TooManyAttemptsError(5)

        keep(storage, a=Failures(3, NOON))

        with pytest.raises(TooManyAttemptsError):
            storage.sign_in_attempts.change(("a", "b"), refuse)

        assert failures_of(storage, "a", "b") == {"a": Failures(3, NOON), "b": Failures()}

    @pytest.mark.parametrize("begun", [True, False])
    def test_no_attempt_is_lost_among_many_at_once(self, storage: Storage, begun: bool) -> None:
        """This holds with and without stored failures, and for any order of names."""
        if begun:
            keep(storage, a=Failures(1, NOON), b=Failures(1, NOON))

        def count(number: int) -> None:
            storage.sign_in_attempts.change(
                ("a", "b") if number % 2 else ("b", "a"),
                lambda before: {
                    name: Failures(failures.count + 1, NOON) for name, failures in before.items()
                },
            )

        at_once(12, count)

        expected = Failures(12 + begun, NOON)
        assert failures_of(storage, "a", "b") == {"a": expected, "b": expected}

    def test_old_failures_of_a_kind_are_removed_and_later_ones_kept(self, storage: Storage) -> None:
        """A failure exactly at the given time is not older. Those of another kind stay."""
        earlier, later = (NOON + timedelta(seconds=seconds) for seconds in (-1, 1))
        kept = {
            "a:2": Failures(2, NOON),
            "a:3": Failures(1, later),
            "ab:1": Failures(9, earlier),
        }
        keep(storage, **kept, **{"a:1": Failures(9, earlier)})

        storage.sign_in_attempts.remove_older("a", NOON)

        assert failures_of(storage, "a:1", *kept) == {"a:1": Failures(), **kept}
