"""The contract of the port `SignInAttempts`."""

from collections.abc import Mapping
from datetime import timedelta

import pytest

from evref.domain.accounts.sign_in import Failures
from evref.domain.errors import TooManyAttemptsError
from evref.ports.accounts.sign_in_attempts import SignInAttempts
from evref.testing.builders import NOON
from evref.testing.contract import Contract
from evref.testing.stores import Stores, at_once


def failures_of(stores: Stores, *names: str) -> dict[str, Failures]:
    return dict(stores.sign_in_attempts.get(names))


def keep(stores: Stores, **failures: Failures) -> None:
    stores.sign_in_attempts.change(failures, lambda _before: failures)


class SignInAttemptsContract(Contract):
    port = SignInAttempts

    def test_the_store_is_the_adapter(self, stores: Stores) -> None:
        """The tests use the adapter of this contract."""
        assert type(stores.sign_in_attempts) is self.adapter

    def test_a_name_that_is_new_has_no_failures(self, stores: Stores) -> None:
        """The result has every requested name."""
        assert failures_of(stores, "a", "b") == {"a": Failures(), "b": Failures()}

    def test_failures_come_back_as_they_were_kept(self, stores: Stores) -> None:
        """Each name has its own failures, with times to the microsecond."""
        last = NOON + timedelta(microseconds=7)
        keep(stores, a=Failures(3, NOON), b=Failures(1, last))
        keep(stores, a=Failures(4, last))

        assert failures_of(stores, "b", "a") == {"a": Failures(4, last), "b": Failures(1, last)}

    def test_failures_can_be_forgiven(self, stores: Stores) -> None:
        """The failures of another name stay."""
        keep(stores, a=Failures(3, NOON), b=Failures(2, NOON))

        keep(stores, a=Failures())

        assert failures_of(stores, "a", "b") == {"a": Failures(), "b": Failures(2, NOON)}

    def test_nothing_changes_when_the_change_is_refused(self, stores: Stores) -> None:
        """The exception is passed on."""

        def refuse(_before: Mapping[str, Failures]) -> Mapping[str, Failures]:
            raise TooManyAttemptsError(5)

        keep(stores, a=Failures(3, NOON))

        with pytest.raises(TooManyAttemptsError):
            stores.sign_in_attempts.change(("a", "b"), refuse)

        assert failures_of(stores, "a", "b") == {"a": Failures(3, NOON), "b": Failures()}

    @pytest.mark.parametrize("begun", [True, False])
    def test_no_attempt_is_lost_among_many_at_once(self, stores: Stores, begun: bool) -> None:
        """This holds with and without stored failures, and for any order of names."""
        if begun:
            keep(stores, a=Failures(1, NOON), b=Failures(1, NOON))

        def count(number: int) -> None:
            stores.sign_in_attempts.change(
                ("a", "b") if number % 2 else ("b", "a"),
                lambda before: {
                    name: Failures(each.count + 1, NOON) for name, each in before.items()
                },
            )

        at_once(12, count)

        expected = Failures(12 + begun, NOON)
        assert failures_of(stores, "a", "b") == {"a": expected, "b": expected}

    def test_old_failures_of_a_kind_are_removed_and_later_ones_kept(self, stores: Stores) -> None:
        """A failure exactly at the given time is not older. Those of another kind stay."""
        earlier, later = (NOON + timedelta(seconds=seconds) for seconds in (-1, 1))
        kept = {
            "a:2": Failures(2, NOON),
            "a:3": Failures(1, later),
            "ab:1": Failures(9, earlier),
        }
        keep(stores, **kept, **{"a:1": Failures(9, earlier)})

        stores.sign_in_attempts.remove_older("a", NOON)

        assert failures_of(stores, "a:1", *kept) == {"a:1": Failures(), **kept}
