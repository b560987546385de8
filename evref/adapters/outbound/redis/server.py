"""The way to Redis: connections, and what becomes of errors."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from evref.domain.errors import Fault, InvalidValueError, StorageUnavailableError

if TYPE_CHECKING:
    from redis import Redis

# Of the time there is: to connect, and to be answered.
_PART = 0.4

# As many as a worker can have threads; made when first needed.
_POOL_SIZE = 256

_FORM = "must be the URL of a Redis server, such as redis://:PASSWORD@HOST:6379/0"

_NEEDS_DRIVER = "names Redis, which needs more packages: pip install 'evref[redis]'"


class RedisServer:
    """A Redis server by its URL, `redis://` or `rediss://`; connects when first asked.

    Whoever asks waits `timeout_seconds` at most, connecting included.
    Safe to share between threads. A process that was forked makes connections of its own.

    Raises:
        InvalidValueError: when the URL cannot be read, or has an option that redis-py lacks, or
            redis-py is not installed.

    """

    def __init__(self, url: str, *, timeout_seconds: float = 2.5) -> None:
        part = timeout_seconds * _PART
        # Only now: it need not be installed, nor be loaded, where requests are counted elsewhere.
        try:
            from redis import ConnectionPool, Redis, RedisError, ResponseError  # noqa: PLC0415
            from redis.backoff import NoBackoff  # noqa: PLC0415
            from redis.retry import Retry  # noqa: PLC0415
        except ImportError as error:
            raise InvalidValueError([Fault("quota_url", _NEEDS_DRIVER)]) from error
        try:
            parts = urlsplit(url)
            pool = ConnectionPool.from_url(
                url,
                max_connections=_POOL_SIZE,
                socket_timeout=part,
                socket_connect_timeout=part,
                # A request that was sent may have been counted: it is not sent twice. And who
                # tries again makes others wait longer.
                retry=Retry(NoBackoff(), 0),
                # The answers are numbers, which the older protocol has too.
                protocol=2,
                decode_responses=True,
            )
            # What is wrong in the URL would else show with the first request.
            pool.connection_class(**pool.connection_kwargs)
            # As it may stand in a log: without user, password and options.
            self._name = f"{parts.scheme}://{parts.hostname}:{parts.port or 6379}{parts.path}"
        except (ValueError, TypeError) as error:
            raise InvalidValueError([Fault("quota_url", _FORM)]) from error
        self._client = Redis.from_pool(pool)
        self._driver_error = RedisError
        self._refusal = ResponseError

    @contextmanager
    def client(self) -> Iterator[Redis]:
        """A client, whose errors become those of the core.

        Raises:
            StorageUnavailableError: when the server does not do what it is asked, in time.

        """
        try:
            yield self._client
        except self._driver_error as error:
            raise StorageUnavailableError(f"{self._name}: {error}") from error

    def script(self, source: str) -> Callable[[Sequence[str], Sequence[Any]], Any]:
        """The script as a function of its keys and arguments: one round trip, all or nothing.

        Raises:
            StorageUnavailableError: when the server does not do what it is asked, in time.

        """
        script = self._client.register_script(source)

        def call(keys: Sequence[str], arguments: Sequence[Any]) -> Any:  # noqa: ANN401 - Lua's
            with self.client():
                return script(keys=keys, args=arguments)

        return call

    def ping(self) -> None:
        """Pass silently when the server would take a write now.

        Raises:
            StorageUnavailableError: when it would not.

        """
        with self.client() as client:
            # Sets no character of a text that is not there, and so changes nothing; but a
            # server that is read-only, still loading or out of memory refuses it.
            client.setrange("evref:ping", 0, "")

    def keeps_nothing(self) -> bool:
        """Whether the server says that it writes neither an append-only file nor snapshots.

        A server that refuses to say, as many that are hosted do, is taken for one that keeps it.

        Raises:
            StorageUnavailableError: when the server does not answer in time.

        """
        with self.client() as client:
            try:
                # One at a time: only Redis 7 and newer takes several.
                saved = client.config_get("appendonly") | client.config_get("save")
            except self._refusal:
                return False
        return saved == {"appendonly": "no", "save": ""}

    def close(self) -> None:
        """Close all connections; new ones are made on demand."""
        self._client.connection_pool.disconnect()
