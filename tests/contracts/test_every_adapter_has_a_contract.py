"""Tests that every adapter has contract tests."""

import pkgutil
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, get_type_hints

import pytest

import evref.adapters.outbound
from evref.ports.storage import Storage
from evref.testing import Contract, StorageContract

TESTS = Path(__file__).parents[1]


def below(base: type[Any]) -> Iterator[type[Any]]:
    for subclass in base.__subclasses__():
        yield subclass
        yield from below(subclass)


def import_tests(folder: str) -> None:
    for path in sorted((TESTS / folder).rglob("test_*.py")):
        import_module(".".join(path.relative_to(TESTS.parent).with_suffix("").parts))


@pytest.mark.parametrize("package", ["memory", "sql"])
def test_every_storage_is_held_to_the_whole_contract(package: str) -> None:
    """The storage in Redis is not listed: it has contract tests only for its own parts."""
    folder = f"tests.adapters.{package}"
    import_tests(f"adapters/{package}")

    assert [tests for tests in below(StorageContract) if tests.__module__.startswith(folder)]


def test_the_contract_of_a_storage_has_a_class_for_each_of_its_parts() -> None:
    """One more class tests the unit of work."""
    parts = get_type_hints(Storage)

    assert len([name for name in vars(StorageContract) if name.startswith("Test")]) == (
        len(parts) + 1
    )


def test_every_adapter_of_another_port_is_held_to_its_contract() -> None:
    """A test class that pytest collects must name the adapter."""
    package = evref.adapters.outbound
    for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        import_module(module.name)
    import_tests("contracts")
    import_tests("adapters/files")
    contracts = [contract for contract in below(Contract) if hasattr(contract, "port")]
    ports = {contract.port for contract in contracts}
    tested = {tests.adapter for tests in below(Contract) if hasattr(tests, "adapter")}

    adapters = {
        adapter
        for port in ports
        for adapter in below(port)
        if adapter.__module__.startswith(f"{package.__name__}.")
    }
    assert adapters
    assert adapters == tested
