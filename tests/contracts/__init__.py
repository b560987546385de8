"""What each port promises, as tests that every adapter of it inherits; whoever writes it."""

import pkgutil

import pytest

# pytest makes the asserts of test files explain themselves, and of these only when asked.
pytest.register_assert_rewrite(
    *(f"{__name__}.{module.name}" for module in pkgutil.iter_modules(__path__))
)
