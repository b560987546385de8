"""The stores in memory."""

from evref.adapters.outbound.memory import (
    MemoryAuditLog,
    MemoryCatalogueStore,
    MemoryInstitutionStore,
    MemoryKeyStore,
    MemoryMemberStore,
    MemorySessionStore,
    MemorySharedSecrets,
    MemorySignInAttempts,
    MemoryState,
    MemoryStorage,
    MemoryUsage,
)
from evref.testing.stores import Stores


def stores_in(state: MemoryState) -> Stores:
    return Stores(
        storage=MemoryStorage(state),
        catalogue=MemoryCatalogueStore(state),
        keys=MemoryKeyStore(state),
        usage=MemoryUsage(state),
        institutions=MemoryInstitutionStore(state),
        members=MemoryMemberStore(state),
        audit=MemoryAuditLog(state),
        sessions=MemorySessionStore(state),
        sign_in_attempts=MemorySignInAttempts(state),
        secrets=MemorySharedSecrets(state),
    )
