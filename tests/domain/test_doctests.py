"""Runs the examples in the docstrings of the domain."""

import doctest
import importlib
import pkgutil

import pytest

import evref.domain

MODULES = [module.name for module in pkgutil.walk_packages(evref.domain.__path__, "evref.domain.")]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_are_right(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0
