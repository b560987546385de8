"""`evref institution` and `evref member`."""

import re
import shlex
import sys
import warnings
from dataclasses import asdict
from getpass import GetPassWarning

import click

from evref.cli.output import as_json, print_rows, say
from evref.cli.wiring import OPERATOR, Group, RefusedError, stored
from evref.domain.accounts.proxy_sign_in import domain_of
from evref.domain.principal import Role

_ROLES = click.Choice([role.value for role in reversed(Role)])

_password_stdin = click.option(
    "--password-stdin", is_flag=True, help="Read the password as one line from standard input."
)


def _cap(_context: click.Context, _parameter: click.Parameter, text: str | None) -> str | None:
    if text is not None and re.fullmatch("[0-9]{1,20}|none", text) is None:
        raise click.BadParameter("must be a whole number, or none")
    return text


@click.group(cls=Group)
def institution() -> None:
    """Manage institutions, which have members and API keys."""


@institution.command("create")
@click.argument("name")
def create_institution(name: str) -> None:
    """Create an institution."""
    created = stored().manage_institutions().create_institution(OPERATOR, name)
    click.echo(f"Created the institution {created.name!r} ({created.id}).")


@institution.command("list")
@as_json
def list_institutions(*, as_json: bool) -> None:
    """List all institutions, sorted by name, with their caps and domains."""
    container = stored()
    keys, people = container.manage_keys(), container.people()
    rows = [
        {
            "id": institution.id,
            "name": institution.name,
            "created_at": institution.created_at,
            **asdict(keys.caps(OPERATOR, institution.id).caps),
            "domains": people.sign_in_domains(OPERATOR, institution.id),
        }
        for institution in container.manage_institutions().institutions(OPERATOR)
    ]
    print_rows(rows, as_json=as_json, empty="There are no institutions yet.")


@institution.command("set-limits")
@click.argument("name")
@click.option("--most-keys", callback=_cap, metavar="N", help="The highest number of live keys.")
@click.option(
    "--highest-daily-limit", callback=_cap, metavar="N", help="The highest daily limit of one key."
)
@click.option(
    "--total-daily-limit",
    callback=_cap,
    metavar="N",
    help="The highest sum of the daily limits of all live keys.",
)
def set_limits(name: str, **caps_text: str | None) -> None:
    """Cap the keys of an institution, and show the caps. Existing keys stay as they are.

    N is a whole number, or none.
    """
    container = stored()
    institution = container.manage_institutions().institution_named(OPERATOR, name)
    changed = {
        cap: None if text == "none" else int(text)
        for cap, text in caps_text.items()
        if text is not None
    }
    caps = container.manage_keys().set_caps(OPERATOR, institution.id, **changed)
    for name_of_cap, value in caps.in_words().items():
        click.echo(f"{name_of_cap}: {value}")


@institution.command("set-sign-in")
@click.argument("name")
@click.option("--domain", "domains", multiple=True, metavar="DOMAIN", help="May be repeated.")
@click.option("--new-secret", is_flag=True, help="Replace the secret of the proxy.")
@click.option("--off", is_flag=True, help="End the sign-in by a proxy.")
def set_sign_in(name: str, domains: tuple[str, ...], *, new_secret: bool, off: bool) -> None:
    """Let a proxy sign in people with an e-mail address of these domains.

    Standard output has only the secret of the proxy, the first time and with --new-secret. It is
    never shown again.
    """
    if off and (domains or new_secret):
        raise click.UsageError("--off excludes the other options")
    container = stored()
    manage, people = container.manage_institutions(), container.people()
    institution = manage.institution_named(OPERATOR, name)
    if off:
        manage.end_sign_in(OPERATOR, institution.id)
        say(f"A proxy no longer signs in members of {institution.name!r}.")
        return
    secret = manage.set_sign_in(OPERATOR, institution.id, domains=domains, new_secret=new_secret)
    if secret is not None:
        click.echo(secret.text)
        say("Store the secret in the proxy now. It is not shown again.")
    own = people.sign_in_domains(OPERATOR, institution.id)
    addresses = f"an address of {', '.join(own)}"
    say(f"A proxy signs in members of {institution.name!r} with {addresses}.")
    if not people.list(OPERATOR, institution.id):
        say(
            f"{institution.name!r} has no members yet, so the proxy cannot sign anybody in. "
            "Create an admin: evref member create EMAIL --institution "
            f"{shlex.quote(institution.name)}"
        )
    for member, other in people.list_all(OPERATOR):
        if other.id != institution.id and domain_of(member.email) in own:
            say(f"{member.email} remains a member of {other.name!r}.")


