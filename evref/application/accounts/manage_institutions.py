"""Manage institutions and their sign-in by a proxy, for the operator."""

from collections.abc import Sequence
from dataclasses import dataclass

from evref.domain.accounts.institution import Institution, normalised_name
from evref.domain.accounts.proxy_sign_in import ProxySecret, ProxySignIn, sign_in_domains
from evref.domain.audit import Action
from evref.domain.errors import Fault, InvalidValueError, NotFoundError
from evref.domain.identifiers import IDS, new_id
from evref.domain.principal import Principal, Right, authorise
from evref.domain.redaction import refuse_keys
from evref.ports.accounts import INSTITUTIONS, PROXY_SIGN_INS, SIGN_IN_DOMAINS, RecordChanges
from evref.ports.storage import Storage
from evref.ports.system import Clock, Randomness


@dataclass(kw_only=True, eq=False)
class ManageInstitutions:
    storage: Storage
    clock: Clock
    randomness: Randomness

    def create_institution(self, principal: Principal, name: str) -> Institution:
        authorise(principal, Right.OPERATE)
        refuse_keys("name", name)
        institution = Institution(
            new_id(self.randomness.below(IDS)), normalised_name(name), self.clock.now()
        )
        with self.storage.changes(principal, institution.created_at) as changes:
            changes.records.add(INSTITUTIONS, institution)
            detail = f"name {institution.name!r}"
            changes.record(Action.INSTITUTION_CREATED, detail, institution_id=institution.id)
        return institution

    def institutions(self, principal: Principal) -> tuple[Institution, ...]:
        """Return all institutions, ordered by name."""
        authorise(principal, Right.OPERATE)
        institutions = self.storage.records.find(INSTITUTIONS)
        return tuple(sorted(institutions, key=lambda institution: institution.name))

    def institution_named(self, principal: Principal, name: str) -> Institution:
        authorise(principal, Right.OPERATE)
        normalised = normalised_name(name)
        for institution in self.storage.records.find(INSTITUTIONS, name=normalised):
            return institution
        raise NotFoundError(INSTITUTIONS.name, normalised)

    def set_sign_in(
        self,
        principal: Principal,
        institution_id: str,
        *,
        domains: Sequence[str] = (),
        new_secret: bool = False,
    ) -> ProxySecret | None:
        """Set the domains whose members a proxy signs in; without domains, keep the present ones.

        Return the secret of the proxy if it is new: the first time, or with `new_secret`.
        """
        authorise(principal, Right.OPERATE)
        secret = None
        named = sign_in_domains(institution_id, domains)
        with self.storage.changes(principal, self.clock.now()) as changes:
            records = changes.records
            _lock_all(records, institution_id)
            before = records.find(PROXY_SIGN_INS, institution_id=institution_id)
            earlier = records.find(SIGN_IN_DOMAINS, institution_id=institution_id)
            if not (named or earlier):
                raise InvalidValueError([Fault("domains", "must have at least one")])
            if new_secret or not before:
                secret = ProxySecret.make(self.randomness.below(ProxySecret.SECRETS))
                records.remove(PROXY_SIGN_INS, institution_id)
                records.add(PROXY_SIGN_INS, ProxySignIn(institution_id, secret.digest))
            after = named or earlier
            for domain in set(earlier) - set(after):
                records.remove(SIGN_IN_DOMAINS, domain.domain)
            for domain in sorted(set(after) - set(earlier), key=lambda added: added.domain):
                records.add(SIGN_IN_DOMAINS, domain)
            if secret or after != earlier:
                names = ", ".join(domain.domain for domain in after)
                detail = f"domains {names}" + (", new secret" if secret else "")
                changes.record(Action.SIGN_IN_SET, detail, institution_id=institution_id)
        return secret

    def end_sign_in(self, principal: Principal, institution_id: str) -> None:
        authorise(principal, Right.OPERATE)
        with self.storage.changes(principal, self.clock.now()) as changes:
            changes.records.lock(INSTITUTIONS, institution_id)
            if changes.records.find(PROXY_SIGN_INS, institution_id=institution_id):
                for domain in changes.records.find(SIGN_IN_DOMAINS, institution_id=institution_id):
                    changes.records.remove(SIGN_IN_DOMAINS, domain.domain)
                changes.records.remove(PROXY_SIGN_INS, institution_id)
                changes.record(Action.SIGN_IN_SET, "off", institution_id=institution_id)


def _lock_all(records: RecordChanges, institution_id: str) -> None:
    """Lock all institutions: no member of a domain may join another while it gets its sign-in."""
    records.get(INSTITUTIONS, institution_id)
    for institution in records.find(INSTITUTIONS):
        records.lock(INSTITUTIONS, institution.id)
