"""Sign in: sessions of members, and the change of their passwords."""

from contextlib import suppress
from dataclasses import dataclass, field, replace

from evref.application.accounts.membership import end_sessions, member_with_email, record
from evref.application.accounts.passwords import Attempts, Passwords, forget_old_attempts
from evref.application.accounts.refused_sign_ins import RefusedSignIns
from evref.domain.accounts.institution import (
    Institution,
    Member,
    normalised_email,
    password_faults,
)
from evref.domain.accounts.session import LONGEST_SESSION, Session, SessionToken, surplus
from evref.domain.accounts.slowdown import Device
from evref.domain.audit import SIGN_INS, SIGN_INS_KEPT, Action, Subject, SubjectKind
from evref.domain.errors import (
    Fault,
    InvalidValueError,
    NotFoundError,
    NotSignedInError,
    TooManyAttemptsError,
    WrongCredentialsError,
)
from evref.domain.principal import SERVICE, InstitutionMember
from evref.ports.accounts import INSTITUTIONS, MEMBERS, SESSIONS
from evref.ports.storage import Changes, Storage
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
        return self.member.principal


@dataclass(frozen=True, slots=True)
class StartedSession:
    """A new session, and the device on which the member is known from now on."""

    member: Member
    token: SessionToken
    device: Device


@dataclass(kw_only=True, eq=False)
class SignIn:
    """Starts and ends sessions. A `device` is what the browser knows of an earlier sign-in."""

    storage: Storage
    attempts: Attempts
    refused: RefusedSignIns
    passwords: Passwords
    clock: Clock
    randomness: Randomness
    _next_purge: float = field(default=float("-inf"), init=False)

    def begin(
        self, email: str, password: str, *, address: str, device: Device | None = None
    ) -> StartedSession:
        """An unknown e-mail and a wrong password cause the same error after the same time."""
        self._purge_now_and_then()
        email = normalised_email(email)
        member = member_with_email(self.storage.records, email)
        password_hash = None if member is None else member.password_hash
        try:
            with self.attempts.counted(email, address, self._known(device, member)) as succeed:
                is_right = self.passwords.hasher.verify(password, password_hash)
                if is_right:
                    succeed()
            if is_right and member is not None:
                with suppress(NotFoundError):
                    # Otherwise the member was removed in the meantime.
                    return self.start(member)
        except TooManyAttemptsError:
            self._count_refusal(email, member)
            raise
        self._count_refusal(email, member)
        raise WrongCredentialsError

    def _count_refusal(self, email: str, member: Member | None) -> None:
        self.refused.add(email, *([] if member is None else [member.institution_id]))

    def start(self, member: Member, *, by_proxy: bool = False) -> StartedSession:
        """Start a session for an authenticated member, and record the sign-in.

        Those by a proxy are gathered by the minute: a client without cookies signs in each time.
        """
        self._purge_now_and_then()
        subject = Subject(SubjectKind.MEMBER, member.id)
        how = "by the institution's own system" if by_proxy else "by password"
        with self.storage.changes(member.principal, self.clock.now()) as changes:
            changes.records.lock(MEMBERS, member.id)
            changes.record(
                Action.SIGNED_IN, how, institution_id=member.institution_id, subject=subject
            )
            if by_proxy:
                minute = changes.instant.replace(second=0, microsecond=0)
                changes.entries[-1] = replace(changes.entries[-1], at=minute, times=1)
            return self._start(changes, member, by_proxy=by_proxy)

    def _start(self, changes: Changes, member: Member, *, by_proxy: bool = False) -> StartedSession:
        token = SessionToken.make(self.randomness.below(SessionToken.SECRETS))
        session = Session.begin(member, token, changes.instant, by_proxy=by_proxy)
        changes.records.add(SESSIONS, session)
        for ended in surplus(changes.records.find(SESSIONS, member_id=member.id)):
            changes.records.remove(SESSIONS, ended.digest)
        device = Device.make(member, self.randomness.below(Device.IDS), changes.instant)
        return StartedSession(member, token, device)

    def _purge_now_and_then(self) -> None:
        # A purge takes the write lock of the database, which admission needs too.
        if self.clock.monotonic() >= self._next_purge:
            self._next_purge = self.clock.monotonic() + _SECONDS_BETWEEN_PURGES
            now = self.clock.now()
            with self.storage.changes(SERVICE, now) as changes:
                changes.records.remove_older(SESSIONS, now - LONGEST_SESSION)
                forget_old_attempts(changes)
            self.storage.audit.remove_older(SIGN_INS, now - SIGN_INS_KEPT)

    def who(self, token: SessionToken) -> SignedIn:
        try:
            session = self.storage.records.get(SESSIONS, token.digest)
            member = self.storage.records.get(MEMBERS, session.member_id)
        except NotFoundError:
            raise NotSignedInError from None
        if not session.is_live(member, self.clock.now()):
            raise NotSignedInError
        # Members can read the audit log, so this process writes what is pending.
        self.refused.write()
        institution = self.storage.records.get(INSTITUTIONS, member.institution_id)
        return SignedIn(member, institution, session.by_proxy)

    def end(self, token: SessionToken) -> None:
        with self.storage.changes(SERVICE, self.clock.now()) as changes:
            changes.records.remove(SESSIONS, token.digest)

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
        """Change the password, end all sessions of the member, and start a new one.

        Whether the new password is easily guessed is checked only if `present` is right.
        """
        signed_in = self.who(token)
        member = signed_in.member
        with self.attempts.counted(member.email, address, self._known(device, member)) as succeed:
            if not self.passwords.hasher.verify(present, member.password_hash):
                faults = password_faults(new, repeated)
                raise InvalidValueError([Fault("present", "is incorrect"), *faults])
            succeed()
            password_hash = self.passwords.new_hash(
                new, member.email, signed_in.institution, repeated
            )
        try:
            with self.storage.changes(signed_in.principal, self.clock.now()) as changes:
                present_member = changes.records.lock(MEMBERS, member.id)
                member = replace(present_member, password_hash=password_hash)
                changes.records.replace(MEMBERS, member)
                end_sessions(changes.records, member.id)
                record(changes, Action.PASSWORD_CHANGED, member)
                started = self._start(changes, member)
        except NotFoundError:
            # The member was removed in the meantime.
            raise NotSignedInError from None
        return started

    def _known(self, device: Device | None, member: Member | None) -> Device | None:
        if device is None or member is None or not device.is_known(member, self.clock.now()):
            return None
        return device
