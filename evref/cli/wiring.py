"""The container that a command works with, made when a command first needs it."""

from __future__ import annotations

from collections.abc import Mapping

import click

from evref.bootstrap.container import Container, container_for
from evref.bootstrap.settings import DEFAULT_BIND, Settings, StorageKind
from evref.cli.output import say

_EVERY_ADDRESS = {"0.0.0.0", "[::]"}  # noqa: S104 - listened on, not asked


class RefusedError(click.ClickException):
    """Indicates a command that makes no sense as things are; its text is one line."""

    def show(self, file: object = None) -> None:  # noqa: ARG002 - click's signature
        say(f"evref: {self.message}")


def wired(bind: str = DEFAULT_BIND, defaults: Mapping[str, str] | None = None) -> Container:
    """A container on the settings of the environment, with storage as it is.

    Where no base URL is set, clients are told the address that is listened on. `defaults` stand
    for settings that are not in the environment.

    Raises:
        SettingsError: when a setting is not allowed.

    """
    for name in Settings.unknown_names():
        say(f"evref: {name} is no setting of evref and is ignored")
    host, _, port = bind.rpartition(":")
    reached = "127.0.0.1" if host in _EVERY_ADDRESS else host
    base_url = f"http://{reached}:{port}"
    return container_for(Settings.read(defaults={"base_url": base_url, **(defaults or {})}))


def stored() -> Container:
    """A container on storage that other processes share, and that is ready to be used.

    Raises:
        SettingsError: when a setting is not allowed.
        StorageNotReadyError: when the storage must first be created or migrated.
        StorageUnavailableError: when it is out of reach.
        RefusedError: when storage is the memory of a process, and so nothing to work on.

    """
    container = wired()
    if container.settings().storage is StorageKind.MEMORY:
        raise RefusedError(
            "EVREF_STORAGE=memory is kept by the serving process alone; "
            "this command needs EVREF_STORAGE=sql"
        )
    click.get_current_context().call_on_close(container.connections().close)
    container.schema().verify()
    return container
