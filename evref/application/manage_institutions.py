"""Manage institutions and members: the operator's part of the institution settings."""

from dataclasses import dataclass

from evref.application.identifiers import new_id
from evref.application.new_password import check_new_password
from evref.domain.access.principal import Principal, Right, authorise
from evref.domain.accounts.institution import Institution, Member
from evref.domain.audit import Action, AuditEntry, Subject, SubjectKind, record
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
    """Makes institutions and members, and resets passwords."""

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

    def create_institution(self, principal: Principal, name: str) -> Institution:
        """A new institution.

        Raises:
            NotAllowedError: when the principal has no right to make one.
            InvalidValueError: when the name breaks a rule.
            AlreadyExistsError: when the name is taken.

        """
        authorise(principal, Right.MANAGE_INSTITUTIONS)
        institution = Institution(new_id(self._randomness), name.strip(), self._clock.now())
        self._institutions.add(
            institution,
            record(
                principal,
                institution.created_at,
                Action.INSTITUTION_CREATED,
                f"name {institution.name!r}",
                institution_id=institution.id,
            ),
        )
        return institution

    def institutions(self, principal: Principal) -> tuple[Institution, ...]:
        """All institutions, ordered by name.

        Raises:
            NotAllowedError: when the principal has no right to see them all.

        """
        authorise(principal, Right.MANAGE_INSTITUTIONS)
        return self._institutions.list()

    def institution_named(self, principal: Principal, name: str) -> Institution:
        """The institution of this name.

        Raises:
            NotAllowedError: when the principal has no right to see all institutions.
            NotFoundError: when there is none.

        """
        authorise(principal, Right.MANAGE_INSTITUTIONS)
        return self._institutions.named(name)

    def create_member(
        self, principal: Principal, institution_id: str, email: str, *, password: str
    ) -> Member:
        """A new member, whose e-mail is kept in lower case.

        Raises:
            NotAllowedError: when the principal has no right to make one.
            InvalidValueError: when the e-mail or the password breaks a rule.
            NotFoundError: when there is no such institution.
            AlreadyExistsError: when the e-mail is taken.

        """
        authorise(principal, Right.MANAGE_MEMBERS)
        institution = self._institutions.get(institution_id)
        email = _normalised(email)
        check_new_password(password, self._guesser, email=email, institution=institution)
        member = Member(
            id=new_id(self._randomness),
            institution_id=institution.id,
            email=email,
            password_hash=self._passwords.hash(password),
            created_at=self._clock.now(),
        )
        self._members.add(member, self._entry(principal, Action.MEMBER_CREATED, member))
        return member

    def members(self, principal: Principal) -> tuple[MemberInInstitution, ...]:
        """The members of all institutions, ordered by e-mail.

        Raises:
            NotAllowedError: when the principal has no right to see them all.

        """
        authorise(principal, Right.MANAGE_MEMBERS)
        # Members first: an institution that one of them belongs to is then there to be found.
        members = self._members.list()
        by_id = {institution.id: institution for institution in self._institutions.list()}
        return tuple(
            MemberInInstitution(member, by_id[member.institution_id]) for member in members
        )

    def member_with_email(self, principal: Principal, email: str) -> Member:
        """The member with this e-mail, in upper or lower case.

        Raises:
            NotAllowedError: when the principal has no right to see all members.
            NotFoundError: when there is none.

        """
        authorise(principal, Right.MANAGE_MEMBERS)
        return self._members.with_email(_normalised(email))

    def reset_password(self, principal: Principal, member_id: str, *, password: str) -> None:
        """Give a member another password.

        Raises:
            NotAllowedError: when the principal has no right to do so.
            InvalidValueError: when the password breaks a rule.
            NotFoundError: when there is no such member.

        """
        authorise(principal, Right.MANAGE_MEMBERS)
        member = self._members.get(member_id)
        institution = self._institutions.get(member.institution_id)
        check_new_password(password, self._guesser, email=member.email, institution=institution)
        self._members.set_password(
            member.id,
            self._passwords.hash(password),
            self._entry(principal, Action.PASSWORD_RESET, member),
        )

    def _entry(self, principal: Principal, action: Action, member: Member) -> AuditEntry:
        return record(
            principal,
            self._clock.now(),
            action,
            f"e-mail {member.email}",
            institution_id=member.institution_id,
            subject=Subject(SubjectKind.MEMBER, member.id),
        )


def _normalised(email: str) -> str:
    return email.strip().lower()
