"""Counters in Redis, for services whose requests are too many for the database's counters.

Everything else, keys included, is kept where it is kept without Redis.
"""

from evref.adapters.outbound.redis.server import RedisServer
from evref.adapters.outbound.redis.storage import RedisStorage
from evref.adapters.outbound.redis.usage import RedisUsage

__all__ = ["RedisServer", "RedisStorage", "RedisUsage"]
