"""The base of all contracts: the port, and the adapter under test."""

from typing import Any, ClassVar


class Contract:
    """The base of all contracts.

    To test an adapter, inherit from the contract and set `adapter`. If the port stores data,
    provide the fixture `stores` (`evref.testing.Stores`); otherwise the adapter is called without
    arguments.
    """

    port: ClassVar[type[Any]]
    adapter: ClassVar[type[Any]]
