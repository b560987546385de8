"""Members sign in and out, change their password, and nobody can guess for long."""

from contextlib import suppress
from datetime import datetime, timedelta

import pytest

from evref.adapters.outbound.memory import (
    MemoryAuditLog,
    MemoryInstitutionStore,
    MemoryMemberStore,
    MemorySessionStore,
    MemorySignInAttempts,
    MemoryState,
)
from evref.application.accounts.manage_institutions import ManageInstitutions
from evref.application.accounts.sign_in import SignedIn, SignIn
from evref.domain.accounts.institution import Institution, Member
from evref.domain.accounts.sign_in import SessionToken
from evref.domain.audit import Action
from evref.domain.errors import (
    BusyError,
    InvalidValueError,
    NotSignedInError,
    TooManyAttemptsError,
    WrongCredentialsError,
)
from evref.testing.builders import NOON, OPERATOR
from tests.fakes import FakeClock, QuickPasswordHasher, SeededRandomness, SingleGuess

HOSPITAL = "General Hospital"
EMAIL = "ward@example.org"
PASSWORD = "correct horse battery"
HERE = "192.0.2.1"
ELSEWHERE = "192.0.2.2"


@pytest.fixture(autouse=True)
def member(institutions: ManageInstitutions) -> Member:
    institutions.create_institution(OPERATOR, HOSPITAL)
    return institutions.create_member(
        OPERATOR, institutions.institution_named(OPERATOR, HOSPITAL).id, EMAIL, password=PASSWORD
    )


def fail(sign_in: SignIn, times: int, *, email: str = EMAIL, address: str = HERE) -> None:
    for _ in range(times):
        with suppress(WrongCredentialsError, TooManyAttemptsError):
            sign_in.begin(email, "wrong password", address=address)


def is_signed_in(sign_in: SignIn, token: SessionToken) -> bool:
    try:
        sign_in.who(token)
    except NotSignedInError:
        return False
    return True


def test_the_right_password_begins_a_session(
    sign_in: SignIn, member: Member, state: MemoryState
) -> None:
    token = sign_in.begin(f" {EMAIL.upper()} ", PASSWORD, address=HERE)
    institution = Institution(member.institution_id, HOSPITAL, NOON)

    assert sign_in.who(token) == SignedIn(member, institution)
    assert token.text not in repr(state)


def test_each_session_has_a_token_of_its_own(sign_in: SignIn) -> None:
    one = sign_in.begin(EMAIL, PASSWORD, address=HERE)
    other = sign_in.begin(EMAIL, PASSWORD, address=HERE)
    sign_in.end(one)

    assert one != other
    assert not is_signed_in(sign_in, one)
    assert is_signed_in(sign_in, other)


@pytest.mark.parametrize(
    ("email", "password"),
    [
        (EMAIL, "wrong password"),
        (EMAIL, ""),
        ("nobody@example.org", PASSWORD),
        ("", ""),
        ("\ud800", PASSWORD),
        (f"{'x' * 10_000}@example.org", PASSWORD),
    ],
)
def test_whatever_is_wrong_the_answer_is_the_same(
    sign_in: SignIn, email: str, password: str
) -> None:
    with pytest.raises(WrongCredentialsError) as caught:
        sign_in.begin(email, password, address=HERE)

    assert str(caught.value).startswith("The e-mail address or the password is incorrect.")


def test_a_password_is_looked_at_also_where_there_is_no_member(
    sign_in: SignIn, passwords: QuickPasswordHasher
) -> None:
    """The time that hashing takes would else tell who has an account."""
    fail(sign_in, 1, email="nobody@example.org")
    fail(sign_in, 1)

    assert passwords.verified == 2


def test_a_session_ends_after_12_hours_however_much_it_is_used(
    sign_in: SignIn, clock: FakeClock
) -> None:
    token = sign_in.begin(EMAIL, PASSWORD, address=HERE)
    clock.advance(hours=11, minutes=59)

    assert is_signed_in(sign_in, token)
    clock.advance(minutes=1)
    assert not is_signed_in(sign_in, token)


