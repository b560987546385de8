"""What every contract shares: the port that it is about, and the adapter that is held to it."""

from typing import Any, ClassVar


class Contract:
    """The base of all contracts.

    To hold an adapter to one: inherit from the contract and name the `adapter`. Where the port
    keeps something, offer the fixture `stores` (`evref.testing.Stores`); where it keeps nothing,
    the adapter is called without arguments.
    """

    port: ClassVar[type[Any]]
    adapter: ClassVar[type[Any]]
