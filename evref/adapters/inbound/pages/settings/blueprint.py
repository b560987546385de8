"""Authentication before every page, and the headers of every response."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from apiflask import APIBlueprint
from flask import (
    Blueprint,
    Response,
    abort,
    flash,
    g,
    make_response,
    redirect,
    render_template,
    request,
    url_for,
)
from werkzeug.wrappers import Response as AnyResponse

from evref.adapters.inbound.pages.settings import cookies
from evref.adapters.inbound.pages.settings.api_keys import ApiKeyPages
from evref.adapters.inbound.pages.settings.audit_log import AuditLogPage
from evref.adapters.inbound.pages.settings.forgery import from_another_site
from evref.adapters.inbound.pages.settings.forms import SignOutForm
from evref.adapters.inbound.pages.settings.sign_in import SignInPages
from evref.application.manage_keys import ManageKeys
from evref.application.read_audit_log import ReadAuditLog
from evref.application.share_secret import ShareSecret
from evref.application.sign_in import SignIn
from evref.domain.access.key import without_keys
from evref.domain.errors import NotSignedInError

LONGEST_FORM = 64 * 1024
"""Bytes; far more than any form of these pages needs."""

# The types of forms, or none. Flask-WTF would also accept JSON, and fail if it is malformed.
_FORM_TYPES = frozenset({"", "application/x-www-form-urlencoded", "multipart/form-data"})

_SIGN_IN, _STATIC = "settings.sign_in", "settings.static"

# Scripts and styles come from the service only; none are inline.
_POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)


def blueprint(
    *,
    members: SignIn,
    keys: ManageKeys,
    log: ReadAuditLog,
    share_secret: ShareSecret,
    base_url: str,
) -> Blueprint:
    """Return the pages. `base_url` is the address of the service for programs."""
    pages = APIBlueprint(
        "settings",
        __name__,
        enable_openapi=False,
        url_prefix=cookies.PATH,
        template_folder="templates",
        static_folder="static",
    )

    @pages.before_request
    def require_member() -> AnyResponse | None:
        if request.endpoint == _STATIC:
            return None
        if request.mimetype not in _FORM_TYPES:
            abort(HTTPStatus.UNSUPPORTED_MEDIA_TYPE)
        if "Transfer-Encoding" in request.headers:
            # Browsers do not do this, and a form above the limit would be truncated silently.
            abort(HTTPStatus.LENGTH_REQUIRED)
        request.max_content_length = LONGEST_FORM
        # Raises if storage is unavailable: forms need the secret.
        share_secret()
        answer = _admit(members)
        if request.method == "POST" and from_another_site(base_url):
            return _refuse_other_site(base_url)
        return answer

    pages.after_request(_complete)
    pages.context_processor(_offer)
    pages.add_url_rule("", "start", _start, methods=["GET"])
    SignInPages(members).add_to(pages)
    ApiKeyPages(keys, base_url).add_to(pages)
    AuditLogPage(log, keys).add_to(pages)
    return pages


def _admit(members: SignIn) -> AnyResponse | None:
    """Identify the member of the session, or redirect to the sign-in page."""
    token = cookies.present_token()
    if token is not None:
        try:
            g.signed_in, g.token = members.who(token), token
        except NotSignedInError:
            if request.endpoint != _SIGN_IN:
                response = _to_sign_in()
                cookies.end(response)
                flash("Your session has ended. Nothing was changed. Sign in again.")
                return response
        return None
    return None if request.endpoint == _SIGN_IN else _to_sign_in()


def _refuse_other_site(base_url: str) -> AnyResponse:
    page = render_template("settings/other_site.html", base_url=base_url)
    return make_response(page, HTTPStatus.FORBIDDEN)


def _to_sign_in() -> AnyResponse:
    # A path that seems to contain an API key must not appear in another URL.
    onwards = request.path if without_keys(request.path) == request.path else None
    return redirect(url_for(_SIGN_IN, next=onwards), HTTPStatus.SEE_OTHER)


def _complete(response: Response) -> Response:
    if request.endpoint != _STATIC:
        response.headers["Cache-Control"] = "no-store"
        response.headers["Content-Security-Policy"] = _POLICY
    return response


def _offer() -> dict[str, Any]:
    """Return the variables of every template."""
    signed_in = g.get("signed_in")
    return {
        "signed_in": signed_in,
        "sign_out_form": None if signed_in is None else SignOutForm(formdata=None),
    }


def _start() -> AnyResponse:
    return redirect(url_for(".list_keys"), HTTPStatus.SEE_OTHER)
