"""Manage institutions and their sign-in by a proxy, for the operator."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evref.domain.accounts.institution import (
    Institution,
    normalised_name,
)
from evref.domain.accounts.proxy_sign_in import ProxySecret, ProxySignIn
from evref.domain.audit import Action
from evref.domain.identifiers import IDS, new_id
from evref.domain.principal import Principal, Right, authorise
from evref.domain.redaction import refuse_keys
from evref.ports.accounts import Accounts
from evref.ports.storage import Storage
from evref.ports.system import Clock, Randomness


@dataclass(kw_only=True, eq=False)
class ManageInstitutions:
    """Creates institutions, and sets which proxy signs in their members.

    Each method raises `NotAllowedError` if the principal may not do it, and `NotFoundError` if the
    institution does not exist.
    """

    storage: Storage
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
        return {
            sign_in.institution_id: sign_in for sign_in in self.storage.accounts.proxy_sign_ins()
        }

    def set_sign_in(
        self,
        principal: Principal,
        institution_id: str,
        *,
        domains: Sequence[str] = (),
        new_secret: bool = False,
    ) -> ProxySecret | None:
        """Set the domains whose members a proxy signs in; without domains, keep the present ones.

        Returns the secret of the proxy if it is new: the first time, or with `new_secret`. Only its
        hash is stored.

        Raises:
            InvalidValueError: If a domain breaks a rule, or there is no domain.
            AlreadyExistsError: If another institution has one of the domains.

        """
        authorise(principal, Right.MANAGE_INSTITUTIONS)
        secret = None
        with self.storage.changes(principal, self.clock.now()) as changes:
            changes.accounts.lock(institution_id)
            before = _sign_in_of(changes.accounts, institution_id)
            if before is None or new_secret:
                secret = ProxySecret.make(self.randomness.below(ProxySecret.SECRETS))
            after = ProxySignIn(
                institution_id,
                tuple(sorted({domain.lower() for domain in domains}))
                or (() if before is None else before.domains),
                secret.digest if secret else before.digest if before else "",
            )
            if after != before:
                changes.accounts.set_proxy_sign_in(institution_id, after)
                detail = f"domains {', '.join(after.domains)}" + (", new secret" if secret else "")
                changes.record(Action.SIGN_IN_SET, detail, institution_id=institution_id)
        return secret

    def end_sign_in(self, principal: Principal, institution_id: str) -> None:
        """End an institution's sign-in by a proxy, if it has one."""
        authorise(principal, Right.MANAGE_INSTITUTIONS)
        with self.storage.changes(principal, self.clock.now()) as changes:
            changes.accounts.lock(institution_id)
            if _sign_in_of(changes.accounts, institution_id) is not None:
                changes.accounts.set_proxy_sign_in(institution_id, None)
                changes.record(Action.SIGN_IN_SET, "off", institution_id=institution_id)


def _sign_in_of(accounts: Accounts, institution_id: str) -> ProxySignIn | None:
    for sign_in in accounts.proxy_sign_ins():
        if sign_in.institution_id == institution_id:
            return sign_in
    return None
