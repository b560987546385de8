"""What the core needs of the world, in the core's own words: one capability a file.

Adapters in `evref.adapters.outbound` implement these; each method says what comes back, in
which order, what absence looks like and what is raised. Every method of a port that keeps
something may also raise `StorageUnavailableError`, within a bounded time; a driver's own
exceptions never leave an adapter.
"""
