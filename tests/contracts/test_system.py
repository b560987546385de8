"""The machine's own adapters keep to their contracts."""

import subprocess
import sys

import pytest

from evref.adapters.outbound.system import (
    Argon2PasswordHasher,
    SystemClock,
    SystemRandomness,
    ZxcvbnPasswordGuesser,
)
from evref.domain.errors import BusyError
from evref.testing import (
    ClockContract,
    PasswordGuesserContract,
    PasswordHasherContract,
    RandomnessContract,
)


class TestSystemClock(ClockContract):
    adapter = SystemClock


class TestSystemRandomness(RandomnessContract):
    adapter = SystemRandomness


class TestArgon2PasswordHasher(PasswordHasherContract):
    adapter = Argon2PasswordHasher

    def test_where_no_more_may_run_the_others_are_refused(self) -> None:
        """Hashing and verifying alike."""
        passwords = Argon2PasswordHasher(at_once=0, wait_seconds=0)

        with pytest.raises(BusyError):
            passwords.hash("password")
        with pytest.raises(BusyError):
            passwords.verify("password", None)

    def test_a_call_that_failed_leaves_room_for_the_next(self) -> None:
        """Also one that raised something unforeseen."""
        passwords = Argon2PasswordHasher(at_once=1, wait_seconds=0)

        for _ in range(3):
            assert not passwords.verify("password", "no hash")
            with pytest.raises(AttributeError):
                passwords.hash(None)  # type: ignore[arg-type]
        assert passwords.hash("password")

    def test_however_many_sign_in_at_once_two_take_memory(self) -> None:
        """Sixteen threads, of which each would take 64 MiB."""
        said = subprocess.run(
            [sys.executable, "-c", _SIXTEEN_AT_ONCE], check=True, capture_output=True, text=True
        ).stdout

        assert 64 <= int(said) < 4 * 64


_SIXTEEN_AT_ONCE = """
import re
from pathlib import Path

from evref.adapters.outbound.system import Argon2PasswordHasher
from evref.testing.stores import at_once

def mebibytes():
    return int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) // 1024

passwords = Argon2PasswordHasher(wait_seconds=600)
before = mebibytes()
at_once(16, lambda _: passwords.verify("password", None))
print(mebibytes() - before)
"""


class TestZxcvbnPasswordGuesser(PasswordGuesserContract):
    adapter = ZxcvbnPasswordGuesser
