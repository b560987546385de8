"""The pages to sign in, sign out and change the password."""

from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qsl

from flask import Blueprint, abort, current_app, g, redirect, request, url_for
from werkzeug.exceptions import HTTPException
from werkzeug.wrappers import Response

from evref.adapters.inbound.pages import query
from evref.adapters.inbound.pages.catalogue.blueprint import PARAMETERS as OF_CATALOGUE
from evref.adapters.inbound.pages.settings import cookies
from evref.adapters.inbound.pages.settings.forms import (
    ConfirmForm,
    PageForm,
    PasswordForm,
    SignInForm,
)
from evref.application.accounts.sign_in import SignIn
from evref.domain.accounts.institution import Member
from evref.domain.errors import (
    BusyError,
    InvalidValueError,
    TooManyAttemptsError,
    WrongCredentialsError,
)
from evref.domain.principal import Principal, Role
from evref.domain.redaction import has_key

_SECONDS_WHEN_BUSY = 2

STATIC = "settings.static"
PUBLIC = frozenset({"settings.sign_in", "settings.accept_invitation"})
"""The pages that need no session."""


class SignInPages:
    """Each method is the view of a page and handles its form."""

    def __init__(self, members: SignIn, *, has_passwords: bool, sign_out_url: str | None) -> None:
        self._members = members
        self._has_passwords = has_passwords
        self._sign_out_url = sign_out_url

    def add_to(self, pages: Blueprint) -> None:
        for path, view in (
            ("/sign-in", self.sign_in),
            ("/sign-out", self.sign_out),
            ("/password", self.password),
        ):
            pages.add_url_rule(path, view_func=view, methods=["GET", "POST"])

    def sign_in(self) -> Response:
        onwards, is_to_read = _known_page(query.read({"next": str}).get("next", ""))
        if "signed_in" in g and request.method != "POST":
            return redirect(onwards or home(g.signed_in.member), HTTPStatus.SEE_OTHER)
        form = SignInForm()
        if self._has_passwords and form.accepted():
            email, password = form.email.data or "", form.password.data or ""
            try:
                started = self._members.begin(
                    email, password, address=address(), device=cookies.present_device()
                )
            except WrongCredentialsError as error:
                form.form_errors.append(str(error))
            except (TooManyAttemptsError, BusyError) as error:
                return try_again_later("settings/sign_in.html", form, error, is_to_read=is_to_read)
            else:
                return cookies.begin(started, onwards or home(started.member))
        return form.page("settings/sign_in.html", is_to_read=is_to_read)

    def sign_out(self) -> Response:
        form = ConfirmForm()
        if form.accepted():
            self._members.end(g.token)
            elsewhere = self._sign_out_url if g.signed_in.by_proxy else None
            return cookies.end(elsewhere or url_for(".sign_in"), "You are signed out.")
        return form.page("settings/sign_out.html")

    def password(self) -> Response:
        if g.signed_in.member.password_hash is None or not self._has_passwords:
            abort(HTTPStatus.NOT_FOUND)
        form = PasswordForm()
        if form.was_sent():
            change = self._members.change_password
            try:
                started = (self._members.check_password_change if form.errors else change)(
                    g.token,
                    present=form.present.data or "",
                    new=form.password.data or "",
                    address=address(),
                    device=cookies.present_device(),
                )
            except InvalidValueError as error:
                form.add_errors(error)
            except (TooManyAttemptsError, BusyError) as error:
                return try_again_later("settings/password.html", form, error)
            else:
                if started is not None:
                    message = "Password changed. You are signed out on all other devices."
                    return cookies.begin(started, url_for(".password"), message)
        return form.page("settings/password.html")


def try_again_later(
    template: str, form: PageForm, error: TooManyAttemptsError | BusyError, **context: object
) -> Response:
    """Return the page with the form again, and with `Retry-After`."""
    form.form_errors.append(str(error))
    response = form.page(template, **context)
    if isinstance(error, TooManyAttemptsError):
        response.status_code, seconds = HTTPStatus.TOO_MANY_REQUESTS, error.seconds
    else:
        response.status_code, seconds = HTTPStatus.SERVICE_UNAVAILABLE, _SECONDS_WHEN_BUSY
    response.headers["Retry-After"] = str(seconds)
    return response


def who() -> tuple[Principal, str]:
    """Return the member who is signed in, and the id of their institution."""
    return g.signed_in.principal, g.signed_in.institution.id


def address() -> str:
    """Return the IP address of the visitor, by which failed attempts are slowed down."""
    return request.remote_addr or ""


def home(member: Member) -> str:
    """Return the URL of the first page of a member."""
    if member.role is not Role.READER:
        return url_for(".list_keys")
    catalogue = "catalogue.index"
    return url_for(catalogue if catalogue in current_app.view_functions else ".password")


def _known_page(address: str) -> tuple[str, bool]:
    """Return the URL of the page of the settings or the catalogue, empty if it is another one, and
    whether it is a page of the catalogue.

    The URL is built from the route, so that no text of the client gets into it.
    """
    if has_key(address):
        return "", False
    path, _, parameters_text = address.partition("?")
    try:
        endpoint, arguments = current_app.url_map.bind("").match(path, "GET")
    except HTTPException:
        endpoint, arguments = "", {}
    if endpoint in OF_CATALOGUE:
        known = OF_CATALOGUE[endpoint]
        parameters: dict[str, Any] = {
            name: text for name, text in parse_qsl(parameters_text) if name in known
        }
        return url_for(endpoint, **arguments, **parameters), True
    if not endpoint.startswith("settings.") or endpoint in {*PUBLIC, STATIC}:
        return "", False
    return url_for(endpoint, **arguments), False
