"""Real services, as in the tests of the server."""

from tests.server.conftest import start, store

__all__ = ["start", "store"]
