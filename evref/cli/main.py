"""`evref`: the commands, and the conversion of errors to messages and exit statuses."""

import io
import os
import re
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import NoReturn

import click

import evref
from evref.application.provision_demo import MEMBER, Demo
from evref.bootstrap.app import check_storage, create_app
from evref.bootstrap.container import Container
from evref.bootstrap.server import DEFAULT_THREADS, AddressInUseError, Server, require_free
from evref.bootstrap.settings import DEFAULT_BIND, SettingsError, StorageKind
from evref.cli.catalogue import catalogue, summary, user_name
from evref.cli.codes import codes
from evref.cli.institutions import institution, member
from evref.cli.keys import key
from evref.cli.output import progress_bar, say, say_lines
from evref.cli.wiring import OPERATOR, RefusedError, wired
from evref.domain.errors import EvrefError, StorageUnavailableError
from evref.domain.principal import Readers
from evref.domain.redaction import without_keys
from evref.ports.catalogue import InvalidCatalogueError

DEFAULT_WORKERS = 2

_OF_DEMO = {"catalogue_pages": Readers.PUBLIC}
"""The settings of `evref demo` that the environment can override."""

_PORT = re.compile("[0-9]{1,5}")


class _Bind(click.ParamType[str]):
    name = "HOST:PORT"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        host, colon, port = value.rpartition(":")
        # The colons of an IPv6 address do not end the host.
        is_host = host and (":" not in host or (host.startswith("[") and host.endswith("]")))
        if not (is_host and colon and _PORT.fullmatch(port) and 0 < int(port) < 65536):  # noqa: PLR2004
            self.fail(
                f"{value!r} does not have the form HOST:PORT (e.g. {DEFAULT_BIND} or [::1]:8000)",
                param,
                ctx,
            )
        return value


_bind = click.option("--bind", type=_Bind(), default=DEFAULT_BIND, show_default=True)
_workers = click.option(
    "--workers",
    type=click.IntRange(1, 64),
    metavar="N",
    help=f"Worker processes.  [default: {DEFAULT_WORKERS}; 1 with storage in memory]",
)
_threads = click.option(
    "--threads",
    type=click.IntRange(1, 256),
    default=DEFAULT_THREADS,
    show_default=True,
    metavar="N",
    help="Threads per worker process.",
)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(evref.__version__, prog_name="evref")
def cli() -> None:
    """The Evidence Reference Service: educational reference data for health professionals.

    It gives no clinical decisions and no treatment prescriptions; the physician, health
    professional or user always makes the final decision.
    """


@cli.command()
def init() -> None:
    """Create or migrate the storage, and load the bundled catalogue.

    Replaces an older bundled catalogue, but never a catalogue that an operator has loaded.
    """
    container = wired()
    if container.settings().storage is StorageKind.MEMORY:
        raise RefusedError("EVREF_STORAGE=memory needs no evref init; run: evref demo")
    _close_at_the_end(container)
    _prepare(container)
    container.manage_keys().prune_usage()
    click.echo("The storage is ready.")


@cli.command()
@_bind
@_workers
@_threads
def serve(bind: str, workers: int | None, threads: int) -> None:
    """Run the service with gunicorn. On SIGTERM it completes the current requests and stops.

    If systemd passes a socket, the service listens on that socket and ignores --bind.
    """
    container = _servable(bind, workers)
    if container.settings().storage is StorageKind.MEMORY:
        # The memory of this process is empty, and no other command can fill it.
        _prepare(container)
        _announce(container, container.provision_demo()(OPERATOR))
    else:
        for warning in check_storage(container):
            say(f"evref: {warning}")
    _serve(container, bind, workers, threads)


@cli.command()
@_bind
@_workers
@_threads
def demo(bind: str, workers: int | None, threads: int) -> None:
    """Set up and run the service for a first try, and print a curl command.

    Creates the storage, loads the bundled catalogue, and creates an institution, a member and a
    key if they do not exist. Anyone may read the pages of the catalogue.
    """
    container = _servable(bind, workers, defaults=_OF_DEMO)
    _prepare(container)
    _announce(container, container.provision_demo()(OPERATOR))
    _serve(container, bind, workers, threads)