def test_sessions_that_have_ended_are_cleared_away(
    sign_in: SignIn, clock: FakeClock, state: MemoryState
) -> None:
    sign_in.begin(EMAIL, PASSWORD, address=HERE)
    clock.advance(hours=13)
    sign_in.begin(EMAIL, PASSWORD, address=HERE)

    assert len(state.sessions) == 1


@pytest.mark.parametrize("text", ["", "0" * 64, "\ud800", "' OR 1=1"])
def test_nobody_is_signed_in_with_an_unknown_token(sign_in: SignIn, text: str) -> None:
    with pytest.raises(NotSignedInError):
        sign_in.who(SessionToken(text))


def test_a_session_can_be_ended_twice(sign_in: SignIn) -> None:
    token = sign_in.begin(EMAIL, PASSWORD, address=HERE)
    sign_in.end(token)
    sign_in.end(token)

    assert not is_signed_in(sign_in, token)


def test_an_operators_reset_ends_every_session(
    sign_in: SignIn, institutions: ManageInstitutions
) -> None:
    token = sign_in.begin(EMAIL, PASSWORD, address=HERE)
    member = institutions.member_with_email(OPERATOR, EMAIL)
    institutions.reset_password(OPERATOR, member.id, password="another long one")

    assert not is_signed_in(sign_in, token)


# Changing the password


def test_a_changed_password_ends_every_session_but_the_one_that_begins(sign_in: SignIn) -> None:
    present = sign_in.begin(EMAIL, PASSWORD, address=HERE)
    other = sign_in.begin(EMAIL, PASSWORD, address=ELSEWHERE)
    begun = sign_in.change_password(present, present=PASSWORD, new="another long one", address=HERE)

    assert [is_signed_in(sign_in, token) for token in (present, other, begun)] == [
        False,
        False,
        True,
    ]
    with pytest.raises(WrongCredentialsError):
        sign_in.begin(EMAIL, PASSWORD, address=HERE)
    assert is_signed_in(sign_in, sign_in.begin(EMAIL, "another long one", address=HERE))


def test_a_change_of_password_is_audited_without_it(
    sign_in: SignIn, member: Member, audit: MemoryAuditLog
) -> None:
    token = sign_in.begin(EMAIL, PASSWORD, address=HERE)
    sign_in.change_password(token, present=PASSWORD, new="another long one", address=HERE)
    entry = audit.entries(member.institution_id)[0]

    assert (entry.actor, entry.action) == (EMAIL, Action.PASSWORD_CHANGED)
    assert entry.detail == f"e-mail {EMAIL}"


def test_a_wrong_present_password_changes_nothing_and_slows_the_next_guess(
    sign_in: SignIn,
) -> None:
    token = sign_in.begin(EMAIL, PASSWORD, address=HERE)
    for _ in range(5):
        with pytest.raises(InvalidValueError, match="present: is incorrect"):
            sign_in.change_password(
                token, present="wrong one", new="another long one", address=HERE
            )

    with pytest.raises(TooManyAttemptsError):
        sign_in.change_password(token, present=PASSWORD, new="another long one", address=HERE)
    assert is_signed_in(sign_in, token)


@pytest.mark.parametrize(
    ("refused", "told"),
    [
        ("short", "8 to 1024"),
        (SingleGuess.GUESS, "is easily guessed"),
        (EMAIL, "is easily guessed"),
    ],
)
def test_a_new_password_that_may_not_be_changes_nothing(
    sign_in: SignIn, refused: str, told: str
) -> None:
    token = sign_in.begin(EMAIL, PASSWORD, address=HERE)

    with pytest.raises(InvalidValueError, match=told):
        sign_in.change_password(token, present=PASSWORD, new=refused, address=HERE)
    assert is_signed_in(sign_in, token)


def test_all_that_is_wrong_with_a_change_is_told_at_once(sign_in: SignIn) -> None:
    token = sign_in.begin(EMAIL, PASSWORD, address=HERE)

    for use in (sign_in.change_password, sign_in.check_password_change):
        with pytest.raises(InvalidValueError) as error:
            use(token, present="wrong one", new="short", address=HERE)
        assert [fault.field for fault in error.value.faults] == ["present", "password"]


