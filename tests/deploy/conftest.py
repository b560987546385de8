"""Real services, with the fixtures of the server tests."""

from tests.server.conftest import start, store

__all__ = ["start", "store"]
