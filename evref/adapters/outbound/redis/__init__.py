"""Counters in Redis, for services with more requests than the database can count.

Everything else, including the keys, stays in the other storage.
"""

from evref.adapters.outbound.redis.server import RedisServer
from evref.adapters.outbound.redis.storage import RedisConnections, RedisHealth
from evref.adapters.outbound.redis.usage import RedisAdmission, RedisUsageReports

__all__ = [
    "RedisAdmission",
    "RedisConnections",
    "RedisHealth",
    "RedisServer",
    "RedisUsageReports",
]
