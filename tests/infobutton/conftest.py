"""The fixtures of the tests of the REST API."""

from tests.http.conftest import make_service, service, shared_service, token  # noqa: F401 - fixtures