def test_a_change_can_be_checked_without_being_made(sign_in: SignIn) -> None:
    token = sign_in.begin(EMAIL, PASSWORD, address=HERE)

    sign_in.check_password_change(token, present=PASSWORD, new="another long one", address=HERE)

    assert is_signed_in(sign_in, token)
    assert is_signed_in(sign_in, sign_in.begin(EMAIL, PASSWORD, address=HERE))


def test_an_empty_present_password_is_no_guess(sign_in: SignIn) -> None:
    token = sign_in.begin(EMAIL, PASSWORD, address=HERE)

    for _ in range(10):
        with pytest.raises(InvalidValueError, match="present"):
            sign_in.change_password(token, present="", new="another long one", address=HERE)
    sign_in.change_password(token, present=PASSWORD, new="another long one", address=HERE)


def test_nobody_changes_a_password_without_a_session(sign_in: SignIn) -> None:
    with pytest.raises(NotSignedInError):
        sign_in.change_password(
            SessionToken("0"), present=PASSWORD, new="another long one", address=HERE
        )


class ResettingMemberStore(MemoryMemberStore):
    """Has the operator reset a password right after a member has changed it."""

    def set_password(self, member_id: str, password_hash: str, entry: object) -> None:
        for chosen in (password_hash, "$quick$0$operator's"):
            super().set_password(member_id, chosen, entry)  # type: ignore[arg-type]


def test_a_reset_in_the_moment_of_a_change_ends_the_new_session_too(
    state: MemoryState, clock: FakeClock, passwords: QuickPasswordHasher
) -> None:
    sign_in = SignIn(
        members=ResettingMemberStore(state),
        institutions=MemoryInstitutionStore(state),
        sessions=MemorySessionStore(state),
        attempts=MemorySignInAttempts(state),
        passwords=passwords,
        guesser=SingleGuess(),
        clock=clock,
        randomness=SeededRandomness(1),
    )
    token = sign_in.begin(EMAIL, PASSWORD, address=HERE)
    begun = sign_in.change_password(token, present=PASSWORD, new="another long one", address=HERE)

    assert not is_signed_in(sign_in, begun)


# Slowing down


def test_after_five_failures_even_the_right_password_has_to_wait(
    sign_in: SignIn, clock: FakeClock, passwords: QuickPasswordHasher
) -> None:
    fail(sign_in, 5)
    looked_at = passwords.verified
    with pytest.raises(TooManyAttemptsError) as caught:
        sign_in.begin(EMAIL, PASSWORD, address=HERE)

    assert caught.value.seconds == 5
    assert passwords.verified == looked_at
    clock.advance(seconds=5)
    assert is_signed_in(sign_in, sign_in.begin(EMAIL, PASSWORD, address=HERE))


def test_attempts_that_were_not_looked_at_do_not_lengthen_the_wait(
    sign_in: SignIn, clock: FakeClock
) -> None:
    fail(sign_in, 50)
    clock.advance(seconds=5)

    assert is_signed_in(sign_in, sign_in.begin(EMAIL, PASSWORD, address=HERE))


def test_the_wait_is_told_in_whole_seconds_rounded_up(sign_in: SignIn, clock: FakeClock) -> None:
    fail(sign_in, 5)
    clock.advance(seconds=4.5)
    with pytest.raises(TooManyAttemptsError) as caught:
        sign_in.begin(EMAIL, PASSWORD, address=HERE)

    assert caught.value.seconds == 1
    assert str(caught.value).endswith("Try again in 1 second.")


def test_an_account_is_slowed_from_whichever_address_and_also_where_there_is_none(
    sign_in: SignIn,
) -> None:
    for email in (EMAIL, "nobody@example.org"):
        fail(sign_in, 5, email=email)
        with pytest.raises(TooManyAttemptsError):
            sign_in.begin(email, PASSWORD, address=ELSEWHERE)


def test_an_address_is_slowed_whichever_account_it_guesses_at(sign_in: SignIn) -> None:
    for number in range(20):
        fail(sign_in, 1, email=f"m{number}@example.org")

    with pytest.raises(TooManyAttemptsError):
        sign_in.begin(EMAIL, PASSWORD, address=HERE)
    assert is_signed_in(sign_in, sign_in.begin(EMAIL, PASSWORD, address=ELSEWHERE))


