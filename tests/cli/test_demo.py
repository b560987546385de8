"""What `evref demo` makes before it serves."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from evref.application.provision_demo import INSTITUTION, KEY, MEMBER
from evref.bootstrap.container import Container
from evref.bootstrap.settings import Settings, StorageKind
from evref.domain.access.token import KeyToken
from evref.testing.builders import OPERATOR


@pytest.fixture
def container() -> Container:
    """A container on an empty memory."""
    return Container(settings=Settings(storage=StorageKind.MEMORY))


def test_a_first_start_makes_institution_member_and_key(container: Container) -> None:
    """The key never expires, and the password is shown once."""
    made = container.provision_demo()(OPERATOR)

    (key,) = container.manage_keys().list_all(OPERATOR)
    (member,) = container.manage_institutions().members(OPERATOR)
    assert KeyToken(made.token).last_four == key.key.last_four
    (institution,) = container.manage_institutions().institutions(OPERATOR)
    assert (institution.name, key.key.name) == (INSTITUTION, KEY)
    assert key.key.institution_id == institution.id
    assert key.key.expires_on is None
    assert not made.expires
    assert member.member.email == MEMBER
    assert made.password is not None
    assert container.passwords().verify(made.password, member.member.password_hash)


def test_a_further_start_makes_but_a_key_that_expires(container: Container) -> None:
    """The one of before cannot be shown again."""
    container.provision_demo()(OPERATOR)

    again = container.provision_demo()(OPERATOR)

    keys = container.manage_keys().list_all(OPERATOR)
    assert again.password is None
    assert again.expires
    assert len(keys) == 2
    assert keys[1].key.expires_on == datetime.now(UTC).date() + timedelta(days=1)
    assert len(container.manage_institutions().members(OPERATOR)) == 1


def test_a_key_that_was_revoked_stands_for_no_earlier_one(container: Container) -> None:
    """Then the new one lasts."""
    container.provision_demo()(OPERATOR)
    (key,) = container.manage_keys().list_all(OPERATOR)
    container.manage_keys().revoke(OPERATOR, key.key.id)

    assert not container.provision_demo()(OPERATOR).expires
