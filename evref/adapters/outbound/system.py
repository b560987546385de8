"""The machine's own clock and randomness, and argon2id from argon2-cffi."""

import secrets
import time
from datetime import UTC, datetime

import argon2

from evref.ports import clock, passwords, randomness


class SystemClock(clock.Clock):
    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()


class SystemRandomness(randomness.Randomness):
    def below(self, bound: int) -> int:
        return secrets.randbelow(bound)


class Argon2PasswordHasher(passwords.PasswordHasher):
    """Hashes with the parameters of RFC 9106, section 4, that argon2-cffi recommends."""

    def __init__(self) -> None:
        self._hasher = argon2.PasswordHasher()

    def hash(self, password: str) -> str:
        return self._hasher.hash(password)

    def verify(self, password: str, password_hash: str) -> bool:
        try:
            return self._hasher.verify(password_hash, password)
        except (argon2.exceptions.VerificationError, argon2.exceptions.InvalidHashError):
            return False