def test_a_sign_in_between_does_not_give_an_address_more_guesses_at_others(
    sign_in: SignIn,
) -> None:
    for number in range(20):
        fail(sign_in, 1, email=f"m{number}@example.org")
        with suppress(TooManyAttemptsError):
            sign_in.begin(EMAIL, PASSWORD, address=HERE)

    with pytest.raises(TooManyAttemptsError):
        sign_in.begin("another@example.org", PASSWORD, address=HERE)


def test_a_sign_in_lets_the_account_begin_anew(sign_in: SignIn) -> None:
    for _ in range(3):
        fail(sign_in, 4)
        sign_in.begin(EMAIL, PASSWORD, address=HERE)

    assert is_signed_in(sign_in, sign_in.begin(EMAIL, PASSWORD, address=HERE))


def test_failures_are_forgotten_after_a_quarter_of_an_hour(
    sign_in: SignIn, clock: FakeClock, state: MemoryState
) -> None:
    fail(sign_in, 5)
    clock.advance(minutes=15, seconds=1)
    fail(sign_in, 4, address=ELSEWHERE)

    assert is_signed_in(sign_in, sign_in.begin(EMAIL, PASSWORD, address=ELSEWHERE))
    assert [failures.count for failures in state.failures.values()] == [4]


def test_an_attempt_that_was_not_looked_at_is_not_counted(
    sign_in: SignIn, passwords: QuickPasswordHasher, state: MemoryState
) -> None:
    """A password that the hasher had no room for is no guess; earlier ones stay counted."""
    fail(sign_in, 2)
    counted = {name: failures.count for name, failures in state.failures.items()}
    passwords.is_busy = True
    for _ in range(30):
        with pytest.raises(BusyError):
            sign_in.begin(EMAIL, PASSWORD, address=HERE)
    passwords.is_busy = False

    assert {name: failures.count for name, failures in state.failures.items()} == counted
    assert is_signed_in(sign_in, sign_in.begin(EMAIL, PASSWORD, address=HERE))


def test_a_change_of_password_that_was_not_looked_at_changes_nothing(
    sign_in: SignIn, passwords: QuickPasswordHasher, state: MemoryState
) -> None:
    token = sign_in.begin(EMAIL, PASSWORD, address=HERE)
    passwords.is_busy = True

    with pytest.raises(BusyError):
        sign_in.change_password(token, present=PASSWORD, new="another long one", address=HERE)

    passwords.is_busy = False
    assert not state.failures
    assert is_signed_in(sign_in, token)
    assert is_signed_in(sign_in, sign_in.begin(EMAIL, PASSWORD, address=HERE))


class CountingSignInAttempts(MemorySignInAttempts):
    """Counts the purges, each of which is a transaction that writes."""

    purges = 0

    def remove_older(self, instant: datetime) -> None:
        self.purges += 1
        super().remove_older(instant)


def test_what_is_old_is_purged_once_a_minute_at_most(
    state: MemoryState, clock: FakeClock, passwords: QuickPasswordHasher
) -> None:
    """However many attempts there are."""
    attempts = CountingSignInAttempts(state)
    sign_in = SignIn(
        members=MemoryMemberStore(state),
        institutions=MemoryInstitutionStore(state),
        sessions=MemorySessionStore(state),
        attempts=attempts,
        passwords=passwords,
        guesser=SingleGuess(),
        clock=clock,
        randomness=SeededRandomness(1),
    )
    for _ in range(180):
        fail(sign_in, 1)
        clock.advance(seconds=1)

    assert attempts.purges == 3


def test_an_hour_of_guessing_gets_no_further_than_a_guess_a_minute(
    sign_in: SignIn, clock: FakeClock, passwords: QuickPasswordHasher
) -> None:
    for _ in range(60 * 60):
        fail(sign_in, 1)
        clock.advance(seconds=1)

    assert passwords.verified <= 5 + 4 + 60
    assert clock.now() - NOON == timedelta(hours=1)
