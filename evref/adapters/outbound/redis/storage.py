"""A storage with its counters in Redis; another storage has everything else, including the keys.

Admission is one script, and keys are held for half a second.

For each key and day there is a hash `evref:{KEY ID}:DAY` with `limit`, `admitted` and
`refused`, and for each key the string `evref:{KEY ID}:last`, the last day on which a request was
admitted. The part in braces is the hash tag: it puts all data of a key on one node of a cluster.
"""

from collections.abc import Collection, Mapping
from datetime import date, datetime, timedelta

from evref.adapters.outbound.redis.server import RedisServer
from evref.domain.access.key import ApiKey
from evref.domain.access.quota import (
    SECONDS_A_DAY,
    USAGE_RETENTION_DAYS,
    DayUsage,
    Quota,
    QuotaExceededError,
    utc_day,
)
from evref.domain.errors import StorageNotReadyError
from evref.ports.access import Admission, Keys, UsageReports
from evref.ports.storage import DelegatingStorage, Storage
from evref.ports.system import Clock

# A change of a key must take effect within one second.
_HOLD_SECONDS = 0.5

_RETENTION_SECONDS = USAGE_RETENTION_DAYS * SECONDS_A_DAY

# KEYS: the day's hash, the last day of use. ARGV: limit, day, retention in seconds.
# The first write needs memory: a server that is out of memory rejects it, and nothing is counted.
_ADMIT = """
local admitted = tonumber(redis.call('HGET', KEYS[1], 'admitted') or '0')
local fits = admitted < tonumber(ARGV[1])
if fits then
    admitted = redis.call('HINCRBY', KEYS[1], 'admitted', 1)
else
    redis.call('HINCRBY', KEYS[1], 'refused', 1)
end
if redis.call('HSET', KEYS[1], 'limit', ARGV[1]) == 1 then
    redis.call('EXPIRE', KEYS[1], ARGV[3])
end
if fits and admitted == 1 and (redis.call('GET', KEYS[2]) or '') < ARGV[2] then
    redis.call('SET', KEYS[2], ARGV[2], 'EX', ARGV[3])
end
return {admitted, fits and 1 or 0}
"""
_PING = "ping"
_FIELDS = ("limit", "admitted", "refused")


class HeldKeys:
    """The keys in use, by the digests of their tokens; thread-safe. All are dropped together."""

    def __init__(self, keys: Keys, clock: Clock) -> None:
        self._keys = keys
        self._clock = clock
        self._held: tuple[float, dict[str, ApiKey]] = (float("-inf"), {})

    def with_digest(self, digest: str) -> ApiKey:
        """Return the key as it was at most half a second before. An unknown digest is not held."""
        now = self._clock.monotonic()
        began_at, by_digest = self._held
        if now - began_at >= _HOLD_SECONDS:
            by_digest = {}
            self._held = now, by_digest
        key = by_digest.get(digest)
        if key is None:
            key = by_digest[digest] = self._keys.with_digest(digest)
        return key


class RedisAdmission(Admission):
    def __init__(self, server: RedisServer, keys: Keys, clock: Clock) -> None:
        self._server = server
        self._clock = clock
        self._keys = HeldKeys(keys, clock)
        self._admit = server.script(_ADMIT)

    def admit(self, digest: str, instant: datetime) -> Quota:
        key = self._keys.with_digest(digest)
        key.check(digest, instant)
        admitted, fits = self._count(key.id, key.daily_limit, instant)
        quota = Quota(key.id, key.daily_limit, admitted, instant)
        if not fits:
            raise QuotaExceededError(quota)
        return quota

    def _count(self, key_id: str, limit: int, instant: datetime) -> tuple[int, int]:
        day = utc_day(instant).isoformat()
        names = [_name(key_id, day), _name(key_id, "last")]
        with self._server.client():
            admitted, fits = self._admit(keys=names, args=[limit, day, _RETENTION_SECONDS])
        return admitted, fits

    def ping(self) -> None:
        """Count by the path of a request, for an id that no key has."""
        self._count(_PING, 0, self._clock.now())


class RedisUsageReports(UsageReports):
    def __init__(self, server: RedisServer) -> None:
        self._server = server

    def history(self, key_id: str, first: date, last: date) -> tuple[DayUsage, ...]:
        days = [first + timedelta(days=n) for n in range((last - first).days + 1)]
        with self._server.client() as client, client.pipeline(transaction=False) as pipeline:
            for day in days:
                pipeline.hmget(_name(key_id, day.isoformat()), _FIELDS)
            usages = map(_usage, days, pipeline.execute())
            return tuple(usage for usage in usages if usage is not None)

    def overview(
        self, key_ids: Collection[str], today: date
    ) -> Mapping[str, tuple[date | None, DayUsage | None]]:
        overview = {}
        with self._server.client() as client, client.pipeline(transaction=False) as pipeline:
            for key_id in key_ids:
                pipeline.hmget(_name(key_id, today.isoformat()), _FIELDS)
                pipeline.get(_name(key_id, "last"))
            replies = pipeline.execute()
            for key_id, fields, last in zip(key_ids, replies[::2], replies[1::2], strict=True):
                use = last and date.fromisoformat(last), _usage(today, fields)
                if use != (None, None):
                    overview[key_id] = use
        return overview

    def prune(self, today: date) -> None:
        # Redis deletes each key when it expires.
        pass


class RedisStorage(DelegatingStorage):
    """See `RedisServer` for `url` and `timeout_seconds`, and for the errors."""

    def __init__(
        self, rest: Storage, url: str, clock: Clock, *, timeout_seconds: float = 2.5
    ) -> None:
        super().__init__(rest)
        self.server = RedisServer(url, timeout_seconds=timeout_seconds)
        self.admission = self._counters = RedisAdmission(self.server, rest.keys, clock)
        self.usage = RedisUsageReports(self.server)

    def verify(self) -> None:
        super().verify()
        # A server that is not part of a cluster refuses the command.
        cluster = self.server.disclosed(lambda client: client.cluster("INFO"))
        nodes = int(cluster.get("cluster_size", 1))
        if nodes > 1:
            raise StorageNotReadyError(
                f"EVREF_QUOTA_URL names a Redis cluster of {nodes} nodes, but counters need one "
                "server, with replicas if you like."
            )

    def ping(self) -> None:
        super().ping()
        self._counters.ping()

    def warnings(self) -> list[str]:
        warnings = [*super().warnings()]
        # One at a time: only Redis 7 and newer accepts several.
        file = self.server.disclosed(lambda client: client.config_get("appendonly"))
        snapshots = self.server.disclosed(lambda client: client.config_get("save"))
        if file | snapshots == {"appendonly": "no", "save": ""}:
            warnings.append(
                "Redis keeps nothing on disk: after it restarts, the day's requests are admitted "
                "once more; set appendonly yes"
            )
        memory = self.server.disclosed(lambda client: client.info("memory"))
        policy = memory.get("maxmemory_policy", "noeviction")
        if policy != "noeviction":
            warnings.append(
                f"Redis may evict counts (maxmemory-policy is {policy}): the requests of their "
                "keys are admitted once more; set maxmemory-policy noeviction"
            )
        return warnings

    def close(self) -> None:
        super().close()
        self.server.close()


def _name(key_id: str, part: str) -> str:
    return f"evref:{{{key_id}}}:{part}"


def _usage(day: date, fields: list[str | None]) -> DayUsage | None:
    limit, admitted, refused = fields
    if limit is None:
        return None
    return DayUsage(day, int(limit), int(admitted or 0), int(refused or 0))
