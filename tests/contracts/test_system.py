"""The machine's own adapters keep to their contracts."""

from evref.adapters.outbound.system import Argon2PasswordHasher, SystemClock, SystemRandomness
from evref.testing import ClockContract, PasswordHasherContract, RandomnessContract


class TestSystemClock(ClockContract):
    adapter = SystemClock


class TestSystemRandomness(RandomnessContract):
    adapter = SystemRandomness


class TestArgon2PasswordHasher(PasswordHasherContract):
    adapter = Argon2PasswordHasher
