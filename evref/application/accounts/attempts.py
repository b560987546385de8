"""Count attempts with a secret, so that guesses are slowed down."""

from collections.abc import Mapping
from datetime import datetime, timedelta

from evref.domain.accounts.sign_in import Failures, Slowdown
from evref.domain.errors import TooManyAttemptsError
from evref.ports.accounts.sign_in_attempts import SignInAttempts


def count_attempt(
    attempts: SignInAttempts, instant: datetime, slowdowns: Mapping[str, Slowdown]
) -> None:
    """Count an attempt as failed under each of these names, before it is checked.

    So concurrent attempts count against each other.

    Raises:
        TooManyAttemptsError: If it is too soon after failed ones; the attempt is not counted.

    """

    def count(before: Mapping[str, Failures]) -> Mapping[str, Failures]:
        wait = max(slowdown.wait(before[name], instant) for name, slowdown in slowdowns.items())
        if wait:
            raise TooManyAttemptsError(-(-wait // timedelta(seconds=1)))
        return {name: failures.one_more(instant) for name, failures in before.items()}

    attempts.change(tuple(slowdowns), count)
