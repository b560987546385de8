"""The machine's own adapters keep to their contracts."""

from evref.adapters.outbound.system import (
    Argon2PasswordHasher,
    SystemClock,
    SystemRandomness,
    ZxcvbnPasswordGuesser,
)
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


class TestZxcvbnPasswordGuesser(PasswordGuesserContract):
    adapter = ZxcvbnPasswordGuesser
