"""When the key of `evref demo` expires; tests/server/test_starting.py has the rest."""

from __future__ import annotations

from evref.bootstrap.container import Container
from evref.bootstrap.settings import Settings, StorageKind
from evref.testing.builders import OPERATOR


def test_the_key_expires_only_where_an_earlier_one_is_valid() -> None:
    container = Container(settings=Settings(storage=StorageKind.MEMORY))
    provision = container.provision_demo()

    assert not provision(OPERATOR).expires
    assert provision(OPERATOR).expires
    for each in container.manage_keys().list_all(OPERATOR):
        container.manage_keys().revoke(OPERATOR, each.key.id)
    assert not provision(OPERATOR).expires
