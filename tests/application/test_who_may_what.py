"""Tests of what each principal may do with each use case that manages something.

A new use case fails these tests until the table here has a row for it.
"""

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

import pytest

import evref.application
from evref.adapters.outbound.memory import MemoryStorage
from evref.adapters.outbound.memory.state import MemoryState
from evref.application.access.manage_keys import ManageKeys
from evref.application.accounts.manage_institutions import ManageInstitutions
from evref.application.accounts.people import People
from evref.application.catalogue.load_codes import LoadCodes
from evref.application.catalogue.publish_catalogue import PublishCatalogue
from evref.application.read_audit_log import ReadAuditLog
from evref.domain.accounts.institution import Institution
from evref.domain.audit import EVERYTHING
from evref.domain.catalogue.snomed import SnomedMap
from evref.domain.errors import NotAllowedError, NotFoundError
from evref.domain.principal import Operator, Principal, Role
from evref.ports.storage import AuditLog
from evref.testing.builders import a_catalogue, an_entry
from tests.fakes import FakeCatalogueFiles, FakeClock

A_MAP = SnomedMap(None, {1: (("M17",),)})
PASSWORD = "correct horse battery"
ONE, OTHER = Path("one"), Path("other")
PRINCIPALS = ("operator", "admin", "viewer", "reader", "stranger")
"""A stranger is an admin of another institution."""

DONE, NOT_ALLOWED, NOT_FOUND = "done", NotAllowedError, NotFoundError
Outcome = str | type[Exception]


@dataclass(frozen=True)
class House:
    """The use cases, and two institutions with members, an invitation and a key."""

    keys: ManageKeys
    institutions: ManageInstitutions
    people: People
    log: ReadAuditLog
    publish: PublishCatalogue
    codes: LoadCodes
    institution_id: str
    member_id: str
    viewer_id: str
    invitation_id: str
    key_id: str
    principals: Mapping[str, Principal]


@pytest.fixture
def publish(storage: MemoryStorage, clock: FakeClock) -> PublishCatalogue:
    files = FakeCatalogueFiles()
    files.held = {ONE: a_catalogue(an_entry("one")), OTHER: a_catalogue(an_entry("other"))}
    publish = PublishCatalogue(storage, files, clock, OTHER)
    for path in (ONE, OTHER):
        plan = publish.plan_load(Operator(), path)
        publish.publish(Operator(), plan, by="root", allow_removals=True)
    return publish


@pytest.fixture
def codes(storage: MemoryStorage, clock: FakeClock) -> LoadCodes:
    codes = LoadCodes(storage, FakeCatalogueFiles(), clock)
    codes.load(Operator(), codes.read_map(Operator(), ONE).map, by="root")
    return codes


@pytest.fixture
def house(
    *,
    keys: ManageKeys,
    institutions: ManageInstitutions,
    people: People,
    audit: AuditLog,
    publish: PublishCatalogue,
    codes: LoadCodes,
    hospital: Institution,
) -> House:
    operator, own = Operator(), hospital
    other = institutions.create_institution(operator, "Clinic")
    member = people.create(operator, own.id, "a@b.org", password=PASSWORD)
    viewer = people.create(operator, own.id, "v@b.org", password=PASSWORD, role=Role.VIEWER)
    stranger = people.create(operator, other.id, "s@b.org", password=PASSWORD)
    invitation = people.invite(operator, own.id, email="i@b.org", role=Role.VIEWER)[0]
    return House(
        people=people,
        keys=keys,
        institutions=institutions,
        log=ReadAuditLog(audit),
        publish=publish,
        codes=codes,
        institution_id=own.id,
        member_id=member.id,
        viewer_id=viewer.id,
        invitation_id=invitation.id,
        key_id=keys.create(operator, own.id, name="Ward app").key.id,
        principals={
            "operator": operator,
            "admin": member.principal,
            "viewer": viewer.principal,
            "reader": replace(viewer.principal, role=Role.READER),
            "stranger": stranger.principal,
        },
    )


SEE = (DONE, DONE, DONE, NOT_ALLOWED, NOT_FOUND)
CHANGE = (DONE, DONE, NOT_ALLOWED, NOT_ALLOWED, NOT_FOUND)
OPERATOR_ONLY = (DONE, NOT_ALLOWED, NOT_ALLOWED, NOT_ALLOWED, NOT_ALLOWED)

