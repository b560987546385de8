"""The system's clock and randomness, argon2id from argon2-cffi, and guesses from zxcvbn."""

import secrets
import time
from collections.abc import Collection
from datetime import UTC, datetime
from threading import Lock

import argon2
from zxcvbn_rs_py import zxcvbn

from evref.ports import accounts, system


class SystemClock(system.Clock):
    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()


class SystemRandomness(system.Randomness):
    def below(self, bound: int) -> int:
        return secrets.randbelow(bound)


class Argon2PasswordHasher(accounts.PasswordHasher):
    """Hashes with the parameters of RFC 9106, section 4: 64 MiB and about 50 ms on all cores."""

    # It takes as long to verify as every other hash with these parameters.
    _NOBODYS = f"$argon2id$v=19$m=65536,t=3,p=4${'A' * 22}${'A' * 43}"

    def __init__(self) -> None:
        self._hasher = argon2.PasswordHasher.from_parameters(argon2.profiles.RFC_9106_LOW_MEMORY)
        self._running = Lock()

    def hash(self, password: str) -> str:
        with self._running:
            return self._hasher.hash(password)

    def verify(self, password: str, password_hash: str | None) -> bool:
        checked = self._NOBODYS if password_hash is None else password_hash
        with self._running:
            try:
                return self._hasher.verify(checked, password)
            except (argon2.exceptions.VerificationError, argon2.exceptions.InvalidHashError):
                return False


class ZxcvbnPasswordGuesser(accounts.PasswordGuesser):
    """Estimates guesses with zxcvbn, which includes lists of words, names and leaked passwords."""

    _MILLION = 6.0

    # Longer text could take seconds, in which no other thread of the process runs.
    _CHARACTERS = 40

    def is_guessable(self, password: str, known_words: Collection[str]) -> bool:
        text, *words = (
            # A lone surrogate, which a terminal can send, is not accepted by a library in Rust.
            text.encode(errors="replace").decode()
            for text in (password[: self._CHARACTERS], *known_words)
        )
        return zxcvbn(text, words).guesses_log10 < self._MILLION
