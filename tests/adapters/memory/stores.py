"""The stores in memory."""

from evref.adapters.outbound.memory import (
    MemoryAdmission,
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
    MemoryTeamStore,
    MemoryUsageReports,
)
from evref.testing.stores import Stores


def stores_in(state: MemoryState) -> Stores:
    return Stores(
        health=MemoryStorage(state),
        schema=MemoryStorage(state),
        connections=MemoryStorage(state),
        catalogue=MemoryCatalogueStore(state),
        keys=MemoryKeyStore(state),
        admission=MemoryAdmission(state),
        usage_reports=MemoryUsageReports(state),
        institutions=MemoryInstitutionStore(state),
        members=MemoryMemberStore(state),
        teams=MemoryTeamStore(state),
        audit=MemoryAuditLog(state),
        sessions=MemorySessionStore(state),
        sign_in_attempts=MemorySignInAttempts(state),
        secrets=MemorySharedSecrets(state),
    )