Act = Callable[[House, Principal], object]
GROUPS: list[tuple[tuple[Outcome, ...], dict[str, Act]]] = [
    (
        CHANGE,
        {
            "ManageKeys.create": lambda h, who: h.keys.create(who, h.institution_id, name="New"),
            "ManageKeys.change": lambda h, who: h.keys.change(who, h.key_id, name="Other"),
            "ManageKeys.rotate": lambda h, who: h.keys.rotate(
                who, h.key_id, keep_old_for=timedelta(0)
            ),
            "ManageKeys.end_previous": lambda h, who: h.keys.end_previous(who, h.key_id),
            "ManageKeys.revoke": lambda h, who: h.keys.revoke(who, h.key_id),
            "People.invitations": lambda h, who: h.people.invitations(who, h.institution_id),
            "People.invite": lambda h, who: h.people.invite(
                who, h.institution_id, email="new@b.org", role=Role.ADMIN
            ),
            "People.revoke_invitation": lambda h, who: h.people.revoke_invitation(
                who, h.invitation_id
            ),
            "People.member": lambda h, who: h.people.member(who, h.viewer_id),
            "People.set_role": lambda h, who: h.people.set_role(who, h.viewer_id, Role.ADMIN),
            "People.remove": lambda h, who: h.people.remove(who, h.viewer_id),
        },
    ),
    (
        SEE,
        {
            "ManageKeys.list": lambda h, who: h.keys.list(who, h.institution_id),
            "ManageKeys.get": lambda h, who: h.keys.get(who, h.key_id),
            "ManageKeys.history": lambda h, who: h.keys.history(who, h.key_id),
            "People.sign_in_domains": lambda h, who: h.people.sign_in_domains(
                who, h.institution_id
            ),
            "ManageKeys.caps": lambda h, who: h.keys.caps(who, h.institution_id),
            "People.list": lambda h, who: h.people.list(who, h.institution_id),
            "ReadAuditLog.whole": lambda h, who: h.log.whole(who, h.institution_id, EVERYTHING),
            "ReadAuditLog.__call__": lambda h, who: h.log(who, h.institution_id, 1),
        },
    ),
    (
        OPERATOR_ONLY,
        {
            "ManageKeys.list_all": lambda h, who: h.keys.list_all(who),
            "ManageKeys.set_caps": lambda h, who: h.keys.set_caps(
                who, h.institution_id, most_keys=1
            ),
            "ManageInstitutions.create_institution": lambda h, who: (
                h.institutions.create_institution(who, "Third")
            ),
            "ManageInstitutions.institutions": lambda h, who: h.institutions.institutions(who),
            "ManageInstitutions.institution_named": lambda h, who: h.institutions.institution_named(
                who, "General Hospital"
            ),
            "ManageInstitutions.set_sign_in": lambda h, who: h.institutions.set_sign_in(
                who, h.institution_id, domains=["b.org"]
            ),
            "ManageInstitutions.end_sign_in": lambda h, who: h.institutions.end_sign_in(
                who, h.institution_id
            ),
            "People.create": lambda h, who: h.people.create(
                who, h.institution_id, "c@b.org", password=PASSWORD
            ),
            "People.list_all": lambda h, who: h.people.list_all(who),
            "People.with_email": lambda h, who: h.people.with_email(who, "a@b.org"),
            "People.reset_password": lambda h, who: h.people.reset_password(
                who, h.member_id, password="another long one"
            ),
            "LoadCodes.read_map": lambda h, who: h.codes.read_map(who, ONE),
            "LoadCodes.load": lambda h, who: h.codes.load(who, A_MAP, by="root"),
            "LoadCodes.leading": lambda h, who: h.codes.leading(who, A_MAP),
            "LoadCodes.status": lambda h, who: h.codes.status(who),
            "LoadCodes.remove": lambda h, who: h.codes.remove(who, by="root"),
            "PublishCatalogue.check": lambda h, who: h.publish.check(who, [ONE]),
            "PublishCatalogue.not_read": lambda h, who: h.publish.not_read(who, [ONE]),
            "PublishCatalogue.warnings": lambda h, who: h.publish.warnings(
                who, a_catalogue(an_entry()), [ONE]
            ),
            "PublishCatalogue.plan_load": lambda h, who: h.publish.plan_load(who, ONE),
            "PublishCatalogue.plan_rollback": lambda h, who: h.publish.plan_rollback(who),
            "PublishCatalogue.publish": lambda h, who: h.publish.publish(
                who,
                h.publish.plan_load(Operator(), ONE),
                by="root",
                allow_removals=True,
            ),
            "PublishCatalogue.publish_bundled": lambda h, who: h.publish.publish_bundled(
                who, by="root"
            ),
            "PublishCatalogue.export": lambda h, who: h.publish.export(who, Path("out")),
            "PublishCatalogue.status": lambda h, who: h.publish.status(who),
            "PublishCatalogue.history": lambda h, who: h.publish.history(who),
        },
    ),
]
TABLE = {name: (act, outcomes) for outcomes, acts in GROUPS for name, act in acts.items()}

FOR_EVERYBODY = {
    # Available to anyone with a key, or used by the service itself.
    "BrowseCatalogue",
    "CircuitBreaker",
    "Gate",
    # They find out who somebody is. A member changes their own password by the session.
    "SignIn",
    "SignInByProxy",
    "RefusedSignIns",
    "Attempts",
    "Bulkhead",
    # For the person with the link of an invitation, who is not a member yet.
    "People.invitation",
    "People.accept",
    # For a person whom the institution's own system has signed in.
    "People.join",
    # The present day is not a secret.
    "ManageKeys.today",
}


def public_methods() -> set[str]:
    """Return the methods of all use cases as `Class.method`, without those for everybody."""
    return {
        name
        for module in pkgutil.walk_packages(evref.application.__path__, "evref.application.")
        for use_case in vars(importlib.import_module(module.name)).values()
        if inspect.isclass(use_case)
        and use_case.__module__ == module.name
        and not hasattr(use_case, "__slots__")  # leaves out what use cases return
        and use_case.__name__ not in FOR_EVERYBODY
        for method, _ in inspect.getmembers(use_case, inspect.isfunction)
        if method == "__call__" or not method.startswith("_")
        if (name := f"{use_case.__name__}.{method}") not in FOR_EVERYBODY
    }


def test_the_table_has_every_method_that_manages_something() -> None:
    assert set(TABLE) == public_methods()


@pytest.mark.parametrize("who", PRINCIPALS)
@pytest.mark.parametrize("name", TABLE)
def test_each_principal_may_do_what_the_rules_say(
    house: House, state: MemoryState, name: str, who: str
) -> None:
    """A use case that is not allowed changes nothing, not even the audit log."""
    act, outcomes = TABLE[name]
    outcome = outcomes[PRINCIPALS.index(who)]
    before = repr(state)

    if isinstance(outcome, str):
        act(house, house.principals[who])
    else:
        with pytest.raises(outcome):
            act(house, house.principals[who])
        assert repr(state) == before
