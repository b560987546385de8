"""The contract of each port, as tests that every adapter inherits, also those of third parties.

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
from evref.testing.access.keys import KeyStoreContract  # noqa: E402
from evref.testing.access.usage import UsageReportsContract  # noqa: E402
from evref.testing.accounts.institutions import InstitutionStoreContract, MemberStoreContract  # noqa: E402
from evref.testing.accounts.secrets import SharedSecretsContract  # noqa: E402
from evref.testing.accounts.sessions import SessionStoreContract  # noqa: E402
from evref.testing.accounts.sign_in_attempts import SignInAttemptsContract  # noqa: E402
from evref.testing.accounts.teams import TeamStoreContract  # noqa: E402
from evref.testing.audit import AuditLogContract  # noqa: E402
from evref.testing.catalogue.files import CatalogueFilesContract  # noqa: E402
from evref.testing.catalogue.store import CatalogueStoreContract, PublishedCatalogueContract  # noqa: E402
from evref.testing.contract import Contract  # noqa: E402
from evref.testing.storage import (  # noqa: E402
    StorageConnectionsContract,
    StorageHealthContract,
    StorageSchemaContract,
)
from evref.testing.stores import Stores  # noqa: E402
from evref.testing.system import (  # noqa: E402
    ClockContract,
    PasswordGuesserContract,
    PasswordHasherContract,
    RandomnessContract,
)

__all__ = [
    "AdmissionContract",
    "AuditLogContract",
    "CatalogueFilesContract",
    "CatalogueStoreContract",
    "ClockContract",
    "Contract",
    "InstitutionStoreContract",
    "KeyStoreContract",
    "MemberStoreContract",
    "PasswordGuesserContract",
    "PasswordHasherContract",
    "PublishedCatalogueContract",
    "RandomnessContract",
    "SessionStoreContract",
    "SharedSecretsContract",
    "SignInAttemptsContract",
    "StorageConnectionsContract",
    "StorageHealthContract",
    "StorageSchemaContract",
    "Stores",
    "TeamStoreContract",
    "UsageReportsContract",
]
