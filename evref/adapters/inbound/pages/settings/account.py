"""The pages of a member's account: sign in, sign out, change the password, accept an invitation.

The link of an invitation contains a secret, which must not get into another URL. So no link on its
page contains it, and the referrer policy of the page keeps its path from other pages and files.
"""

from collections.abc import Container, Mapping
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qsl

from flask import abort, current_app, g, make_response, redirect, request, url_for
from flask import render_template as render
from werkzeug.exceptions import HTTPException
from werkzeug.wrappers import Response

from evref.adapters.inbound.pages.settings.forms import (
    ConfirmForm,
    NewPasswordForm,
    PageForm,
    PasswordForm,
    SignInForm,
)
from evref.adapters.inbound.web import cookies, query
from evref.adapters.inbound.web.frame import Frame
from evref.adapters.inbound.web.identity import Identity
from evref.application.accounts.people import People
from evref.domain.accounts.institution import Member
from evref.domain.errors import (
    AlreadyExistsError,
    BusyError,
    InvalidValueError,
    NotFoundError,
    TooManyAttemptsError,
    WrongCredentialsError,
)
from evref.domain.principal import Principal, Role
from evref.domain.redaction import has_key

_SECONDS_WHEN_BUSY = 2
_WELCOME = "Welcome. You are now a member."
_ELSEWHERE = (
    "This e-mail address is in use in another institution. "
    "Ask for an invitation to another address."
)

_PARAMETERS = frozenset({"q", "sort", "page", "days", "person", "key", "kind"})
"""The query parameters of the settings."""

PUBLIC = frozenset({"settings.sign_in", "settings.accept_invitation"})
"""The pages that need no session."""


class AccountPages:
    def __init__(self, frame: Frame, identity: Identity, people: People) -> None:
        self._parameters = frame.parameters
        self._identity = identity
        self._members = identity.members
        self._people = people

    def sign_in(self) -> Response:
        # The form repeats the address as pages write it, with the path of the service.
        requested = query.parse({"next": str}).get("next", "").removeprefix(request.script_root)
        onwards = _known_page(requested, self._parameters)
        if "signed_in" in g and request.method != "POST":
            return redirect(onwards or home(g.signed_in.member), HTTPStatus.SEE_OTHER)
        form = SignInForm()
        is_to_read = onwards and not onwards.startswith(url_for(".start"))
        context = {"onwards": onwards, "is_to_read": is_to_read}
        if self._identity.has_passwords and form.validate_on_submit():
            email, password = form.email.data or "", form.password.data or ""
            try:
                started = self._members.begin(
                    email, password, address=_address(), device=cookies.present_device()
                )
            except WrongCredentialsError as error:
                form.form_errors.append(str(error))
            except (TooManyAttemptsError, BusyError) as error:
                return _try_again_later("settings/sign_in.html", form, error, **context)
            else:
                return cookies.begin(started, onwards or home(started.member))
        return form.page("settings/sign_in.html", **context)

    def sign_out(self) -> Response:
        form = ConfirmForm()
        if form.validate_on_submit():
            self._members.end(g.token)
            elsewhere = self._identity.sign_out_url if g.signed_in.by_proxy else None
            return cookies.end(elsewhere or url_for(".sign_in"), "You are signed out.")
        return form.page("settings/sign_out.html")

    def password(self) -> Response:
        if not self._identity.has_password(g.signed_in):
            abort(HTTPStatus.NOT_FOUND)
        form = PasswordForm()
        if form.was_sent():
            try:
                started = self._members.change_password(
                    g.token,
                    present=form.present.data or "",
                    new=form.password.data or "",
                    repeated=form.repeated.data or "",
                    address=_address(),
                    device=cookies.present_device(),
                )
            except InvalidValueError as error:
                form.add_errors(error)
            except (TooManyAttemptsError, BusyError) as error:
                return _try_again_later("settings/password.html", form, error)
            else:
                message = "Password changed. You are signed out on all other devices."
                return cookies.begin(started, url_for(".password"), message)
        return form.page("settings/password.html")

    def accept_invitation(self, token: str) -> Response:
        try:
            return self._invitation(token)
        except NotFoundError:
            if "signed_in" in g and g.signed_in.by_proxy:
                # The first sign-in by the proxy accepted the invitation.
                return redirect(home(g.signed_in.member), HTTPStatus.SEE_OTHER)
            # The same page for each reason, so that it says nothing about other people's links.
            return make_response(render("settings/no_invitation.html"), HTTPStatus.NOT_FOUND)

    def _invitation(self, token: str) -> Response:
        template, form = "settings/invitation.html", NewPasswordForm()
        invitation, institution = self._people.invitation(token)
        context = {"invitation": invitation, "institution": institution}
        if "signed_in" in g:
            # Another person: the invited one is not a member yet.
            page = form.page(template, **context)
            page.status_code = HTTPStatus.CONFLICT if form.is_submitted() else HTTPStatus.OK
            return page
        if self._identity.has_passwords and form.was_sent():
            try:
                member = self._people.accept(
                    token,
                    password=form.password.data or "",
                    repeated=form.repeated.data or "",
                    address=_address(),
                )
                # Readers go to the catalogue, whose pages do not show flashed messages.
                message = None if member.role is Role.READER else _WELCOME
                return cookies.begin(self._members.start(member), home(member), message)
            except InvalidValueError as error:
                form.add_errors(error)
            except AlreadyExistsError:
                form.form_errors.append(_ELSEWHERE)
            except BusyError as error:
                return _try_again_later(template, form, error, **context)
        return form.page(template, **context)


def _try_again_later(
    template: str, form: PageForm, error: TooManyAttemptsError | BusyError, **context: object
) -> Response:
    """Return the page with its form, and with the header `Retry-After`."""
    form.form_errors.append(str(error))
    response = form.page(template, **context)
    if isinstance(error, TooManyAttemptsError):
        response.status_code, seconds = HTTPStatus.TOO_MANY_REQUESTS, error.seconds
    else:
        response.status_code, seconds = HTTPStatus.SERVICE_UNAVAILABLE, _SECONDS_WHEN_BUSY
    response.headers["Retry-After"] = str(seconds)
    return response


def who() -> tuple[Principal, str]:
    """Return the signed-in member and the id of their institution."""
    return g.signed_in.principal, g.signed_in.institution.id


def _address() -> str:
    """Return the visitor's IP address, by which failed attempts are throttled."""
    return request.remote_addr or ""


def home(member: Member) -> str:
    """Return the URL of the first page of a member."""
    if member.role is not Role.READER:
        return url_for(".list_keys")
    if "catalogue.index" in current_app.view_functions:
        return url_for("catalogue.index")
    return url_for("pages.landing" if member.password_hash is None else ".password")


def _known_page(
    address: str, parameters_of_readers: Mapping[str, Mapping[str, query.Parse]]
) -> str:
    """Return the URL of a page of the settings or the catalogue; empty for any other address.

    The URL is built from the route, so that no text of the client gets into it.
    """
    if has_key(address):
        return ""
    path, _, parameters_text = address.partition("?")
    try:
        endpoint, arguments = current_app.url_map.bind("").match(path, "GET")
    except HTTPException:
        return ""
    known: Container[str] = parameters_of_readers.get(endpoint, _PARAMETERS)
    is_own = endpoint.startswith("settings.") and endpoint not in PUBLIC
    if not is_own and endpoint not in parameters_of_readers:
        return ""
    chosen: dict[str, Any] = {
        name: text for name, text in parse_qsl(parameters_text) if name in known
    }
    return url_for(endpoint, **arguments, **chosen)
