"""The contracts of the ports, as tests that every adapter inherits, also those of third parties.

See `docs/how-to/write-a-storage-adapter.md`. Needs `pip install 'evref[testing]'`.
"""

import pkgutil

import pytest

# pytest rewrites assertions in test files automatically, but in other modules only if they are
# registered before their import.
pytest.register_assert_rewrite(
    *(f"{__name__}.{module.name}" for module in pkgutil.iter_modules(__path__))
)

from evref.testing.access.admission import AdmissionContract  # noqa: E402
from evref.testing.access.usage import UsageReportsContract  # noqa: E402
from evref.testing.catalogue import CatalogueFilesContract  # noqa: E402
from evref.testing.contract import Contract  # noqa: E402
from evref.testing.storage import StorageContract  # noqa: E402
from evref.testing.system import (  # noqa: E402
    ClockContract,
    PasswordGuesserContract,
    PasswordHasherContract,
    RandomnessContract,
)

__all__ = [
    "AdmissionContract",
    "CatalogueFilesContract",
    "ClockContract",
    "Contract",
    "PasswordGuesserContract",
    "PasswordHasherContract",
    "RandomnessContract",
    "StorageContract",
    "UsageReportsContract",
]
