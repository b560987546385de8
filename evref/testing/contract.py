"""What every contract shares: the port that it is about, and the adapter that is held to it."""

from typing import Any, ClassVar


class Contract:
    """The base of all contracts.

    To hold an adapter to one: inherit from the contract, name the `adapter`, and offer the
    fixture `stores`, for the ports that keep something, or a way to make it without arguments.
    """

    port: ClassVar[type[Any]]
    adapter: ClassVar[type[Any]]
