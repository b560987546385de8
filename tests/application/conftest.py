"""The use cases, on everything in memory and a clock that stands still."""

import pytest

from evref.adapters.outbound.memory import (
    MemoryAdmission,
    MemoryAuditLog,
    MemoryInstitutionStore,
    MemoryKeyStore,
    MemoryMemberStore,
    MemorySessionStore,
    MemorySignInAttempts,
    MemoryState,
    MemoryTeamStore,
    MemoryUsageReports,
)
from evref.application.access.admit_request import AdmitRequest
from evref.application.access.manage_keys import ManageKeys
from evref.application.accounts.attempts import Attempts
from evref.application.accounts.bulkhead import Bulkhead
from evref.application.accounts.manage_institutions import ManageInstitutions
from evref.application.accounts.manage_members import ManageMembers
from evref.application.accounts.sign_in import SignIn
from evref.application.circuit_breaker import CircuitBreaker
from tests.fakes import FakeClock, QuickPasswordHasher, SeededRandomness, SingleGuess


@pytest.fixture
def state() -> MemoryState:
    return MemoryState()


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def randomness() -> SeededRandomness:
    return SeededRandomness()


@pytest.fixture
def passwords() -> QuickPasswordHasher:
    return QuickPasswordHasher()


@pytest.fixture
def guesser() -> SingleGuess:
    return SingleGuess()


@pytest.fixture
def bulkhead() -> Bulkhead:
    return Bulkhead()


@pytest.fixture
def audit(state: MemoryState) -> MemoryAuditLog:
    return MemoryAuditLog(state)


@pytest.fixture
def institutions(
    state: MemoryState,
    clock: FakeClock,
    randomness: SeededRandomness,
    passwords: QuickPasswordHasher,
    guesser: SingleGuess,
) -> ManageInstitutions:
    return ManageInstitutions(
        institutions=MemoryInstitutionStore(state),
        members=MemoryMemberStore(state),
        teams=MemoryTeamStore(state),
        passwords=passwords,
        guesser=guesser,
        clock=clock,
        randomness=randomness,
    )


@pytest.fixture
def members(
    *,
    state: MemoryState,
    clock: FakeClock,
    randomness: SeededRandomness,
    passwords: QuickPasswordHasher,
    guesser: SingleGuess,
    bulkhead: Bulkhead,
) -> ManageMembers:
    return ManageMembers(
        institutions=MemoryInstitutionStore(state),
        members=MemoryMemberStore(state),
        teams=MemoryTeamStore(state),
        bulkhead=bulkhead,
        passwords=passwords,
        guesser=guesser,
        clock=clock,
        randomness=randomness,
    )


@pytest.fixture
def sign_in(
    *,
    state: MemoryState,
    clock: FakeClock,
    randomness: SeededRandomness,
    passwords: QuickPasswordHasher,
    guesser: SingleGuess,
    bulkhead: Bulkhead,
) -> SignIn:
    return SignIn(
        members=MemoryMemberStore(state),
        institutions=MemoryInstitutionStore(state),
        sessions=MemorySessionStore(state),
        attempts=Attempts(MemorySignInAttempts(state), bulkhead, clock),
        passwords=passwords,
        guesser=guesser,
        clock=clock,
        randomness=randomness,
    )


@pytest.fixture
def keys(state: MemoryState, clock: FakeClock, randomness: SeededRandomness) -> ManageKeys:
    return ManageKeys(
        keys=MemoryKeyStore(state),
        usage_reports=MemoryUsageReports(state),
        clock=clock,
        randomness=randomness,
    )


@pytest.fixture
def admit(state: MemoryState, clock: FakeClock) -> AdmitRequest:
    return AdmitRequest(MemoryAdmission(state), clock, CircuitBreaker(clock))
