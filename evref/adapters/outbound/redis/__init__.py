"""Counters in Redis, for services whose requests are too many for the database's counters.

Everything else, keys included, is kept where it is kept without Redis.
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
