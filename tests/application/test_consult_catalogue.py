"""Whoever has a key gets the catalogue, and is counted; nobody is counted without getting it."""

import pytest

from evref.adapters.outbound.memory import MemoryStorage
from evref.application.access.admit_request import AdmitRequest
from evref.application.access.manage_keys import ManageKeys, NewKey
from evref.application.accounts.manage_institutions import ManageInstitutions
from evref.application.catalogue.browse_catalogue import BrowseCatalogue
from evref.application.circuit_breaker import CircuitBreaker
from evref.application.consult_catalogue import ConsultCatalogue
from evref.domain.access.permission import Permission
from evref.domain.access.quota import QuotaExceededError, QuotaStatus
from evref.domain.access.token import KeyToken
from evref.domain.catalogue.catalogue import Catalogue, Entry
from evref.domain.errors import InsufficientPermissionError, InvalidApiKeyError, NoCatalogueError
from evref.testing.builders import OPERATOR, a_diagnosis
from evref.testing.filling import keep_catalogue
from tests.fakes import FakeClock

CATALOGUE = Catalogue([Entry(a_diagnosis(), ())])


@pytest.fixture
def new_key(institutions: ManageInstitutions, keys: ManageKeys) -> NewKey:
    institution = institutions.create_institution(OPERATOR, "General Hospital")
    return keys.create(OPERATOR, institution.id, name="Ward app", daily_limit=2)


@pytest.fixture
def published(storage: MemoryStorage) -> None:
    keep_catalogue(storage, CATALOGUE)


@pytest.fixture
def consult(storage: MemoryStorage, clock: FakeClock, admit: AdmitRequest) -> ConsultCatalogue:
    browse = BrowseCatalogue(storage.catalogue, clock, CircuitBreaker(clock))
    return ConsultCatalogue(browse, admit)


@pytest.mark.usefixtures("published")
def test_it_returns_the_catalogue_and_the_quota(consult: ConsultCatalogue, new_key: NewKey) -> None:
    catalogue, quota = consult(new_key.token.text, Permission.READ)

    assert catalogue.version == CATALOGUE.version
    assert isinstance(quota, QuotaStatus)
    assert (quota.key_id, quota.remaining) == (new_key.key.id, 1)


def test_without_a_catalogue_nothing_is_counted(
    consult: ConsultCatalogue, new_key: NewKey, keys: ManageKeys
) -> None:
    with pytest.raises(NoCatalogueError):
        consult(new_key.token.text, Permission.READ)

    assert keys.history(OPERATOR, new_key.key.id) == ()


@pytest.mark.parametrize("token", ["", "evref_", "evref_" + "a" * 46, "x" * 1000])
def test_a_malformed_token_reaches_no_storage(token: str) -> None:
    """Neither that of the catalogue nor that of the keys."""
    nothing = None  # has no method that could be called

    with pytest.raises(InvalidApiKeyError):
        ConsultCatalogue(nothing, nothing)(token, Permission.READ)  # type: ignore[arg-type]


@pytest.mark.usefixtures("published")
def test_whoever_may_not_have_it_does_not_get_it(
    consult: ConsultCatalogue, new_key: NewKey, keys: ManageKeys
) -> None:
    with pytest.raises(InvalidApiKeyError):
        consult(KeyToken.make(1).text, Permission.READ)
    for _ in range(2):
        consult(new_key.token.text, Permission.READ)
    with pytest.raises(QuotaExceededError):
        consult(new_key.token.text, Permission.READ)
    keys.change(OPERATOR, new_key.key.id, permission=Permission.NONE)
    with pytest.raises(InsufficientPermissionError):
        consult(new_key.token.text, Permission.READ)
