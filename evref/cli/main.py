"""`evref`: the commands, and the conversion of errors to messages and exit statuses."""

import io
import os
import re
import sys
import tempfile
from contextlib import suppress
from typing import NoReturn

import click

import evref
from evref.bootstrap import server
from evref.bootstrap.container import Container
from evref.bootstrap.demo import demo_of, prepare
from evref.bootstrap.settings import DEFAULT_BIND, SettingsError, StorageKind, hand_on
from evref.cli.catalogue import catalogue, summary, user_name
from evref.cli.codes import codes
from evref.cli.institutions import institution, member
from evref.cli.keys import key
from evref.cli.output import replace_what_cannot_be_shown, say, say_lines
from evref.cli.wiring import Group, RefusedError, wired
from evref.domain.errors import EvrefError, StorageUnavailableError
from evref.domain.principal import Readers
from evref.domain.redaction import without_keys
from evref.ports.catalogue import InvalidCatalogueError

DEFAULT_WORKERS = 2

# The colons of an IPv6 address, which is in brackets, do not end the host.
_ADDRESS = re.compile(r"unix:.+|(\[.*\]|[^:]+):(?P<port>[0-9]{1,5})", re.DOTALL)


def _address(_context: click.Context, _parameter: click.Parameter, text: str) -> str:
    match = _ADDRESS.fullmatch(text)
    if match is None or not 0 < int(match["port"] or 1) < 65536:  # noqa: PLR2004
        raise click.BadParameter(
            f"{text!r} does not have the form HOST:PORT (e.g. {DEFAULT_BIND} or [::1]:8000) or "
            "unix:PATH"
        )
    return text


_bind = click.option(
    "--bind",
    callback=_address,
    default=DEFAULT_BIND,
    show_default=True,
    metavar="HOST:PORT|unix:PATH",
)


@click.group(cls=Group, context_settings={"help_option_names": ["-h", "--help"]})
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
    if container.settings().storage == StorageKind.MEMORY:
        raise RefusedError("EVREF_STORAGE=memory needs no evref init; run: evref demo")
    click.get_current_context().call_on_close(container.storage().close)
    _prepare(container)
    click.echo("The storage is ready.")


@cli.command()
@_bind
@click.option(
    "--workers",
    type=click.IntRange(1, 64),
    metavar="N",
    help=f"Worker processes.  [default: {DEFAULT_WORKERS}; 1 with storage in memory]",
)
@click.option(
    "--threads",
    type=click.IntRange(1, 256),
    default=server.threads,
    show_default=True,
    metavar="N",
    help="Threads per worker process.",
)
def serve(bind: str, workers: int | None, threads: int) -> None:
    """Become gunicorn, which serves. On SIGTERM it completes the current requests and stops.

    If systemd passes a socket, the service listens on that socket and ignores --bind.
    """
    container = wired(bind)
    # If storage is unavailable, the service starts, and says so.
    with suppress(StorageUnavailableError):
        if container.settings().storage != StorageKind.MEMORY:
            container.storage().verify()
    _become_gunicorn(container, bind, workers, threads)


@cli.command()
@_bind
def demo(bind: str) -> None:
    """Set up and run the service for a first try, and print a curl command.

    Creates the storage, loads the bundled catalogue, and creates an institution, a member and a
    key if they do not exist. Unless EVREF_CATALOGUE_PAGES is set, anyone may read the pages of the
    catalogue.
    """
    container = wired(bind, {"catalogue_pages": Readers.PUBLIC})
    if container.settings().storage != StorageKind.MEMORY:
        _prepare(container)
        click.echo(demo_of(container))
    _become_gunicorn(container, bind)


cli.add_command(institution)
cli.add_command(member)
cli.add_command(key)
cli.add_command(catalogue)
cli.add_command(codes)


def _prepare(container: Container) -> None:
    plan = prepare(container, by=user_name())
    if plan is not None:
        say(summary(plan).splitlines()[0])


def _become_gunicorn(
    container: Container, bind: str, workers: int | None = None, threads: int = server.threads
) -> NoReturn:
    settings = container.settings()
    if workers is None:
        workers = 1 if settings.storage == StorageKind.MEMORY else DEFAULT_WORKERS
    container.storage().close()
    # gunicorn's workers need temporary files; without a folder for them this is an OSError.
    tempfile.gettempdir()
    if settings.metrics_token and settings.metrics_folder is None:
        hand_on(metrics_folder=tempfile.mkdtemp(prefix=server.OWN_METRICS))
    hand_on(base_url=settings.base_url, catalogue_pages=settings.catalogue_pages)
    sys.stdout.flush()
    arguments = [
        f"--config=python:{server.__name__}",
        f"--bind={bind}",
        f"--workers={workers}",
        f"--threads={threads}",
    ]
    # The program is this Python, so nothing that a user types names one.
    os.execv(sys.executable, [sys.executable, "-m", "gunicorn", *arguments, server.APPLICATION])  # noqa: S606


def main() -> NoReturn:
    """Run the command line. Exit status: 0 success, 1 failure, 2 wrong usage."""
    replace_what_cannot_be_shown()
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
    except EvrefError as error:
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
