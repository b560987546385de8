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
    """Manage API keys."""


@key.command("create")
@click.option("--institution", "institution_name", required=True, metavar="NAME")
@click.option("--name", required=True, metavar="LABEL", help="What the key is for.")
@click.option(
    "--limit",
    type=int,
    default=DEFAULT_DAILY_LIMIT,
    show_default=True,
    metavar="N",
    help="Requests per UTC day.",
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
    help="The last UTC day on which the key is valid.",
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
    """Create a key. Prints only the key on standard output. It is never shown again."""
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
        f"Created the key {made.key.name!r} ({made.key.id}) of {institution_name!r}: "
        f"permission {permission}, {limit} requests per day.\n"
        "Store the key now. It is not shown again."
    )
    click.echo(made.token.text)


@key.command("list")
@as_json
def list_keys(*, as_json: bool) -> None:
    """List all keys, oldest first, without their secrets."""
    records = [_record(each) for each in stored().manage_keys().list_all(OPERATOR)]
    print_records(records, as_json=as_json, empty="There are no keys yet.")


@key.command("set-limit")
@click.argument("key_id", metavar="ID")
@click.argument("limit", type=int, metavar="N")
def set_limit(key_id: str, limit: int) -> None:
    """Change a key's daily request limit. It takes effect today, within a second."""
    changed = stored().manage_keys().change(OPERATOR, key_id, daily_limit=limit)
    click.echo(
        f"The limit of the key {changed.name!r} is now {changed.daily_limit} requests per day."
    )


@key.command("revoke")
@click.argument("key_id", metavar="ID")
def revoke(key_id: str) -> None:
    """Revoke a key permanently. It takes effect within a second."""
    revoked = stored().manage_keys().revoke(OPERATOR, key_id)
    click.echo(f"The key {revoked.name!r} is revoked.")


@key.command("usage")
@click.argument("key_id", metavar="ID")
@as_json
def usage(key_id: str, *, as_json: bool) -> None:
    """Show a key's requests per UTC day for the last 30 days, omitting days without any."""
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
