"""A request with a key is admitted and counted, or rejected with a reason."""

from datetime import UTC, date, datetime

import pytest

from evref.adapters.outbound.memory import MemoryStorage
from evref.application.access.admit_request import AdmitRequest
from evref.application.access.manage_keys import ManageKeys, NewKey
from evref.application.accounts.manage_institutions import ManageInstitutions
from evref.application.circuit_breaker import CircuitBreaker
from evref.domain.access.permission import Permission
from evref.domain.access.quota import QuotaExceededError, QuotaStatus, Tally
from evref.domain.access.status import KeyStatus
from evref.domain.access.token import KeyToken
from evref.domain.errors import (
    InsufficientPermissionError,
    InvalidApiKeyError,
    StorageUnavailableError,
)
from evref.ports.access.admission import Admission
from evref.testing.builders import OPERATOR
from tests.fakes import FakeClock

MIDNIGHT_AFTER_NOON = 1_772_409_600


@pytest.fixture
def new_key(institutions: ManageInstitutions, keys: ManageKeys) -> NewKey:
    institutions.create_institution(OPERATOR, "General Hospital")
    return keys.create(
        OPERATOR,
        institutions.institution_named(OPERATOR, "General Hospital").id,
        name="Ward app",
        daily_limit=3,
    )


class UnreachableAdmission(Admission):
    """Storage that is out of reach."""

    def admit(self, digest: str, needed: Permission, instant: datetime) -> Tally:
        raise StorageUnavailableError("gone")

    def status(self, digest: str, instant: datetime) -> KeyStatus:
        raise StorageUnavailableError("gone")


def test_each_request_is_told_where_the_key_stands(admit: AdmitRequest, new_key: NewKey) -> None:
    statuses = [admit(new_key.token, Permission.READ) for _ in range(3)]

    assert statuses == [
        QuotaStatus(new_key.key.id, 3, left, MIDNIGHT_AFTER_NOON, 43_200) for left in (2, 1, 0)
    ]


def test_over_the_limit_the_refusal_holds_where_the_key_stands(
    admit: AdmitRequest, new_key: NewKey, clock: FakeClock
) -> None:
    for _ in range(3):
        admit(new_key.token, Permission.READ)
    clock.advance(hours=11, minutes=59, seconds=59.5)

    with pytest.raises(QuotaExceededError) as caught:
        admit(new_key.token, Permission.READ)

    assert caught.value.status == QuotaStatus(new_key.key.id, 3, 0, MIDNIGHT_AFTER_NOON, 1)


def test_the_count_starts_anew_at_midnight_in_utc(
    admit: AdmitRequest, new_key: NewKey, clock: FakeClock
) -> None:
    for _ in range(3):
        admit(new_key.token, Permission.READ)
    clock.advance(hours=12)

    assert admit(new_key.token, Permission.READ) == QuotaStatus(
        new_key.key.id, 3, 2, MIDNIGHT_AFTER_NOON + 86_400, 86_400
    )


def test_a_limit_of_zero_admits_nothing(
    admit: AdmitRequest, new_key: NewKey, keys: ManageKeys
) -> None:
    keys.change(OPERATOR, new_key.key.id, daily_limit=0)

    with pytest.raises(QuotaExceededError) as caught:
        admit(new_key.token, Permission.READ)

    assert (caught.value.status.limit, caught.value.status.remaining) == (0, 0)


def test_a_limit_lowered_below_use_leaves_nothing_and_a_raised_one_holds_at_once(
    admit: AdmitRequest, new_key: NewKey, keys: ManageKeys
) -> None:
    for _ in range(2):
        admit(new_key.token, Permission.READ)
    keys.change(OPERATOR, new_key.key.id, daily_limit=1)
    with pytest.raises(QuotaExceededError) as caught:
        admit(new_key.token, Permission.READ)
    keys.change(OPERATOR, new_key.key.id, daily_limit=10)

    assert caught.value.status.remaining == 0
    assert admit(new_key.token, Permission.READ).remaining == 7


def test_refusals_over_the_limit_do_not_count_as_admitted(
    admit: AdmitRequest, new_key: NewKey, keys: ManageKeys
) -> None:
    for _ in range(3):
        admit(new_key.token, Permission.READ)
    for _ in range(2):
        with pytest.raises(QuotaExceededError):
            admit(new_key.token, Permission.READ)

    (today,) = keys.history(OPERATOR, new_key.key.id)
    assert (today.admitted, today.refused) == (3, 2)


def test_storage_that_is_out_of_reach_admits_nothing(clock: FakeClock) -> None:
    with pytest.raises(StorageUnavailableError):
        AdmitRequest(UnreachableAdmission(), clock, CircuitBreaker(clock))(
            KeyToken.make(1), Permission.READ
        )


def test_an_unknown_token_is_refused(admit: AdmitRequest, new_key: NewKey) -> None:
    with pytest.raises(InvalidApiKeyError):
        admit(KeyToken.make(1), Permission.READ)


def test_a_revoked_key_is_refused_at_once_and_not_counted(
    admit: AdmitRequest, new_key: NewKey, keys: ManageKeys
) -> None:
    admit(new_key.token, Permission.READ)
    keys.revoke(OPERATOR, new_key.key.id)

    with pytest.raises(InvalidApiKeyError):
        admit(new_key.token, Permission.READ)

    assert [day.admitted for day in keys.history(OPERATOR, new_key.key.id)] == [1]


def test_a_key_works_on_its_last_day_to_the_last_moment(
    admit: AdmitRequest,
    keys: ManageKeys,
    new_key: NewKey,
    clock: FakeClock,
    institutions: ManageInstitutions,
) -> None:
    made = keys.create(
        OPERATOR,
        institutions.institution_named(OPERATOR, "General Hospital").id,
        name="Study",
        expires_on=date(2026, 3, 2),
    )
    clock.set_time_of_day(datetime(2026, 3, 2, 23, 59, 59, 999_999, tzinfo=UTC))
    status = admit(made.token, Permission.READ)
    clock.set_time_of_day(datetime(2026, 3, 3, tzinfo=UTC))

    assert status.seconds_left == 1
    with pytest.raises(InvalidApiKeyError):
        admit(made.token, Permission.READ)


def test_a_level_that_does_not_suffice_is_refused_and_not_counted(
    admit: AdmitRequest, new_key: NewKey, keys: ManageKeys
) -> None:
    keys.change(OPERATOR, new_key.key.id, permission=Permission.NONE)

    with pytest.raises(InsufficientPermissionError):
        admit(new_key.token, Permission.READ)

    assert keys.history(OPERATOR, new_key.key.id) == ()


def test_another_keys_requests_are_not_counted(
    admit: AdmitRequest, keys: ManageKeys, new_key: NewKey, institutions: ManageInstitutions
) -> None:
    other = keys.create(
        OPERATOR, institutions.institution_named(OPERATOR, "General Hospital").id, name="Other"
    )
    admit(new_key.token, Permission.READ)

    assert admit(other.token, Permission.READ).remaining == 999


def test_a_day_is_taken_from_utc_wherever_the_clock_stands(
    storage: MemoryStorage, new_key: NewKey, keys: ManageKeys
) -> None:
    clock = FakeClock(datetime.fromisoformat("2026-02-28T20:00:00-05:00"))
    AdmitRequest(storage.admission, clock, CircuitBreaker(clock))(new_key.token, Permission.READ)

    assert [day.day for day in keys.history(OPERATOR, new_key.key.id)] == [date(2026, 3, 1)]
