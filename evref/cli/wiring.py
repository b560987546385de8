"""What every command needs: its principal, a container for the settings, and its errors."""

from collections.abc import Mapping

import click

from evref.bootstrap.container import Container, container_for
from evref.bootstrap.settings import DEFAULT_BIND, Settings, StorageKind
from evref.cli.output import say
from evref.domain.errors import InvalidValueError
from evref.domain.principal import Operator

OPERATOR = Operator()
"""The principal of every command."""

_EVERY_ADDRESS = {"0.0.0.0", "[::]"}  # noqa: S104 - addresses to listen on


class RefusedError(click.ClickException):
    """Indicates that a command cannot run in the present state; the text is one line."""

    def show(self, file: object = None) -> None:  # noqa: ARG002 - click's signature
        say(f"evref: {self.message}")


class Command(click.Command):
    """A command that names an invalid value by the option or the argument, as it is typed."""

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except InvalidValueError as error:
            typed = {
                param.name: (
                    param.opts[0] if isinstance(param, click.Option) else param.human_readable_name
                )
                for param in self.params
            }
            faults = (f"{typed.get(f.field, f.field)} {f.message}" for f in error.faults)
            raise RefusedError("; ".join(faults)) from None


class Group(click.Group):
    command_class = Command


def wired(bind: str = DEFAULT_BIND, defaults: Mapping[str, object] | None = None) -> Container:
    """Return a container for the settings of the environment, or else the `defaults`.

    The base URL defaults to the address that the service listens on.
    """
    for name in Settings.unknown_names():
        say(f"evref: unknown setting {name} is ignored")
    host, _, port = (DEFAULT_BIND if bind.startswith("unix:") else bind).rpartition(":")
    reached = "127.0.0.1" if host in _EVERY_ADDRESS else host
    base_url = f"http://{reached}:{port}"
    return container_for(Settings.read(defaults={"base_url": base_url, **(defaults or {})}))


def stored() -> Container:
    """Return a container for storage that processes share and that is ready for use."""
    container = wired()
    if container.settings().storage == StorageKind.MEMORY:
        raise RefusedError(
            "EVREF_STORAGE=memory is accessible to the serving process only; "
            "this command requires EVREF_STORAGE=sql"
        )
    click.get_current_context().call_on_close(container.storage().close)
    container.storage().verify()
    return container
