"""What the core needs of the world, in the core's own words: one capability a class.

Adapters in `evref.adapters.outbound` implement these; each method says what comes back, in
which order and what is raised. The same holds for all of them:

- Looking up one record by what identifies it raises `NotFoundError` where there is none; a list
  or a mapping is then empty. None stands only for something that has not happened yet, such as
  a key that was never used, and the port says so.
- Every method of a port that keeps something may also raise `StorageUnavailableError`, within a
  bounded time; a driver's own exceptions never leave an adapter.
- A constructor is given what the adapter stands on, and opens nothing.
"""
