"""Sign in: sessions of members, and limits on failed attempts."""

from dataclasses import dataclass, replace

from evref.application.accounts.attempts import count_attempt
from evref.application.accounts.new_password import check_new_password
from evref.domain.accounts.institution import Institution, Member, is_email, normalised_email
from evref.domain.accounts.sign_in import (
    FAILURES_KEPT,
    OF_AN_ACCOUNT,
    OF_AN_ADDRESS,
    SESSION_LENGTH,
    Failures,
    Session,
    SessionToken,
    account_name,
    address_name,
)
from evref.domain.audit import Action, Subject, SubjectKind, record
from evref.domain.errors import (
    BusyError,
    Fault,
    InvalidValueError,
    NotFoundError,
    NotSignedInError,
    WrongCredentialsError,
)
from evref.domain.principal import InstitutionMember
from evref.ports.accounts.institutions import InstitutionStore, MemberStore
from evref.ports.accounts.passwords import PasswordGuesser, PasswordHasher
from evref.ports.accounts.sessions import SessionStore
from evref.ports.accounts.sign_in_attempts import SignInAttempts
from evref.ports.clock import Clock
from evref.ports.randomness import Randomness

_SECONDS_BETWEEN_PURGES = 60.0


@dataclass(frozen=True, slots=True)
class SignedIn:
    """A member who is signed in, with their institution."""

    member: Member
    institution: Institution

    @property
    def principal(self) -> InstitutionMember:
        """The member as a principal."""
        return self.member.principal


