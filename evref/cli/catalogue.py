"""`evref catalogue`."""

from __future__ import annotations

from pathlib import Path

import click

from evref.application.publish_catalogue import Published
from evref.cli.output import as_json, print_json, progress_bar, say_lines
from evref.cli.wiring import stored, wired
from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.catalogue.intervention import names_a_direction

# Whether it exists and can be read is for the catalogue's own checks to say.
_PATH = click.Path(path_type=Path)
_MOST_NAMES = 10


@click.group()
def catalogue() -> None:
    """The catalogue: check, load, export, and see what is served."""


@catalogue.command("check")
@click.argument("paths", metavar="PATH…", type=_PATH, nargs=-1, required=True)
def check(paths: tuple[Path, ...]) -> None:
    """Check catalogue files and folders; reports every fault and changes nothing."""
    publish = wired().publish()
    say_lines(f"not read: {name}" for name in publish.not_read(paths))
    with progress_bar("Checking") as progress:
        checked = publish.check(paths, progress)
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
def load(path: Path) -> None:
    """Serve the catalogue of a file or folder instead of the present one, whole or not at all."""
    publish = stored().publish()
    say_lines(f"not read: {name}" for name in publish.not_read([path]))
    with progress_bar("Loading") as progress:
        published = publish.load(path, progress)
    click.echo(summary(published))


@catalogue.command("export")
@click.argument("path", metavar="PATH", type=_PATH)
def export(path: Path) -> None:
    """Write the served catalogue into a folder, one ID.yaml a diagnosis."""
    written = stored().publish().export(path)
    click.echo(
        f"Wrote {_size(written)} to {click.format_filename(path)}; version {written.version}."
    )


@catalogue.command("status")
@as_json
def status(*, as_json: bool) -> None:
    """Show what is served."""
    publication = stored().publish().status()
    served = publication.catalogue
    if as_json:
        print_json(
            {
                "version": served.version,
                "diagnoses": len(served.entries),
                "interventions": served.intervention_count,
                "published_at": publication.published_at,
            }
        )
        return
    click.echo(
        f"Serving {_size(served)}; version {served.version}, "
        f"since {publication.published_at:%Y-%m-%d %H:%M:%S} UTC."
    )


def summary(published: Published) -> str:
    """What a load changed, in a few lines."""
    changes = published.changes
    served = published.publication.catalogue
    lines = [f"Serving {_size(served)}; version {served.version}."]
    for label, names in (
        ("added", changes.added),
        ("changed", changes.changed),
        ("removed", changes.removed),
    ):
        listed = ", ".join(names[:_MOST_NAMES]) + (" …" if len(names) > _MOST_NAMES else "")
        lines.append(f"{len(names)} {label}" + (f": {listed}" if names else ""))
    return "\n".join(lines)


def _size(catalogue: Catalogue) -> str:
    diagnoses, interventions = len(catalogue.entries), catalogue.intervention_count
    return (
        f"{diagnoses} {'diagnosis' if diagnoses == 1 else 'diagnoses'} and "
        f"{interventions} intervention{'' if interventions == 1 else 's'}"
    )
