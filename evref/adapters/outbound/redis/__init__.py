"""Counters in Redis, for services with more requests than the database can count."""

from evref.adapters.outbound.redis.storage import RedisStorage

__all__ = ["RedisStorage"]