class SignIn:
    """Starts and ends sessions. `address` is the IP address of the member."""

    def __init__(
        self,
        *,
        members: MemberStore,
        institutions: InstitutionStore,
        sessions: SessionStore,
        attempts: SignInAttempts,
        passwords: PasswordHasher,
        guesser: PasswordGuesser,
        clock: Clock,
        randomness: Randomness,
    ) -> None:
        self._members = members
        self._institutions = institutions
        self._sessions = sessions
        self._attempts = attempts
        self._passwords = passwords
        self._guesser = guesser
        self._clock = clock
        self._randomness = randomness
        self._next_purge = float("-inf")

    def begin(self, email: str, password: str, *, address: str) -> SessionToken:
        """Start a session for the member with this e-mail and password.

        Raises:
            TooManyAttemptsError: If it is too soon after failed ones; the password is not checked.
            WrongCredentialsError: If there is no such member, or the password is wrong. The error
                and the time that it takes are the same.
            BusyError: If too many passwords are being checked; nothing is checked or counted.

        """
        email = normalised_email(email)
        self._count_attempt(email, address)
        member = self._known(email)
        password_hash = None if member is None else member.password_hash
        if not self._is_right(password, password_hash, email, address) or member is None:
            raise WrongCredentialsError
        self._forgive_attempt(email, address)
        try:
            return self._start(member)
        except NotFoundError:
            # The member was removed meanwhile.
            raise WrongCredentialsError from None

    def who(self, token: SessionToken) -> SignedIn:
        """Return the member of this session.

        Raises:
            NotSignedInError: If the session does not exist or has ended.

        """
        try:
            session = self._sessions.get(token.digest)
            member = self._members.get(session.member_id)
        except NotFoundError:
            raise NotSignedInError from None
        if not session.is_live(member, self._clock.now()):
            raise NotSignedInError
        return SignedIn(member, self._institutions.get(member.institution_id))

    def end(self, token: SessionToken) -> None:
        """End the session. It may have ended already."""
        self._sessions.remove(token.digest)

    def check_password_change(
        self, token: SessionToken, *, present: str, new: str, address: str
    ) -> None:
        """Check the current and the new password, and change nothing.

        An empty current password is wrong, but does not count as an attempt to guess it.

        Raises:
            NotSignedInError: If the session has ended.
            InvalidValueError: If `present` is not the current password, or the new password breaks
                a rule; with every fault.
            TooManyAttemptsError: If it is too soon after failed ones; the password is not checked.
            BusyError: If too many passwords are being checked.

        """
        self._check_password_change(self.who(token), present, new, address)

    def change_password(
        self, token: SessionToken, *, present: str, new: str, address: str
    ) -> SessionToken:
        """Change the member's password, end all their sessions, and start a new one.

        Raises:
            NotSignedInError, InvalidValueError, TooManyAttemptsError, BusyError: See
                `check_password_change`; nothing is changed.

        """
        signed_in = self.who(token)
        self._check_password_change(signed_in, present, new, address)
        member = signed_in.member
        password_hash = self._passwords.hash(new)
        entry = record(
            signed_in.principal,
            self._clock.now(),
            Action.PASSWORD_CHANGED,
            f"e-mail {member.email}",
            institution_id=member.institution_id,
            subject=Subject(SubjectKind.MEMBER, member.id),
        )
        try:
            self._members.set_password(member.id, password_hash, entry)
            self._sessions.remove(token.digest)
            # Bound to this password: if another one is set concurrently, the session ends.
            return self._start(replace(member, password_hash=password_hash))
        except NotFoundError:
            # The member was removed meanwhile.
            raise NotSignedInError from None

    def _check_password_change(
        self, signed_in: SignedIn, present: str, new: str, address: str
    ) -> None:
        member = signed_in.member
        faults: list[Fault] = []
        if not present or not self._is_own(present, member, address):
            faults.append(Fault("present", "is incorrect"))
        try:
            check_new_password(
                new, self._guesser, email=member.email, institution=signed_in.institution
            )
        except InvalidValueError as error:
            faults += error.faults
        if faults:
            raise InvalidValueError(faults)

    def _is_own(self, password: str, member: Member, address: str) -> bool:
        self._count_attempt(member.email, address)
        is_right = self._is_right(password, member.password_hash, member.email, address)
        if is_right:
            self._forgive_attempt(member.email, address)
        return is_right

    def _is_right(self, password: str, password_hash: str | None, email: str, address: str) -> bool:
        try:
            return self._passwords.verify(password, password_hash)
        except BusyError:
            # Not a failed attempt, because the password was not checked.
            account, source = account_name(email), address_name(address)
            self._attempts.change(
                (account, source),
                lambda before: {name: before[name].one_less() for name in (account, source)},
            )
            raise

    def _known(self, email: str) -> Member | None:
        if not is_email(email):
            return None
        try:
            return self._members.with_email(email)
        except NotFoundError:
            return None

    def _start(self, member: Member) -> SessionToken:
        token = SessionToken.make(self._randomness.below(SessionToken.SECRETS))
        self._sessions.add(Session.of(member, token, self._clock.now()))
        return token

    def _count_attempt(self, email: str, address: str) -> None:
        """Count the attempt as failed before the password is checked."""
        self._purge_now_and_then()
        slowdowns = {account_name(email): OF_AN_ACCOUNT, address_name(address): OF_AN_ADDRESS}
        count_attempt(self._attempts, self._clock.now(), slowdowns)

    def _purge_now_and_then(self) -> None:
        # A purge takes the write lock of the database, which admission needs too.
        if self._clock.monotonic() < self._next_purge:
            return
        self._next_purge = self._clock.monotonic() + _SECONDS_BETWEEN_PURGES
        instant = self._clock.now()
        self._attempts.remove_older(instant - FAILURES_KEPT)
        self._sessions.remove_started_before(instant - SESSION_LENGTH)

    def _forgive_attempt(self, email: str, address: str) -> None:
        """Undo the count: reset the account, and remove one failure from the address.

        If it reset the address, a member could guess at other accounts between own sign-ins.
        """
        account, source = account_name(email), address_name(address)
        self._attempts.change(
            (account, source),
            lambda before: {account: Failures(), source: before[source].one_less()},
        )
