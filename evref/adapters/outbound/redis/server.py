"""Connections to Redis, and the translation of its errors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from evref.domain.errors import Fault, InvalidValueError, StorageUnavailableError
from evref.ports.deadline import StorageCall

if TYPE_CHECKING:
    from redis import Redis
    from redis.commands.core import Script

# The share of the timeout for connecting, and for a response.
_TIMEOUT_SHARE = 0.4

# The maximum number of threads of a worker; connections are made when first needed.
_POOL_SIZE = 256

_FORM = "must be the URL of a Redis server, such as redis://:PASSWORD@HOST:6379/0"

_NEEDS_DRIVER = "names Redis, which needs more packages: pip install 'evref[redis]'"


class RedisServer:
    """A Redis server by its URL, `redis://` or `rediss://`; connects on first use.

    A call waits at most `timeout_seconds`, including the time to connect. It fails at once if its
    response could come too late for the request. A forked process opens its own connections.
    """

    def __init__(self, url: str, *, timeout_seconds: float = 2.5) -> None:
        share = timeout_seconds * _TIMEOUT_SHARE
        # Imported here because redis-py is optional.
        try:
            from redis import ConnectionPool, Redis, RedisError, ResponseError  # noqa: PLC0415
            from redis.backoff import NoBackoff  # noqa: PLC0415
            from redis.retry import Retry  # noqa: PLC0415
        except ImportError as error:
            raise InvalidValueError([Fault("quota_url", _NEEDS_DRIVER)]) from error
        try:
            parts = urlsplit(url)
            # redis-py would use database 0 instead of one that is not a number.
            int(f"0{parts.path.removeprefix('/')}")
            pool = ConnectionPool.from_url(
                url,
                max_connections=_POOL_SIZE,
                socket_timeout=share,
                socket_connect_timeout=share,
                # No retries: a request that was sent may have been counted, and retries make
                # others wait longer.
                retry=Retry(NoBackoff(), 0),
                # The responses are numbers, which the older protocol has too.
                protocol=2,
                decode_responses=True,
            )
            # Otherwise an error in the URL would only show with the first request.
            pool.connection_class(**pool.connection_kwargs)
            # For the log: without user, password and options.
            self._name = f"{parts.scheme}://{parts.hostname}:{parts.port or 6379}{parts.path}"
        except (ValueError, TypeError) as error:
            raise InvalidValueError([Fault("quota_url", _FORM)]) from error
        self._client = Redis.from_pool(pool)
        self._share = share
        self._timeout_seconds = timeout_seconds
        self._driver_error = RedisError
        self._refusal = ResponseError

    @contextmanager
    def client(self) -> Iterator[Redis]:
        """Yield a client whose errors, and those of damaged values, become errors of the core."""
        with StorageCall(monotonic, least=self._share, most=self._timeout_seconds):
            try:
                yield self._client
            except (self._driver_error, ValueError) as error:
                raise StorageUnavailableError(f"{self._name}: {error}") from error

    def script(self, source: str) -> Script:
        """Return the script, which is called within `client`: atomic, one round trip."""
        return self._client.register_script(source)

    def disclosed(self, ask: Callable[[Redis], Any]) -> dict[str, Any]:
        """Return what the server says about itself; nothing if it refuses to."""
        with self.client() as client:
            try:
                answer: dict[str, Any] = ask(client)
            except self._refusal:
                return {}
        return answer

    def close(self) -> None:
        self._client.connection_pool.disconnect()
