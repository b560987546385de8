"""The interfaces that the core requires, one capability per class.

Adapters in `evref.adapters.outbound` implement them. Each method documents what it returns and in
which order, and what it raises. The same rules apply to all of them:

- Looking up one object by its identifier raises `NotFoundError` if it does not exist. A list or a
  mapping is empty instead. None stands only for something that has not happened yet, such as the
  last use of a key that was never used, and the port documents it.
- Every method of a storage port may also raise `StorageUnavailableError`, within a bounded time. A
  driver's own exceptions never leave an adapter.
- A constructor receives the adapter's dependencies, and opens no file or connection.
"""
