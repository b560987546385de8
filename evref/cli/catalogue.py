"""`evref catalogue`."""

import os
import pwd
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click

from evref.application.catalogue.publish_catalogue import Plan
from evref.cli.output import as_json, print_json, print_rows, say, say_lines
from evref.cli.wiring import OPERATOR, Group, RefusedError, stored, wired
from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.errors import RemovalsError
from evref.domain.rules import counted

_MOST_NAMES = 10


def path_of(text: str) -> Path:
    # Otherwise an unset shell variable would select the working directory.
    if not text:
        raise click.BadParameter("a path must not be empty")
    return Path(text)


@click.group(cls=Group)
def catalogue() -> None:
    """Check, load, roll back and export the catalogue; show its state and history."""


@catalogue.command("check")
@click.argument("paths", metavar="PATH…", type=path_of, nargs=-1, required=True)
@click.option("--strict", is_flag=True, help="Fail if there is a warning.")
def check(paths: tuple[Path, ...], *, strict: bool) -> None:
    """Check catalogue files and folders. Changes nothing."""
    publish = wired().publish()
    say_lines(f"ignored: {name}" for name in publish.not_read(OPERATOR, paths))
    checked = publish.check(OPERATOR, paths)
    lines = publish.warnings(OPERATOR, checked, [path.resolve() for path in paths])
    say_lines(f"warning: {line}" for line in lines)
    click.echo(f"No errors in {_size(checked)}; version {checked.version}.")
    if lines and strict:
        raise RefusedError(f"Warnings: {len(lines)}.")


@catalogue.command("load")
@click.argument("path", metavar="PATH", type=path_of)
@click.option("--dry-run", is_flag=True, help="Show what would change without changing anything.")
@click.option(
    "--allow-removals",
    is_flag=True,
    help="Allow the removal of published diagnoses and interventions.",
)
def load(path: Path, *, dry_run: bool, allow_removals: bool) -> None:
    """Replace the published catalogue with the one in a file or folder.

    If anything fails, nothing changes.

    If published diagnoses or interventions would be removed, the command lists them and asks for
    confirmation at a terminal. Without a terminal it fails.
    """
    container = stored()
    publish = container.publish()
    say_lines(f"ignored: {name}" for name in publish.not_read(OPERATOR, [path]))
    plan = publish.plan_load(OPERATOR, path)
    has_own_root = "canonical_root" in container.settings().model_fields_set
    if not has_own_root and not plan.is_bundled:
        say(
            "warning: EVREF_CANONICAL_ROOT is not set, so the FHIR resources of this catalogue "
            "have the canonical URLs of the bundled one"
        )
    lines = publish.warnings(OPERATOR, plan.catalogue, [path.resolve()])
    say_lines(f"warning: {line}" for line in lines)
    unconfirmed = () if allow_removals else plan.changes.removals
    for name in unconfirmed:
        say(f"would remove: {name}")
    if dry_run:
        click.echo(summary(plan, "Would serve"))
        if unconfirmed:
            say("warning: removals require confirmation at a terminal, or --allow-removals")
        return
    if unconfirmed:
        question = f"Remove {plan.changes.removals_in_words}?"
        allow_removals = sys.stdin.isatty() and click.confirm(question, err=True)
    try:
        publish.publish(OPERATOR, plan, by=user_name(), allow_removals=allow_removals)
    except RemovalsError as error:
        raise RefusedError(f"{error} To remove them, use --allow-removals.") from None
    click.echo(summary(plan))


@catalogue.command("history")
@as_json
def history(*, as_json: bool) -> None:
    """List the last publications, newest first. The first is the current one."""
    rows = [asdict(publication) for publication in stored().publish().history(OPERATOR)]
    for row in rows:
        del row["comparison"]
    print_rows(rows, as_json=as_json, empty="")


@catalogue.command("rollback")
@click.argument("version", required=False)
def rollback(version: str | None) -> None:
    """Publish an earlier version again, by default the previous one. `history` lists them.

    A rollback is itself a publication and can be rolled back.
    """
    publish = stored().publish()
    plan = publish.plan_rollback(OPERATOR, version)
    publish.publish(OPERATOR, plan, by=user_name(), allow_removals=True)
    click.echo(summary(plan))


@catalogue.command("export")
@click.argument("path", metavar="PATH", type=path_of)
def export(path: Path) -> None:
    """Write the published catalogue to an empty or new folder, one file ID.yaml a diagnosis."""
    written = stored().publish().export(OPERATOR, path)
    click.echo(
        f"Wrote {_size(written)} to {click.format_filename(path)}; version {written.version}."
    )


@catalogue.command("status")
@as_json
def status(*, as_json: bool) -> None:
    """Show the published catalogue and when its entries were last checked against sources."""
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
        say(f"evref: {len(age.overdue)} not checked for over a year: {_listed(age.overdue)}")


def summary(plan: Plan, verb: str = "Serving") -> str:
    """Summarise what a publication changes."""
    lines = [f"{verb} {_size(plan.catalogue)}; version {plan.catalogue.version}."]
    for label, names in (
        ("added", plan.changes.added),
        ("changed", [diagnosis.diagnosis_id for diagnosis in plan.changes.changed]),
        ("removed", plan.changes.removed),
    ):
        lines.append(f"{len(names)} {label}" + (f": {_listed(names)}" if names else ""))
    return "\n".join(lines)


def user_name() -> str:
    """Return the operating system's name of the user, or the user id if there is none."""
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return str(os.getuid())


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:_MOST_NAMES]) + (" …" if len(names) > _MOST_NAMES else "")


def _size(catalogue: Catalogue) -> str:
    diagnoses = counted(len(catalogue.entries), "diagnosis", "diagnoses")
    return f"{diagnoses} and {counted(catalogue.intervention_count, 'intervention')}"
