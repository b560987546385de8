"""Hashing of passwords."""

from abc import ABC, abstractmethod


class PasswordHasher(ABC):
    """Turns passwords into hashes that are slow to guess from (argon2id, RFC 9106)."""

    @abstractmethod
    def hash(self, password: str) -> str:
        """A fresh, salted hash in PHC form; never the same twice."""

    @abstractmethod
    def verify(self, password: str, password_hash: str) -> bool:
        """Whether this is the password that was hashed."""
