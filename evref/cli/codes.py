"""`evref codes`."""

from pathlib import Path

import click

from evref.cli.catalogue import path_of, user_name
from evref.cli.output import as_json, print_json
from evref.cli.wiring import OPERATOR, Group, stored
from evref.domain.rules import counted


@click.group(cls=Group)
def codes() -> None:
    """Load, show and remove the map with which the service reads SNOMED CT codes."""


@codes.command("load")
@click.argument("path", metavar="FILE", type=path_of)
@click.option(
    "--system",
    type=click.Choice(["snomed-ct"]),
    required=True,
    expose_value=False,
    help="The code system that the file maps to ICD-10.",
)
@click.option(
    "--refset",
    metavar="ID",
    help="The reference set to read. Default: that of the International, the US or the UK edition.",
)
@click.option("--dry-run", is_flag=True, help="Check the file without changing anything.")
def load(path: Path, *, refset: str | None, dry_run: bool) -> None:
    """Replace the map of a code system to ICD-10 with the one in a file.

    The file is an ExtendedMap of RF2 or a table of two columns, also compressed with gzip or in a
    zip archive. If a row cannot be read, nothing changes.
    """
    use = stored().load_codes()
    file = use.read_map(OPERATOR, path, refset)
    snomed = file.map
    leading = use.leading(OPERATOR, snomed)
    if not dry_run:
        use.load(OPERATOR, snomed, by=user_name())
    verb = "Would read" if dry_run else "Reading"
    click.echo(f"{verb} {_size(len(snomed.groups), leading)}.")
    for name, rows in sorted(file.left_out.items()):
        click.echo(f"Left out {counted(rows, 'row')} of the reference set {name}.")


@codes.command("status")
@as_json
def status(*, as_json: bool) -> None:
    """Show which map is loaded."""
    use = stored().load_codes()
    loaded = use.status(OPERATOR)
    count, leading = len(loaded.map.groups), use.leading(OPERATOR, loaded.map)
    if as_json:
        print_json(
            {
                "system": "snomed-ct",
                "codes": count,
                "leading_to_a_diagnosis": leading,
                "loaded_at": loaded.loaded_at,
                "loaded_by": loaded.loaded_by,
            }
        )
        return
    click.echo(
        f"Reading {_size(count, leading)}, since {loaded.loaded_at:%Y-%m-%d %H:%M:%S} UTC by "
        f"{loaded.loaded_by}."
    )


@codes.command("remove")
def remove() -> None:
    """Remove the map. The service then no longer reads SNOMED CT codes."""
    stored().load_codes().remove(OPERATOR, by=user_name())
    click.echo("Removed the map of SNOMED CT.")


def _size(count: int, leading: int) -> str:
    return f"{counted(count, 'code')} of SNOMED CT, {leading:,} of which lead to a diagnosis"
