"""Fixtures: the use cases, with storage in memory and a clock that stands still."""

import pytest

from evref.adapters.outbound.memory import MemoryStorage
from evref.adapters.outbound.memory.state import MemoryState
from evref.application.access.gate import Gate
from evref.application.access.manage_keys import ManageKeys
from evref.application.accounts.manage_institutions import ManageInstitutions
from evref.application.accounts.passwords import Bulkhead
from evref.application.accounts.people import People
from evref.application.accounts.sign_in import SignIn
from evref.application.circuit_breaker import CircuitBreaker
from evref.domain.accounts.institution import Institution
from evref.ports.storage import AuditLog
from evref.testing.builders import OPERATOR
from tests.fakes import (
    BreakableStorage,
    FakeClock,
    QuickPasswordHasher,
    SeededRandomness,
    SingleGuess,
)
from tests.use_cases import Fakes


@pytest.fixture
def storage() -> MemoryStorage:
    return MemoryStorage()


@pytest.fixture
def store(storage: MemoryStorage) -> BreakableStorage:
    return BreakableStorage(storage)


@pytest.fixture
def state(storage: MemoryStorage) -> MemoryState:
    """Return everything that is stored."""
    return storage.state


@pytest.fixture
def audit(storage: MemoryStorage) -> AuditLog:
    return storage.audit


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
def institutions(
    storage: MemoryStorage, clock: FakeClock, randomness: SeededRandomness
) -> ManageInstitutions:
    return ManageInstitutions(storage=storage, clock=clock, randomness=randomness)


@pytest.fixture
def hospital(institutions: ManageInstitutions) -> Institution:
    return institutions.create_institution(OPERATOR, "General Hospital")


@pytest.fixture
def fakes(
    clock: FakeClock,
    randomness: SeededRandomness,
    passwords: QuickPasswordHasher,
    guesser: SingleGuess,
    bulkhead: Bulkhead,
) -> Fakes:
    return Fakes(clock, randomness, passwords, guesser, bulkhead)


@pytest.fixture
def people(storage: MemoryStorage, fakes: Fakes) -> People:
    return fakes.people(storage)


@pytest.fixture
def sign_in(storage: MemoryStorage, fakes: Fakes) -> SignIn:
    return fakes.sign_in(storage)


@pytest.fixture
def keys(storage: MemoryStorage, clock: FakeClock, randomness: SeededRandomness) -> ManageKeys:
    return ManageKeys(storage=storage, clock=clock, randomness=randomness)


@pytest.fixture
def gate(storage: MemoryStorage, clock: FakeClock) -> Gate:
    return Gate(storage, clock, CircuitBreaker(clock))
