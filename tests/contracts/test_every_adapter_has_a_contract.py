"""No adapter without a contract, and no port without one either."""

import inspect
import pkgutil
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import evref.adapters.outbound
import evref.ports
from evref.testing import Contract

TESTS = Path(__file__).parents[1]
PORTS = [
    port
    for found in pkgutil.walk_packages(evref.ports.__path__, "evref.ports.")
    for _, port in inspect.getmembers(import_module(found.name), inspect.isclass)
    if port.__module__ == found.name and inspect.isabstract(port)
]


def below(base: type[Any]) -> Iterator[type[Any]]:
    for subclass in base.__subclasses__():
        yield subclass
        yield from below(subclass)


def adapters() -> list[type[Any]]:
    """The classes of the outbound adapters that implement a port."""
    package = evref.adapters.outbound
    for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        # Alembic alone can run what is in there.
        if ".migrations" not in found.name:
            import_module(found.name)
    return [
        adapter
        for port in PORTS
        for adapter in below(port)
        if adapter.__module__.startswith(f"{package.__name__}.")
    ]


def contract_tests() -> list[type[Contract]]:
    """The test classes that hold an adapter to a contract."""
    for path in sorted(TESTS.glob("adapters/**/test_*.py")) + sorted(
        TESTS.glob("contracts/test_*.py")
    ):
        import_module(".".join(path.relative_to(TESTS.parent).with_suffix("").parts))
    return [found for found in below(Contract) if hasattr(found, "adapter")]


def test_there_are_ports() -> None:
    """What follows looks at something."""
    assert len(PORTS) >= 10


@pytest.mark.parametrize("port", PORTS, ids=lambda port: port.__name__)
def test_every_port_has_a_contract(port: type[Any]) -> None:
    """A contract says which port it is about, and some test inherits it."""
    assert port in {test.port for test in contract_tests()}


@pytest.mark.parametrize("adapter", adapters(), ids=lambda adapter: adapter.__name__)
def test_every_adapter_is_held_to_the_contract_of_its_port(adapter: type[Any]) -> None:
    """By a test class that pytest collects."""
    ports = {
        test.port
        for test in contract_tests()
        if test.adapter is adapter and test.__name__.startswith("Test")
    }

    assert ports == {port for port in PORTS if issubclass(adapter, port)}
