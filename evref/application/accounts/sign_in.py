"""Sign in: sessions of members, and the change of their passwords."""

from dataclasses import dataclass, field, replace

from evref.application.accounts.passwords import Attempts, check_new_password
from evref.application.accounts.people import record
from evref.domain.accounts.institution import (
    Institution,
    Member,
    is_email,
    normalised_email,
    password_faults,
)
from evref.domain.accounts.session import SESSION_LENGTHS, Session, SessionToken
from evref.domain.accounts.slowdown import Device
from evref.domain.audit import Action
from evref.domain.errors import (
    Fault,
    InvalidValueError,
    NotFoundError,
    NotSignedInError,
    WrongCredentialsError,
)
from evref.domain.principal import InstitutionMember
from evref.ports.accounts import PasswordGuesser, PasswordHasher
from evref.ports.storage import Storage
from evref.ports.system import Clock, Randomness

_SECONDS_BETWEEN_PURGES = 60.0


@dataclass(frozen=True, slots=True)
class SignedIn:
    """A member who is signed in, `by_proxy` or with a password, and their institution."""

    member: Member
    institution: Institution
    by_proxy: bool = False

    @property
    def principal(self) -> InstitutionMember:
        """The member as a principal."""
        return self.member.principal


@dataclass(frozen=True, slots=True)
class StartedSession:
    """A new session, and the device on which the member is known from now on."""

    member: Member
    token: SessionToken
    device: Device


@dataclass(kw_only=True, eq=False)
class SignIn:
    """Starts and ends sessions.

    `address` is the IP address of the member, and `device` what the browser knows of an earlier
    sign-in, if anything.
    """

    storage: Storage
    attempts: Attempts
    passwords: PasswordHasher
    guesser: PasswordGuesser
    clock: Clock
    randomness: Randomness
    _next_purge: float = field(default=float("-inf"), init=False)

    def begin(
        self, email: str, password: str, *, address: str, device: Device | None = None
    ) -> StartedSession:
        """Start a session for the member with this e-mail and password.

        Raises:
            TooManyAttemptsError: If it is too soon after failed ones; the password is not checked.
            WrongCredentialsError: If the member does not exist, or the password is wrong. The error
                and the time that it takes are the same.
            BusyError: If too many passwords are being checked; nothing is checked or counted.

        """
        email = normalised_email(email)
        member = self._with_email(email)
        password_hash = None if member is None else member.password_hash
        with self.attempts.counted(email, address, self._known(device, member)) as succeed:
            if not self.passwords.verify(password, password_hash) or member is None:
                raise WrongCredentialsError
            succeed()
        try:
            return self.start(member)
        except NotFoundError:
            # The member was removed meanwhile.
            raise WrongCredentialsError from None

    def start(self, member: Member, *, by_proxy: bool = False) -> StartedSession:
        """Start a session for a member who is known to be the one.

        Raises:
            NotFoundError: If the member was removed.

        """
        instant = self.clock.now()
        self._purge_now_and_then()
        token = SessionToken.make(self.randomness.below(SessionToken.SECRETS))
        self.storage.sessions.add(Session.of(member, token, instant, by_proxy=by_proxy))
        device = Device.of(member, self.randomness.below(Device.IDS), instant)
        return StartedSession(member, token, device)

    def _purge_now_and_then(self) -> None:
        # A purge takes the write lock of the database, which admission needs too.
        if self.clock.monotonic() >= self._next_purge:
            self._next_purge = self.clock.monotonic() + _SECONDS_BETWEEN_PURGES
            for role, length in SESSION_LENGTHS.items():
                self.storage.sessions.remove_started_before(self.clock.now() - length, role)

    def who(self, token: SessionToken) -> SignedIn:
        """Return the member of this session.

        Raises:
            NotSignedInError: If the session does not exist or has ended.

        """
        try:
            session = self.storage.sessions.get(token.digest)
            member = self.storage.accounts.member(session.member_id)
        except NotFoundError:
            raise NotSignedInError from None
        if not session.is_live(member, self.clock.now()):
            raise NotSignedInError
        institution = self.storage.accounts.institution(member.institution_id)
        return SignedIn(member, institution, session.by_proxy)

    def end(self, token: SessionToken) -> None:
        """End the session. It may have ended already."""
        self.storage.sessions.remove(token.digest)

    def change_password(
        self,
        token: SessionToken,
        *,
        present: str,
        new: str,
        repeated: str,
        address: str,
        device: Device | None = None,
    ) -> StartedSession:
        """Change the member's password, end all their sessions, and start a new one.

        Raises:
            NotSignedInError: If the session has ended.
            InvalidValueError: If `present` is not the current password, or the new one breaks a
                rule or differs from `repeated`; with every fault. Whether the new password is
                easily guessed is checked only if `present` is right.
            TooManyAttemptsError: If it is too soon after failed ones; the password is not checked.
            BusyError: If too many passwords are being checked.

        """
        signed_in = self.who(token)
        member = signed_in.member
        with self.attempts.counted(member.email, address, self._known(device, member)) as succeed:
            if not self.passwords.verify(present, member.password_hash):
                faults = password_faults(new, repeated)
                raise InvalidValueError([Fault("present", "is incorrect"), *faults])
            succeed()
            check_new_password(
                new,
                self.guesser,
                email=member.email,
                institution=signed_in.institution,
                repeated=repeated,
            )
            password_hash = self.passwords.hash(new)
        try:
            with self.storage.changes(signed_in.principal, self.clock.now()) as changes:
                changes.accounts.set_password(member.id, password_hash)
                record(changes, Action.PASSWORD_CHANGED, member)
            self.storage.sessions.remove(token.digest)
            # Bound to this password: if another one is set concurrently, the session ends.
            return self.start(replace(member, password_hash=password_hash))
        except NotFoundError:
            # The member was removed meanwhile.
            raise NotSignedInError from None

    def _with_email(self, email: str) -> Member | None:
        if not is_email(email):
            return None
        try:
            return self.storage.accounts.member_with_email(email)
        except NotFoundError:
            return None

    def _known(self, device: Device | None, member: Member | None) -> Device | None:
        if device is None or member is None or not device.is_known(member, self.clock.now()):
            return None
        return device
