"""Institutions and their members, sessions, sign-in attempts, shared secrets and passwords."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping
from datetime import datetime

from evref.domain.accounts.institution import Institution, Member
from evref.domain.accounts.invitation import Invitation
from evref.domain.accounts.proxy_sign_in import ProxySignIn
from evref.domain.accounts.session import Session
from evref.domain.accounts.slowdown import Failures
from evref.domain.principal import Role


class Accounts(ABC):
    """Finds institutions, members and invitations.

    Looking up one of them raises `NotFoundError` if there is none.
    """

    @abstractmethod
    def institution(self, institution_id: str) -> Institution:
        """Return the institution with this id."""

    @abstractmethod
    def institution_named(self, name: str) -> Institution:
        """Return the institution with this name, compared exactly."""

    @abstractmethod
    def institutions(self) -> tuple[Institution, ...]:
        """Return all institutions, ordered by name, by Unicode code points."""

    @abstractmethod
    def member(self, member_id: str) -> Member:
        """Return the member with this id."""

    @abstractmethod
    def member_with_email(self, email: str) -> Member:
        """Return the member with this e-mail address, which is in lower case."""

    @abstractmethod
    def members(self) -> tuple[Member, ...]:
        """Return all members, ordered by e-mail address."""

    @abstractmethod
    def members_of(self, institution_id: str) -> tuple[Member, ...]:
        """Return the members of an institution, in the same order."""

    @abstractmethod
    def has_admin(self, institution_id: str, *, besides: str | None = None) -> bool:
        """Return whether an institution has an admin, not counting the member `besides`."""

    @abstractmethod
    def invitation(self, invitation_id: str) -> Invitation:
        """Return the invitation with this id."""

    @abstractmethod
    def invitation_with_digest(self, digest: str) -> Invitation:
        """Return the invitation whose token has this digest."""

    @abstractmethod
    def invitations_to(
        self, institution_id: str, *, email: str | None = None, inviter_id: str | None = None
    ) -> tuple[Invitation, ...]:
        """Return the stored invitations to an institution, newest first, then by id.

        With `email`, only the invitation to this address; with `inviter_id`, only those by this
        member.
        """

    @abstractmethod
    def proxy_sign_ins(self) -> tuple[ProxySignIn, ...]:
        """Return the sign-ins by a proxy of all institutions, in any order."""


class AccountChanges(Accounts):
    """Changes institutions, members and invitations, as part of a unit of work.

    Its results include the changes of this unit. Members and invitations of an institution may
    be changed after `lock`, passwords and sessions without it.
    """

    @abstractmethod
    def add_institution(self, institution: Institution) -> None:
        """Store a new institution.

        Raises:
            AlreadyExistsError: If the name is taken.

        """

    @abstractmethod
    def lock(self, institution_id: str) -> None:
        """Lock the members and invitations of an institution until the unit of work ends.

        Raises:
            NotFoundError: If the institution does not exist.

        """

    @abstractmethod
    def proxy_sign_ins(self) -> tuple[ProxySignIn, ...]:
        """Return the sign-ins by a proxy, which nobody else changes until the unit ends."""

    @abstractmethod
    def add_member(self, member: Member) -> None:
        """Store a new member.

        Raises:
            AlreadyExistsError: If a member of any institution has the e-mail.

        """

    @abstractmethod
    def set_role(self, member_id: str, role: Role) -> None:
        """Change the role of a stored member, whose sessions are removed."""

    @abstractmethod
    def remove_member(self, member_id: str) -> None:
        """Remove a stored member, who is the inviter of no invitation, and their sessions."""

    @abstractmethod
    def add_invitation(self, invitation: Invitation) -> None:
        """Store a new invitation to an address that has none of the institution."""

    @abstractmethod
    def remove_invitation(self, invitation_id: str) -> None:
        """Remove a stored invitation."""

    @abstractmethod
    def remove_invitations_until(self, institution_id: str, instant: datetime) -> None:
        """Remove the invitations to an institution that were created at this time or earlier."""

    @abstractmethod
    def set_proxy_sign_in(self, institution_id: str, sign_in: ProxySignIn | None) -> None:
        """Store the sign-in by a proxy of an institution in place of any earlier one.

        With None, the institution no longer has a sign-in by a proxy.

        Raises:
            NotFoundError: If the institution does not exist.
            AlreadyExistsError: If another institution has one of the domains.

        """

    @abstractmethod
    def set_password(self, member_id: str, password_hash: str | None) -> None:
        """Replace a member's password or, with None, remove it.

        This ends all sessions that began with the old password.

        Raises:
            NotFoundError: If the member does not exist.

        """

    @abstractmethod
    def add_session(self, session: Session) -> None:
        """Store a new session of a member, and remove the oldest beyond `MOST_SESSIONS` (20).

        Raises:
            NotFoundError: If the member is not stored, because they were removed.

        """


class SessionStore(ABC):
    """Finds and ends sessions, by the digests of their tokens, never the tokens themselves."""

    @abstractmethod
    def get(self, digest: str) -> Session:
        """Return the session of the token with this digest, even if it has ended.

        Raises:
            NotFoundError: If there is none.

        """

    @abstractmethod
    def remove(self, digest: str) -> None:
        """Remove the session with this digest, if there is one."""

    @abstractmethod
    def remove_started_before(self, instant: datetime, role: Role) -> None:
        """Remove every session of a member with this role that began before this time."""


class SignInAttempts(ABC):
    """Stores failed attempts for all workers, by names such as those of accounts or addresses."""

    @abstractmethod
    def get(self, names: Collection[str]) -> Mapping[str, Failures]:
        """Return the failures of each name; `Failures()` if none are stored."""

    @abstractmethod
    def change(
        self,
        names: Collection[str],
        change: Callable[[Mapping[str, Failures]], Mapping[str, Failures]],
    ) -> None:
        """Atomically replace the failures of these names with the result of `change`.

        `change` receives what `get` returns, and returns one entry for each name. No other change
        of these names happens between reading and writing. If `change` raises an exception, it
        propagates and nothing is changed.
        """

    @abstractmethod
    def remove_older(self, kind: str, instant: datetime) -> None:
        """Remove the entries whose last failure was before this time, and whose name begins with
        this kind and a colon.
        """


class SharedSecrets(ABC):
    """Stores secrets by name; a stored secret never changes."""

    @abstractmethod
    def keep(self, name: str, candidate: str) -> str:
        """Store the candidate unless a secret with this name is stored; return the stored secret.

        Concurrent calls all return the same secret.
        """


class PasswordHasher(ABC):
    """Hashes passwords with a slow function (argon2id, RFC 9106).

    Hashing needs much memory, so one call runs at a time.
    """

    @abstractmethod
    def hash(self, password: str) -> str:
        """Return a new salted hash in PHC string format, different each time."""

    @abstractmethod
    def verify(self, password: str, password_hash: str | None) -> bool:
        """Return whether the hash is of this password.

        If the hash is None, return False after the same time as for a wrong password, so that the
        timing does not reveal who has an account.
        """


class PasswordGuesser(ABC):
    """Estimates how easy a password is to guess."""

    @abstractmethod
    def is_guessable(self, password: str, known_words: Collection[str]) -> bool:
        """Return whether the password is among the first million guesses of an attacker who has
        lists of common and leaked passwords and knows these words about its owner.

        Only the first 40 characters count, because the time that an estimate takes grows with the
        length.
        """
