"""`evref key`."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import click

from evref.application.manage_keys import KeyInUse
from evref.cli.institutions import OPERATOR
from evref.cli.output import as_json, print_json, print_records, say
from evref.cli.wiring import stored
from evref.domain.access.key import Permission
from evref.domain.access.quota import DEFAULT_DAILY_LIMIT


@click.group()
def key() -> None:
    """API keys."""


@key.command("create")
@click.option("--institution", "institution_name", required=True, metavar="NAME")
@click.option("--name", required=True, metavar="LABEL", help="What the key is for.")
@click.option(
    "--limit",
    type=int,
    default=DEFAULT_DAILY_LIMIT,
    show_default=True,
    metavar="N",
    help="Requests a UTC day.",
)
@click.option(
    "--permission",
    type=click.Choice([level.value for level in reversed(Permission)]),
    default=Permission.READ.value,
    show_default=True,
)
@click.option(
    "--expires",
    type=click.DateTime(["%Y-%m-%d"]),
    metavar="YYYY-MM-DD",
    help="The last UTC day on which the key works.",
)
@as_json
def create_key(
    institution_name: str,
    name: str,
    limit: int,
    permission: str,
    expires: datetime | None,
    *,
    as_json: bool,
) -> None:
    """Make a key and print it, alone, on standard output. It is never shown again."""
    container = stored()
    institution = container.manage_institutions().institution_named(OPERATOR, institution_name)
    made = container.manage_keys().create(
        OPERATOR,
        institution.id,
        name=name,
        permission=Permission(permission),
        daily_limit=limit,
        expires_on=None if expires is None else expires.date(),
    )
    if as_json:
        print_json({"key": made.token.text, "id": made.key.id})
        return
    say(
        f"Made the key {made.key.name!r} ({made.key.id}) of {institution_name!r}: "
        f"permission {permission}, {limit} requests a day.\n"
        "Keep it safe: it is shown this once."
    )
    click.echo(made.token.text)


@key.command("list")
@as_json
def list_keys(*, as_json: bool) -> None:
    """List all keys, oldest first; never the secrets."""
    records = [_record(each) for each in stored().manage_keys().list_all(OPERATOR)]
    print_records(records, as_json=as_json, empty="There is no key yet.")


@key.command("set-limit")
@click.argument("key_id", metavar="ID")
@click.argument("limit", type=int, metavar="N")
def set_limit(key_id: str, limit: int) -> None:
    """Change a key's daily request limit, within a second and for today already."""
    changed = stored().manage_keys().change(OPERATOR, key_id, daily_limit=limit)
    click.echo(f"The key {changed.name!r} may now make {changed.daily_limit} requests a day.")


@key.command("revoke")
@click.argument("key_id", metavar="ID")
def revoke(key_id: str) -> None:
    """End a key, within a second and for good."""
    revoked = stored().manage_keys().revoke(OPERATOR, key_id)
    click.echo(f"The key {revoked.name!r} is revoked.")


@key.command("usage")
@click.argument("key_id", metavar="ID")
@as_json
def usage(key_id: str, *, as_json: bool) -> None:
    """Show a key's requests a UTC day over the last 30 days, days without any left out."""
    records: list[dict[str, Any]] = [
        {"day": day.day, "limit": day.limit, "admitted": day.admitted, "refused": day.refused}
        for day in stored().manage_keys().history(OPERATOR, key_id)
    ]
    print_records(records, as_json=as_json, empty="The key was not used in the last 30 days.")


def _record(found: KeyInUse) -> dict[str, Any]:
    return {
        "id": found.key.id,
        "name": found.key.name,
        "institution": found.institution.name,
        "permission": found.key.permission.value,
        "daily_limit": found.key.daily_limit,
        "last_four": found.key.last_four,
        "created_at": found.key.created_at,
        "expires_on": found.key.expires_on,
        "last_used_on": found.use.last_used_on,
        "revoked_at": found.key.revoked_at,
    }