@click.group(cls=Group)
def member() -> None:
    """Manage members of institutions.

    An admin manages API keys and members; a viewer sees them; a reader reads the catalogue.
    """


@member.command("create")
@click.argument("email")
@click.option("--institution", "institution_name", required=True, metavar="NAME")
@click.option("--role", type=_ROLES, default=Role.ADMIN.value, show_default=True)
@_password_stdin
def create_member(email: str, institution_name: str, role: str, *, password_stdin: bool) -> None:
    """Create a member. Prompts for the password, unless EVREF_PASSWORDS is off.

    The first member of an institution must be an admin, and can invite the others.
    """
    container = stored()
    password = None
    if container.settings().passwords or password_stdin:
        password = _password(from_stdin=password_stdin)
    institution = container.manage_institutions().institution_named(OPERATOR, institution_name)
    created = container.people().create(
        OPERATOR, institution.id, email, password=password, role=Role(role)
    )
    click.echo(f"Created the member {created.email} of {institution.name!r}.")


@member.command("list")
@as_json
def list_members(*, as_json: bool) -> None:
    """List all members, sorted by e-mail."""
    rows = [
        {
            "id": member.id,
            "email": member.email,
            "institution": institution.name,
            "role": member.role.value,
            "created_at": member.created_at,
        }
        for member, institution in stored().people().list_all(OPERATOR)
    ]
    print_rows(rows, as_json=as_json, empty="There are no members yet.")


@member.command("reset-password")
@click.argument("email")
@_password_stdin
def reset_password(email: str, *, password_stdin: bool) -> None:
    """Set a new password for a member. Prompts for the password."""
    container = stored()
    if not container.settings().passwords:
        raise RefusedError("members do not sign in with passwords: EVREF_PASSWORDS is off")
    password = _password(from_stdin=password_stdin)
    member = container.people().with_email(OPERATOR, email)
    container.people().reset_password(OPERATOR, member.id, password=password)
    click.echo(f"Reset the password of {member.email}.")


@member.command("set-role")
@click.argument("email")
@click.argument("role", type=_ROLES)
def set_role(email: str, role: str) -> None:
    """Change the role of a member, and end all their sessions.

    If the new role is not admin, the member's invitations are revoked.
    """
    container = stored()
    member = container.people().with_email(OPERATOR, email)
    container.people().set_role(OPERATOR, member.id, Role(role))
    click.echo(f"The role of {member.email} is now {role}.")


@member.command("remove")
@click.argument("email")
def remove_member(email: str) -> None:
    """Remove a member, whose sessions and invitations end immediately."""
    container = stored()
    member = container.people().with_email(OPERATOR, email)
    container.people().remove(OPERATOR, member.id)
    click.echo(f"Removed the member {member.email}.")


def _password(*, from_stdin: bool) -> str:
    if from_stdin:
        return sys.stdin.buffer.readline().decode(errors="surrogateescape").rstrip("\r\n")
    with warnings.catch_warnings(action="error", category=GetPassWarning):
        try:
            typed: str = click.prompt(
                "Password", hide_input=True, confirmation_prompt=True, err=True
            )
        except GetPassWarning:
            raise RefusedError(
                "there is no terminal to prompt for the password; use --password-stdin"
            ) from None
    return typed
