"""Principals and their rights. All authorisation is decided here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, StrEnum, auto

from evref.domain.errors import NotAllowedError, NotFoundError


class Role(StrEnum):
    """The role of a member in their institution, lowest first."""

    READER = "reader"
    VIEWER = "viewer"
    ADMIN = "admin"


class Readers(StrEnum):
    """The readers to whom the operator gives access to the catalogue's pages."""

    MEMBERS = "members"
    PUBLIC = "public"
    OFF = "off"

    def admits(self, *, member: bool) -> bool:
        """Return whether a visitor may read the pages, given whether they are a signed-in member.

        >>> Readers.MEMBERS.admits(member=False)
        False
        """
        return self is Readers.PUBLIC or (self is Readers.MEMBERS and member)


class Right(Enum):
    """The rights: those of members are in their own institution, and they have none in others."""

    # Keys, members and the audit log.
    SEE = auto()
    # Keys and members. Includes invitations: to see, create and revoke them.
    CHANGE = auto()
    # Institutions and the catalogue. Includes passwords: anyone who sets a password can act as the
    # member.
    OPERATE = auto()


_RIGHTS: Mapping[Role, frozenset[Right]] = {
    # Reads the pages of the catalogue, as each member may.
    Role.READER: frozenset(),
    Role.VIEWER: frozenset({Right.SEE}),
    Role.ADMIN: frozenset({Right.SEE, Right.CHANGE}),
}


@dataclass(frozen=True, slots=True)
class Operator:
    """The operator, who uses the command line and has all rights in all institutions."""

    name = "operator"
    """The name in the audit log."""
    member_id = None


@dataclass(frozen=True, slots=True)
class InstitutionMember:
    member_id: str
    email: str
    institution_id: str
    role: Role

    @property
    def name(self) -> str:
        return self.email


Principal = Operator | InstitutionMember

SERVICE = Operator()
"""Who makes the changes that nobody asked for and no log has, such as counting an attempt."""


def authorise(principal: Principal, right: Right) -> None:
    """Raise `NotAllowedError` if the principal does not have the right."""
    if isinstance(principal, InstitutionMember) and right not in _RIGHTS[principal.role]:
        raise NotAllowedError


def authorise_in(
    institution_id: str, principal: Principal, right: Right, *, unseen: NotFoundError | None = None
) -> None:
    """Raise `NotAllowedError` if the principal does not have the right in this institution.

    A member of another institution must not learn what exists in this one: the error is then
    `unseen`, by default about the institution.
    """
    if isinstance(principal, InstitutionMember) and principal.institution_id != institution_id:
        raise unseen or NotFoundError("institution", institution_id)
    authorise(principal, right)
