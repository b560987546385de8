"""What every contract shares: the port that it is about, and the adapter that is held to it."""

from typing import Any, ClassVar


class Contract:
    """The base of all contracts.

    To hold an adapter to one: inherit from the contract, name the `adapter`, and offer the
    fixture that its tests ask for. See `tests/adapters/memory` for the shortest example.
    """

    port: ClassVar[type[Any]]
    adapter: ClassVar[type[Any]]
