"""The interfaces that the core requires, one capability per module.

Adapters in `evref.adapters.outbound` implement them. Each method documents what it returns and in
which order, how it signals absence, and what it raises. Every method of a storage port may also
raise `StorageUnavailableError`, within a bounded time. A driver's own exceptions never leave an
adapter.
"""
