"""What takes its time, and so is part of `make hostile` alone."""

from __future__ import annotations

import time
from statistics import median

import pytest
from dependency_injector import providers

from evref.bootstrap.container import Container
from evref.bootstrap.settings import Settings, StorageKind
from evref.domain.errors import WrongCredentialsError
from evref.testing.builders import NOON, OPERATOR
from tests.fakes import FakeClock


def test_the_time_of_a_refusal_does_not_tell_who_has_an_account() -> None:
    """Of forty pairs, neither is the slower one more often than chance would have it."""
    container, clock = Container(settings=Settings(storage=StorageKind.MEMORY)), FakeClock(NOON)
    container.clock.override(providers.Object(clock))
    manage = container.manage_institutions()
    hospital = manage.create_institution(OPERATOR, "Hospital")
    manage.create_member(
        OPERATOR,
        hospital.id,
        "known-00@example.org",
        password="correct horse battery",
    )

    def seconds(email: str, number: int) -> float:
        # Each from an address of its own on a day of its own: none is slowed.
        clock.advance(seconds=86400)
        begin = time.perf_counter()
        with pytest.raises(WrongCredentialsError):
            container.sign_in().begin(email, "a wrong password", address=f"192.0.2.{number}")
        return time.perf_counter() - begin

    pairs = [
        (seconds("known-00@example.org", number), seconds("nobody00@example.org", number))
        for number in range(40)
    ]

    # Chance alone is outside of this once in a million runs.
    assert 5 < sum(known > unknown for known, unknown in pairs) < 35
    known, unknown = (median(times) for times in zip(*pairs, strict=True))
    assert 0.8 < known / unknown < 1.25
