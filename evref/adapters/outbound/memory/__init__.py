"""Storage in the memory of one process, for demos and tests.

It fulfils the same contract as the other storages, but its data is lost when the process ends and
is not shared between processes.
"""

from evref.adapters.outbound.memory.access.keys import MemoryKeyStore
from evref.adapters.outbound.memory.access.usage import MemoryAdmission, MemoryUsageReports
from evref.adapters.outbound.memory.accounts.institutions import (
    MemoryInstitutionStore,
    MemoryMemberStore,
)
from evref.adapters.outbound.memory.accounts.secrets import MemorySharedSecrets
from evref.adapters.outbound.memory.accounts.sessions import MemorySessionStore
from evref.adapters.outbound.memory.accounts.sign_in_attempts import MemorySignInAttempts
from evref.adapters.outbound.memory.accounts.teams import MemoryTeamStore
from evref.adapters.outbound.memory.audit import MemoryAuditLog
from evref.adapters.outbound.memory.catalogue.store import MemoryCatalogueStore
from evref.adapters.outbound.memory.state import MemoryState
from evref.adapters.outbound.memory.storage import MemoryStorage

__all__ = [
    "MemoryAdmission",
    "MemoryAuditLog",
    "MemoryCatalogueStore",
    "MemoryInstitutionStore",
    "MemoryKeyStore",
    "MemoryMemberStore",
    "MemorySessionStore",
    "MemorySharedSecrets",
    "MemorySignInAttempts",
    "MemoryState",
    "MemoryStorage",
    "MemoryTeamStore",
    "MemoryUsageReports",
]
