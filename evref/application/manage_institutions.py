"""Manage institutions and members: the operator's part of the institution settings."""

from dataclasses import dataclass

from evref.application.identifiers import new_id
from evref.application.new_password import check_new_password
from evref.domain.accounts.institution import Action, AuditEntry, Institution, Member
from evref.ports.clock import Clock
from evref.ports.institutions import InstitutionStore, MemberStore
from evref.ports.passwords import PasswordGuesser, PasswordHasher
from evref.ports.randomness import Randomness


@dataclass(frozen=True, slots=True)
class MemberInInstitution:
    """A member with the institution that they belong to."""

    member: Member
    institution: Institution


class ManageInstitutions:
    """Makes institutions and members, and resets passwords. `actor` is who asks for it."""

    def __init__(
        self,
        *,
        institutions: InstitutionStore,
        members: MemberStore,
        passwords: PasswordHasher,
        guesser: PasswordGuesser,
        clock: Clock,
        randomness: Randomness,
    ) -> None:
        self._institutions = institutions
        self._members = members
        self._passwords = passwords
        self._guesser = guesser
        self._clock = clock
        self._randomness = randomness

    def create_institution(self, name: str, *, actor: str) -> Institution:
        """A new institution.

        Raises:
            InvalidValueError: when the name breaks a rule.
            AlreadyExistsError: when the name is taken.

        """
        institution = Institution(new_id(self._randomness), name.strip(), self._clock.now())
        self._institutions.add(
            institution,
            self._entry(
                institution.id, actor, Action.INSTITUTION_CREATED, f"name {institution.name!r}"
            ),
        )
        return institution

    def institutions(self) -> tuple[Institution, ...]:
        """All institutions, ordered by name."""
        return self._institutions.list()

    def create_member(
        self, email: str, *, institution_name: str, password: str, actor: str
    ) -> Member:
        """A new member, whose e-mail is kept in lower case.

        Raises:
            InvalidValueError: when the e-mail or the password breaks a rule.
            NotFoundError: when there is no such institution.
            AlreadyExistsError: when the e-mail is taken.

        """
        institution = self._institutions.named(institution_name)
        email = email.strip().lower()
        check_new_password(password, self._guesser, email=email, institution=institution)
        member = Member(
            id=new_id(self._randomness),
            institution_id=institution.id,
            email=email,
            password_hash=self._passwords.hash(password),
            created_at=self._clock.now(),
        )
        self._members.add(
            member,
            self._entry(institution.id, actor, Action.MEMBER_CREATED, f"e-mail {member.email}"),
        )
        return member

    def members(self) -> tuple[MemberInInstitution, ...]:
        """All members, ordered by e-mail."""
        # Members first: an institution that one of them belongs to is then there to be found.
        members = self._members.list()
        by_id = {institution.id: institution for institution in self._institutions.list()}
        return tuple(
            MemberInInstitution(member, by_id[member.institution_id]) for member in members
        )

    def reset_password(self, email: str, *, password: str, actor: str) -> None:
        """Give a member another password.

        Raises:
            InvalidValueError: when the password breaks a rule.
            NotFoundError: when there is no such member.

        """
        member = self._members.with_email(email.strip().lower())
        institution = self._institutions.get(member.institution_id)
        check_new_password(password, self._guesser, email=member.email, institution=institution)
        self._members.set_password(
            member.id,
            self._passwords.hash(password),
            self._entry(
                member.institution_id, actor, Action.PASSWORD_RESET, f"e-mail {member.email}"
            ),
        )

    def _entry(self, institution_id: str, actor: str, action: Action, detail: str) -> AuditEntry:
        return AuditEntry(
            at=self._clock.now(),
            institution_id=institution_id,
            actor=actor,
            action=action,
            key_id=None,
            detail=detail,
        )
