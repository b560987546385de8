"""Who asks for something to be managed, and what they may do: the one place that decides."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, StrEnum, auto

from evref.domain.errors import NotAllowedError, NotFoundError


class Role(StrEnum):
    """What a member is in their institution, least first."""

    VIEWER = "viewer"
    ADMIN = "admin"


class Right(Enum):
    """Something that not everybody may do."""

    SEE_KEYS = auto()
    CHANGE_KEYS = auto()
    READ_AUDIT_LOG = auto()
    MANAGE_INSTITUTIONS = auto()
    # With their passwords: whoever sets a password can act in the member's name.
    MANAGE_MEMBERS = auto()
    PUBLISH_CATALOGUE = auto()


_RIGHTS: Mapping[Role, frozenset[Right]] = {
    Role.VIEWER: frozenset({Right.SEE_KEYS, Right.READ_AUDIT_LOG}),
    Role.ADMIN: frozenset({Right.SEE_KEYS, Right.READ_AUDIT_LOG, Right.CHANGE_KEYS}),
}
"""What members may do in their own institution. They have no rights anywhere else."""


@dataclass(frozen=True, slots=True)
class Operator:
    """Whoever runs the service, on its command line. They have every right everywhere."""

    @property
    def name(self) -> str:
        """How the audit log names them."""
        return "operator"


@dataclass(frozen=True, slots=True)
class InstitutionMember:
    """A member of an institution, in the role that they have there."""

    email: str
    institution_id: str
    role: Role

    @property
    def name(self) -> str:
        """How the audit log names them."""
        return self.email


Principal = Operator | InstitutionMember


def authorise(principal: Principal, right: Right) -> None:
    """Pass silently when the principal has the right, wherever it is.

    Raises:
        NotAllowedError: when they do not have it.

    """
    if isinstance(principal, InstitutionMember) and right not in _RIGHTS[principal.role]:
        raise NotAllowedError


def authorise_in(
    institution_id: str, principal: Principal, right: Right, *, unseen: NotFoundError
) -> None:
    """Pass silently when the principal has the right in this institution.

    Raises:
        NotFoundError: `unseen`, for a member of another institution, who must not learn what
            there is in this one.
        NotAllowedError: when they do not have the right.

    """
    if isinstance(principal, InstitutionMember) and principal.institution_id != institution_id:
        raise unseen
    authorise(principal, right)
