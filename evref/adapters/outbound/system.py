"""The machine's own clock and randomness; argon2id from argon2-cffi, guesses from zxcvbn."""

import base64
import secrets
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from threading import Semaphore

import argon2
from zxcvbn_rs_py import zxcvbn

from evref.domain.errors import BusyError
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
    """Hashes with the parameters of RFC 9106, section 4, that argon2-cffi recommends.

    Each call takes 64 MiB and some 50 ms of all cores. `at_once` calls run at the same time; the
    others wait for `wait_seconds` at most.
    """

    def __init__(self, *, at_once: int = 2, wait_seconds: float = 1.0) -> None:
        self._hasher = argon2.PasswordHasher()
        self._nobodys = _hash_of_no_password(self._hasher)
        self._slots = Semaphore(at_once)
        self._wait_seconds = wait_seconds

    def hash(self, password: str) -> str:
        with self._slot():
            return self._hasher.hash(password)

    def verify(self, password: str, password_hash: str | None) -> bool:
        known = self._nobodys if password_hash is None else password_hash
        with self._slot():
            try:
                return self._hasher.verify(known, password)
            except (argon2.exceptions.VerificationError, argon2.exceptions.InvalidHashError):
                return False

    @contextmanager
    def _slot(self) -> Iterator[None]:
        if not self._slots.acquire(timeout=self._wait_seconds):
            raise BusyError
        try:
            yield
        finally:
            self._slots.release()


class ZxcvbnPasswordGuesser(passwords.PasswordGuesser):
    """Guesses as zxcvbn does, which has lists of words, names and leaked passwords with it."""

    _MILLION = 6.0

    def soon_tries(self, password: str, known_words: Collection[str]) -> bool:
        text, *words = (
            # What is no text, as Python reads it from a terminal, is not for a library in Rust.
            each.encode(errors="replace").decode()
            for each in (password, *known_words)
        )
        return zxcvbn(text, words).guesses_log10 < self._MILLION


def _hash_of_no_password(hasher: argon2.PasswordHasher) -> str:
    """A hash that no known password has, and that takes as long to verify as this one's own."""
    parameters = f"m={hasher.memory_cost},t={hasher.time_cost},p={hasher.parallelism}"
    salt, zeros = (
        base64.b64encode(bytes(length)).decode().rstrip("=")
        for length in (hasher.salt_len, hasher.hash_len)
    )
    return f"$argon2id$v={argon2.low_level.ARGON2_VERSION}${parameters}${salt}${zeros}"