cli.add_command(institution)
cli.add_command(member)
cli.add_command(key)
cli.add_command(catalogue)
cli.add_command(codes)


def _servable(
    bind: str, workers: int | None, defaults: Mapping[str, object] | None = None
) -> Container:
    """Return a container for serving. Fails before it creates anything or shows a key."""
    require_free(bind)
    container = wired(bind, defaults)
    if container.settings().storage is StorageKind.MEMORY and workers not in (None, 1):
        raise RefusedError("EVREF_STORAGE=memory works with one process only; use --workers 1")
    _close_at_the_end(container)
    return container


def _close_at_the_end(container: Container) -> None:
    click.get_current_context().call_on_close(container.storage().close)


def _prepare(container: Container) -> None:
    container.storage().prepare()
    with progress_bar("Loading the bundled catalogue") as progress:
        plan = container.publish().publish_bundled(OPERATOR, progress, by=user_name())
    if plan is not None:
        say(summary(plan).splitlines()[0])


def _announce(container: Container, demo: Demo) -> None:
    base_url = container.settings().base_url
    click.echo(f"\nThe service is at {base_url}, its API at {base_url}/docs")
    if container.settings().catalogue_pages is not Readers.OFF:
        click.echo(f"Read the catalogue at {base_url}/catalogue")
    password = (
        "the password of the first start"
        if demo.password is None
        else f"the password {demo.password} (not shown again)"
    )
    click.echo(f"Manage keys at {base_url}/settings, as {MEMBER} with {password}")
    if demo.expires:
        click.echo("The key of an earlier start cannot be shown again. This key expires tomorrow.")
    click.echo(
        f'\nTry it:\n\n  curl -H "Authorization: Bearer {demo.token}" {base_url}/api/v1/diagnoses\n'
    )
    sys.stdout.flush()


def _serve(container: Container, bind: str, workers: int | None, threads: int) -> None:
    settings = container.settings()
    in_memory = settings.storage is StorageKind.MEMORY
    scratch = None
    if settings.metrics_token and settings.metrics_folder is None:
        scratch = Path(tempfile.mkdtemp(prefix="evref-metrics-"))
        settings = settings.model_copy(update={"metrics_folder": scratch})
    app = create_app(settings, container)
    count = workers or (1 if in_memory else DEFAULT_WORKERS)
    Server(app, container, bind=bind, workers=count, threads=threads, remove_at_exit=scratch).run()


def main() -> NoReturn:
    """Run the command line. Exit status: 0 success, 1 failure, 2 wrong usage."""
    try:
        cli.main(prog_name="evref", standalone_mode=False)
    except click.UsageError as error:
        # A user may have pasted a key as another argument.
        shown = io.StringIO()
        error.show(shown)
        say(without_keys(shown.getvalue().rstrip()))
        sys.exit(2)
    except click.ClickException as error:
        error.show()
        sys.exit(1)
    except click.Abort:
        say("evref: stopped")
        sys.exit(1)
    except InvalidCatalogueError as error:
        say_lines(without_keys(str(fault)) for fault in error.faults)
        _fail(str(error))
    except StorageUnavailableError as error:
        _fail(f"{error} ({error.reason})")
    except SettingsError as error:
        _fail(*str(error).splitlines())
    except (EvrefError, AddressInUseError) as error:
        _fail(without_keys(str(error)))
    except UnicodeEncodeError:
        _fail("an argument is not UTF-8 text")
    except OSError as error:
        # For example a full disk; click itself handles a closed pipe.
        # Otherwise Python would try to write the rest of the output again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        _fail(error.strerror or str(error))
    sys.exit(0)


def _fail(*messages: str) -> NoReturn:
    for message in messages:
        say(f"evref: {' '.join(message.split())}")
    sys.exit(1)
