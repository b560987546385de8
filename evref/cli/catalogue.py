"""`evref catalogue`."""

from __future__ import annotations

import os
import pwd
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click

from evref.application.publish_catalogue import Plan
from evref.cli.institutions import OPERATOR
from evref.cli.output import (
    as_json,
    print_json,
    print_records,
    progress_bar,
    say,
    say_lines,
)
from evref.cli.wiring import RefusedError, stored, wired
from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.catalogue.intervention import names_a_direction
from evref.domain.errors import DiagnosesRemovedError

# Whether it exists and can be read is for the catalogue's own checks to say.
_PATH = click.Path(path_type=Path)
_MOST_NAMES = 10


@click.group()
def catalogue() -> None:
    """The catalogue: check, load, roll back, export, and see what is and was served."""


@catalogue.command("check")
@click.argument("paths", metavar="PATH…", type=_PATH, nargs=-1, required=True)
def check(paths: tuple[Path, ...]) -> None:
    """Check catalogue files and folders; reports every fault and changes nothing."""
    publish = wired().publish()
    say_lines(f"not read: {name}" for name in publish.not_read(OPERATOR, paths))
    with progress_bar("Checking") as progress:
        checked = publish.check(OPERATOR, paths, progress)
    say_lines(
        f"warning: {intervention.id}: the title {intervention.title!r} names a direction; "
        "let it name the intervention alone"
        for entry in checked.entries
        for intervention in entry.interventions
        if names_a_direction(intervention.title)
    )
    click.echo(f"No faults in {_size(checked)}; version {checked.version}.")


@catalogue.command("load")
@click.argument("path", metavar="PATH", type=_PATH)
@click.option("--dry-run", is_flag=True, help="Say what would change, and change nothing.")
@click.option(
    "--allow-removals",
    is_flag=True,
    help="Also where served diagnoses are not in it, and so would be removed.",
)
def load(path: Path, *, dry_run: bool, allow_removals: bool) -> None:
    """Serve the catalogue of a file or folder instead of the present one, whole or not at all.

    Where served diagnoses would be removed, it lists them and asks at a terminal; elsewhere it
    refuses.
    """
    publish = stored().publish()
    say_lines(f"not read: {name}" for name in publish.not_read(OPERATOR, [path]))
    with progress_bar("Loading") as progress:
        plan = publish.plan_load(OPERATOR, path, progress)
    if dry_run:
        click.echo(summary(plan, "Would serve"))
        return
    if plan.changes.removed and not allow_removals:
        for name in plan.changes.removed:
            say(f"would be removed: {name}")
        allow_removals = _is_confirmed(len(plan.changes.removed))
    try:
        publish.publish(OPERATOR, plan, by=user_name(), allow_removals=allow_removals)
    except DiagnosesRemovedError as error:
        raise RefusedError(f"{error} To remove them, give --allow-removals.") from None
    click.echo(summary(plan))


def _is_confirmed(removals: int) -> bool:
    """Whether a person at a terminal says yes."""
    unit = "diagnosis" if removals == 1 else "diagnoses"
    return sys.stdin.isatty() and click.confirm(f"Remove {removals} {unit}?", err=True)


@catalogue.command("history")
@as_json
def history(*, as_json: bool) -> None:
    """List the last publications, newest first; the first one is served."""
    records = [asdict(publication) for publication in stored().publish().history(OPERATOR)]
    print_records(records, as_json=as_json, empty="")


@catalogue.command("rollback")
@click.argument("version", required=False)
def rollback(version: str | None) -> None:
    """Serve an earlier version again, by default the one before; `history` lists them.

    It is a publication like any other, so that it can be rolled back too.
    """
    publish = stored().publish()
    plan = publish.plan_rollback(OPERATOR, version)
    publish.publish(OPERATOR, plan, by=user_name(), allow_removals=True)
    click.echo(summary(plan))


@catalogue.command("export")
@click.argument("path", metavar="PATH", type=_PATH)
def export(path: Path) -> None:
    """Write the served catalogue into a folder, one ID.yaml a diagnosis."""
    written = stored().publish().export(OPERATOR, path)
    click.echo(
        f"Wrote {_size(written)} to {click.format_filename(path)}; version {written.version}."
    )


@catalogue.command("status")
@as_json
def status(*, as_json: bool) -> None:
    """Show what is served, and when its entries were last checked against their sources."""
    container = stored()
    publication, served = container.publish().status(OPERATOR)
    age = served.age_on(container.clock().now().date())
    if as_json:
        print_json(
            {
                "version": served.version,
                "diagnoses": len(served.entries),
                "interventions": served.intervention_count,
                "published_at": publication.published_at,
                "published_by": publication.published_by,
                "is_bundled": publication.is_bundled,
                "oldest_check": age.oldest,
                "newest_check": age.newest,
                "checked_by_month": age.by_month,
                "not_checked_for_a_year": age.overdue,
            }
        )
        return
    by = f" by {publication.published_by}" if publication.published_by else ""
    click.echo(
        f"Serving {_size(served)}; version {served.version}, "
        f"since {publication.published_at:%Y-%m-%d %H:%M:%S} UTC{by}."
    )
    for month, count in age.by_month.items():
        click.echo(f"{count} last checked in {month}")
    if age.overdue:
        say(f"evref: {len(age.overdue)} not checked for more than a year: {_listed(age.overdue)}")


def summary(plan: Plan, verb: str = "Serving") -> str:
    """What a publication changes, in a few lines."""
    lines = [f"{verb} {_size(plan.catalogue)}; version {plan.catalogue.version}."]
    for label, names in (
        ("added", plan.changes.added),
        ("changed", plan.changes.changed),
        ("removed", plan.changes.removed),
    ):
        lines.append(f"{len(names)} {label}" + (f": {_listed(names)}" if names else ""))
    return "\n".join(lines)


def user_name() -> str:
    """The operating system's name of the user, or the number where it has none."""
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return str(os.getuid())


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:_MOST_NAMES]) + (" …" if len(names) > _MOST_NAMES else "")


def _size(catalogue: Catalogue) -> str:
    diagnoses, interventions = len(catalogue.entries), catalogue.intervention_count
    return (
        f"{diagnoses} {'diagnosis' if diagnoses == 1 else 'diagnoses'} and "
        f"{interventions} intervention{'' if interventions == 1 else 's'}"
    )
