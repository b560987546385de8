"""Manage institutions and members, for the operator."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evref.application.accounts.shared.audit import record, replace_team
from evref.application.accounts.shared.new_password import check_new_password
from evref.domain.accounts.institution import (
    Institution,
    Member,
    normalised_email,
    normalised_name,
)
from evref.domain.accounts.proxy_sign_in import ProxySecret, ProxySignIn
from evref.domain.audit import Action
from evref.domain.identifiers import IDS, new_id
from evref.domain.principal import Principal, Right, Role, authorise
from evref.domain.redaction import refuse_keys
from evref.ports.accounts.passwords import PasswordGuesser, PasswordHasher
from evref.ports.clock import Clock
from evref.ports.randomness import Randomness
from evref.ports.storage import Storage


@dataclass(frozen=True, slots=True)
class MemberInInstitution:
    """A member with their institution."""

    member: Member
    institution: Institution


@dataclass(kw_only=True, eq=False)
class ManageInstitutions:
    """Creates institutions and members, and resets passwords.

    Each method raises `NotAllowedError` if the principal may not do it, and `NotFoundError` if the
    institution or member does not exist.
    """

    storage: Storage
    passwords: PasswordHasher
    guesser: PasswordGuesser
    clock: Clock
    randomness: Randomness

    def create_institution(self, principal: Principal, name: str) -> Institution:
        """Create an institution.

        Raises:
            InvalidValueError: If the name breaks a rule.
            AlreadyExistsError: If the name is in use.

        """
        authorise(principal, Right.MANAGE_INSTITUTIONS)
        refuse_keys("name", name)
        institution = Institution(
            new_id(self.randomness.below(IDS)), normalised_name(name), self.clock.now()
        )
        with self.storage.changes(principal, institution.created_at) as changes:
            changes.accounts.add_institution(institution)
            detail = f"name {institution.name!r}"
            changes.record(Action.INSTITUTION_CREATED, detail, institution_id=institution.id)
        return institution

    def institutions(self, principal: Principal) -> tuple[Institution, ...]:
        """Return all institutions, ordered by name."""
        authorise(principal, Right.MANAGE_INSTITUTIONS)
        return self.storage.accounts.institutions()

    def institution_named(self, principal: Principal, name: str) -> Institution:
        """Return the institution with this name.

        Raises:
            NotFoundError: If there is none.

        """
        authorise(principal, Right.MANAGE_INSTITUTIONS)
        return self.storage.accounts.institution_named(normalised_name(name))

    def sign_ins(self, principal: Principal) -> Mapping[str, ProxySignIn]:
        """Return the sign-ins by a proxy, by the id of the institution."""
        authorise(principal, Right.MANAGE_INSTITUTIONS)
        return {each.institution_id: each for each in self.storage.accounts.proxy_sign_ins()}

    def set_sign_in(
        self,
        principal: Principal,
        institution_id: str,
        *,
        domains: Sequence[str] = (),
        new_secret: bool = False,
    ) -> ProxySecret | None:
        """Set the domains of which a proxy signs in members; without domains, they stay.

        Returns the secret of the proxy if it is a new one: at the first time, or as `new_secret`
        asks for. It is not stored.

        Raises:
            InvalidValueError: If a domain breaks a rule, or there is none.
            AlreadyExistsError: If another institution has one of the domains.

        """
        before = self.sign_ins(principal).get(institution_id)
        secret = None
        if before is None or new_secret:
            secret = ProxySecret.make(self.randomness.below(ProxySecret.SECRETS))
        after = ProxySignIn(
            institution_id,
            tuple(sorted({each.lower() for each in domains}))
            or (() if before is None else before.domains),
            secret.digest if secret is not None else before.digest if before is not None else "",
        )
        if after != before:
            detail = f"domains {', '.join(after.domains)}" + (", new secret" if secret else "")
            self._keep_sign_in(principal, institution_id, after, detail)
        return secret

    def end_sign_in(self, principal: Principal, institution_id: str) -> None:
        """End the sign-in by a proxy of an institution. It may have none."""
        if institution_id in self.sign_ins(principal):
            self._keep_sign_in(principal, institution_id, None, "off")

    def _keep_sign_in(
        self, principal: Principal, institution_id: str, sign_in: ProxySignIn | None, detail: str
    ) -> None:
        with self.storage.changes(principal, self.clock.now()) as changes:
            changes.accounts.set_proxy_sign_in(institution_id, sign_in)
            changes.record(Action.SIGN_IN_SET, detail, institution_id=institution_id)

    def create_member(
        self,
        principal: Principal,
        institution_id: str,
        email: str,
        *,
        password: str | None,
        role: Role = Role.ADMIN,
    ) -> Member:
        """Create a member. The e-mail is stored in lower case.

        Without a password, only a proxy signs the member in. An open invitation of the institution
        to the same e-mail is revoked.

        Raises:
            InvalidValueError: If the e-mail or the password breaks a rule.
            AlreadyExistsError: If the e-mail is in use.
            LastAdminError: If the institution has no member, and the role is not admin.

        """
        authorise(principal, Right.MANAGE_MEMBERS)
        institution = self.storage.accounts.institution(institution_id)
        refuse_keys("email", email)
        email = normalised_email(email)
        if password is not None:
            check_new_password(password, self.guesser, email=email, institution=institution)
        member = Member(
            id=new_id(self.randomness.below(IDS)),
            institution_id=institution.id,
            email=email,
            role=role,
            password_hash=None if password is None else self.passwords.hash(password),
            created_at=self.clock.now(),
        )
        detail = f"e-mail {member.email}, role {member.role}"
        with self.storage.changes(principal, member.created_at) as changes:
            team = changes.accounts.team(institution.id)
            replace_team(changes, team, team.with_member(member))
            record(changes, Action.MEMBER_CREATED, member, detail)
        return member

    def members(self, principal: Principal) -> tuple[MemberInInstitution, ...]:
        """Return the members of all institutions, ordered by e-mail."""
        authorise(principal, Right.MANAGE_MEMBERS)
        # Members first, so that the institution of each exists when the institutions are read.
        members = self.storage.accounts.members()
        institutions = self.storage.accounts.institutions()
        by_id = {institution.id: institution for institution in institutions}
        return tuple(
            MemberInInstitution(member, by_id[member.institution_id]) for member in members
        )

    def member_with_email(self, principal: Principal, email: str) -> Member:
        """Return the member with this e-mail, ignoring case.

        Raises:
            NotFoundError: If there is none.

        """
        authorise(principal, Right.MANAGE_MEMBERS)
        return self.storage.accounts.member_with_email(normalised_email(email))

    def reset_password(self, principal: Principal, member_id: str, *, password: str) -> None:
        """Set a new password for a member.

        Raises:
            InvalidValueError: If the password breaks a rule.

        """
        authorise(principal, Right.MANAGE_MEMBERS)
        member = self.storage.accounts.member(member_id)
        institution = self.storage.accounts.institution(member.institution_id)
        check_new_password(password, self.guesser, email=member.email, institution=institution)
        password_hash = self.passwords.hash(password)
        with self.storage.changes(principal, self.clock.now()) as changes:
            changes.accounts.set_password(member.id, password_hash)
            record(changes, Action.PASSWORD_RESET, member, f"e-mail {member.email}")
