"""`evref key`."""

from dataclasses import asdict
from datetime import UTC, date, datetime, timedelta

import click

from evref.application.access.manage_keys import NewKey
from evref.cli.output import as_json, print_json, print_rows, say
from evref.cli.wiring import OPERATOR, Group, stored
from evref.domain.access.key import DEFAULT_LIFE, LONGEST_OVERLAP, Permission
from evref.domain.access.quota import DEFAULT_DAILY_LIMIT, utc_day
from evref.domain.rules import counted

_HOUR = timedelta(hours=1)


def _print_key(new: NewKey, message: str, *, as_json: bool) -> None:
    """Print a new or rotated key, alone on standard output or as JSON."""
    if as_json:
        print_json({"key": new.token.text, "id": new.key.id})
        return
    say(f"{message} Store the key now. It is not shown again.")
    if new.key.opens_nothing:
        say("The key opens nothing: its daily limit is 0 or its permission none.")
    if not new.key.is_live(utc_day(new.key.newest.created_at)):
        say(f"The key has expired: it works only after evref key set-expiry {new.key.id} …")
    for old in new.ending_secrets:
        say(f"The old key …{old.last_four} is valid until {old.ends_at:%Y-%m-%d %H:%M:%S} UTC.")
    click.echo(new.token.text)


def _day_or_never(_context: click.Context, _parameter: click.Parameter, text: str) -> date | None:
    if text == "never":
        return None
    try:
        return datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC).date()
    except ValueError:
        raise click.BadParameter(
            f"must be never or a date such as 2027-12-31, not {text!r}"
        ) from None


def _expiry(expires_on: date | None) -> str:
    return "never expires" if expires_on is None else f"expires after {expires_on}"


@click.group(cls=Group)
def key() -> None:
    """Manage API keys."""


@key.command("create")
@click.option("--institution", "institution_name", required=True, metavar="NAME")
@click.option("--name", required=True, metavar="LABEL", help="What the key is for.")
@click.option(
    "--limit",
    "daily_limit",
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
    "expires_on",
    callback=_day_or_never,
    default=lambda: f"{utc_day(datetime.now(UTC) + DEFAULT_LIFE)}",
    metavar="YYYY-MM-DD|never",
    help=f"The last UTC day on which the key is valid.  [default: in {DEFAULT_LIFE.days} days]",
)
@as_json
def create_key(
    institution_name: str,
    name: str,
    daily_limit: int,
    permission: str,
    expires_on: date | None,
    *,
    as_json: bool,
) -> None:
    """Create a key. Prints only the key on standard output. It is never shown again."""
    container = stored()
    institution = container.manage_institutions().institution_named(OPERATOR, institution_name)
    created = container.manage_keys().create(
        OPERATOR,
        institution.id,
        name=name,
        permission=Permission(permission),
        daily_limit=daily_limit,
        expires_on=expires_on,
    )
    message = (
        f"Created the key {created.key.name!r} ({created.key.id}) of {institution_name!r}: "
        f"permission {permission}, {counted(daily_limit, 'request')} per day, "
        f"{_expiry(created.key.expires_on)}."
    )
    _print_key(created, message, as_json=as_json)


@key.command("list")
@as_json
def list_keys(*, as_json: bool) -> None:
    """List all keys, oldest first, without their secrets."""
    container = stored()
    # Keys first, so that the institution of each exists when the institutions are read.
    keys = container.manage_keys().list_all(OPERATOR)
    institutions = container.manage_institutions().institutions(OPERATOR)
    names = {institution.id: institution.name for institution in institutions}
    rows = [
        {
            "id": listed.key.id,
            # Only in the table: programs derive the state from the fields, and its words may
            # change.
            **({} if as_json else {"state": listed.state.value}),
            "name": listed.key.name,
            "institution": names[listed.key.institution_id],
            "permission": listed.key.permission.value,
            "daily_limit": listed.key.daily_limit,
            "last_four": listed.key.last_four,
            "created_at": listed.key.created_at,
            "expires_on": listed.key.expires_on,
            "last_used_on": listed.last_used_on,
            "revoked_at": listed.key.revoked_at,
        }
        for listed in keys
    ]
    print_rows(rows, as_json=as_json, empty="There are no keys yet.")


@key.command("set-limit")
@click.argument("key_id", metavar="ID")
@click.argument("daily_limit", type=int, metavar="N")
def set_limit(key_id: str, daily_limit: int) -> None:
    """Change a key's daily request limit. The change takes effect within a second."""
    changed = stored().manage_keys().change(OPERATOR, key_id, daily_limit=daily_limit)
    limit_in_words = counted(changed.daily_limit, "request")
    click.echo(f"The limit of the key {changed.name!r} is now {limit_in_words} per day.")


@key.command("set-expiry")
@click.argument("key_id", metavar="ID")
@click.argument("expires_on", metavar="YYYY-MM-DD|never", callback=_day_or_never)
def set_expiry(key_id: str, expires_on: date | None) -> None:
    """Change the last UTC day on which a key is valid. The change takes effect within a second."""
    changed = stored().manage_keys().change(OPERATOR, key_id, expires_on=expires_on)
    click.echo(f"The key {changed.name!r} {_expiry(changed.expires_on)}.")


@key.command("rotate")
@click.argument("key_id", metavar="ID")
@click.option(
    "--keep-old-for",
    "hours",
    type=click.IntRange(0, LONGEST_OVERLAP // _HOUR),
    default=0,
    show_default=True,
    metavar="HOURS",
    help=f"How long the old key remains valid, at most {LONGEST_OVERLAP // _HOUR} hours.",
)
@as_json
def rotate(key_id: str, hours: int, *, as_json: bool) -> None:
    """Replace the secret of a key. Prints only the new key on standard output.

    By default, the old key becomes invalid within a second. Both keys share one daily limit. The
    new key is never shown again.
    """
    rotated = stored().manage_keys().rotate(OPERATOR, key_id, keep_old_for=hours * _HOUR)
    message = f"Rotated the key {rotated.key.name!r} ({rotated.key.id})."
    _print_key(rotated, message, as_json=as_json)


@key.command("revoke")
@click.argument("key_id", metavar="ID")
def revoke(key_id: str) -> None:
    """Revoke a key permanently, with all its secrets. The change takes effect within a second."""
    revoked = stored().manage_keys().revoke(OPERATOR, key_id)
    click.echo(f"The key {revoked.name!r} is revoked.")


@key.command("usage")
@click.argument("key_id", metavar="ID")
@as_json
def usage(key_id: str, *, as_json: bool) -> None:
    """Show a key's requests per UTC day for the last 30 days. Days without requests are omitted."""
    rows = [asdict(day) for day in stored().manage_keys().history(OPERATOR, key_id)]
    print_rows(rows, as_json=as_json, empty="The key was not used in the last 30 days.")
