"""Contract tests of the adapters for files, the clock, randomness and passwords."""

import subprocess
import sys

from evref.adapters.outbound.files import YamlCatalogueFiles
from evref.adapters.outbound.system import (
    Argon2PasswordHasher,
    SystemClock,
    SystemRandomness,
    ZxcvbnPasswordGuesser,
)
from evref.testing import (
    CatalogueFilesContract,
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

    def test_concurrent_hashes_take_the_memory_of_one(self) -> None:
        """Each of the four threads would take 64 MiB if they did not hash in turn."""
        printed = subprocess.run(
            [sys.executable, "-c", _FOUR_AT_ONCE], check=True, capture_output=True, text=True
        ).stdout

        assert 64 <= int(printed) < 2 * 64


_FOUR_AT_ONCE = """
import re
from pathlib import Path

from evref.adapters.outbound.system import Argon2PasswordHasher
from evref.testing.filling import at_once

def mebibytes():
    return int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) // 1024

passwords = Argon2PasswordHasher()
before = mebibytes()
at_once(4, lambda _: passwords.verify("password", None))
print(mebibytes() - before)
"""


class TestZxcvbnPasswordGuesser(PasswordGuesserContract):
    adapter = ZxcvbnPasswordGuesser


class TestYamlCatalogueFiles(CatalogueFilesContract):
    adapter = YamlCatalogueFiles
