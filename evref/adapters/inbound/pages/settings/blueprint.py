"""Authentication before every page, and the headers of every response."""

from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

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

from evref.adapters.inbound.pages.catalogue.words import day
from evref.adapters.inbound.pages.identity import Identity
from evref.adapters.inbound.pages.settings import cookies, drafts, times, words
from evref.adapters.inbound.pages.settings.api_keys import ApiKeyPages
from evref.adapters.inbound.pages.settings.audit_log import AuditLogPage
from evref.adapters.inbound.pages.settings.forgery import from_another_site
from evref.adapters.inbound.pages.settings.forms import ConfirmForm
from evref.adapters.inbound.pages.settings.invitation import InvitationPage
from evref.adapters.inbound.pages.settings.members import MemberPages
from evref.adapters.inbound.pages.settings.sign_in import PUBLIC, STATIC, SignInPages, home
from evref.adapters.inbound.web.headers import PAGE_POLICY
from evref.application.access.manage_keys import ManageKeys
from evref.application.accounts.accept_invitation import AcceptInvitation
from evref.application.accounts.cookie_secret import CookieSecret
from evref.application.accounts.manage_members import ManageMembers
from evref.application.accounts.sign_in import SignIn
from evref.application.read_audit_log import ReadAuditLog
from evref.domain.accounts.sign_in import SessionToken
from evref.domain.errors import NotAllowedError, NotSignedInError
from evref.domain.principal import Role
from evref.domain.redaction import has_key, without_keys
from evref.ports.clock import Clock

LONGEST_FORM = 64 * 1024
"""Bytes; far more than any form of these pages needs."""

# The types of forms, or none. Flask-WTF would also accept JSON, and fail if it is malformed.
_FORM_TYPES = frozenset({"", "application/x-www-form-urlencoded", "multipart/form-data"})


def blueprint(
    *,
    members: SignIn,
    identity: Identity,
    manage_members: ManageMembers,
    accept_invitation: AcceptInvitation,
    keys: ManageKeys,
    log: ReadAuditLog,
    cookie_secret: CookieSecret,
    clock: Clock,
    base_url: str,
    has_passwords: bool,
    sign_out_url: str | None,
) -> Blueprint:
    """Return the pages. `base_url` is the address of the service for programs.

    Unless members have passwords, a proxy signs them in. `sign_out_url` is where it signs them out.
    """
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
        if request.endpoint == STATIC:
            return None
        if request.mimetype not in _FORM_TYPES:
            abort(HTTPStatus.UNSUPPORTED_MEDIA_TYPE)
        if "Transfer-Encoding" in request.headers:
            # Browsers do not do this, and a form above the limit would be truncated silently.
            abort(HTTPStatus.LENGTH_REQUIRED)
        request.max_content_length = LONGEST_FORM
        if request.files:
            # No form has a file; Flask-WTF would put it in the place of a text.
            abort(HTTPStatus.UNSUPPORTED_MEDIA_TYPE)
        # Raises if storage is unavailable: forms need the secret.
        cookie_secret()
        ended = cookies.present_token() if identity.signed_in() is None else None
        if request.method == "POST" and from_another_site(base_url):
            return _forbidden("settings/other_site.html", base_url=base_url)
        if "signed_in" not in g:
            return None if request.endpoint in PUBLIC else _to_sign_in(ended)
        if request.method == "GET" and request.endpoint not in PUBLIC:
            drafts.take_out()
        return None

    # Browsers check the address of a redirect after a form too.
    policy = PAGE_POLICY if sign_out_url is None else _policy_with(sign_out_url)
    pages.after_request(lambda response: _complete(response, policy))
    pages.register_error_handler(NotAllowedError, lambda _: _forbidden("settings/not_allowed.html"))
    # A session may end while a page is made.
    pages.register_error_handler(NotSignedInError, lambda _: _to_sign_in(cookies.present_token()))
    pages.context_processor(lambda: _template_context(has_passwords, sign_out_url))
    # Filters, because templates that are imported do not see the context.
    pages.add_app_template_filter(lambda at: times.time_in_words(at, clock.now()), "time_in_words")
    pages.add_app_template_filter(
        lambda day: times.day_in_words(day, clock.now().date()), "day_in_words"
    )
    pages.add_app_template_filter(without_keys, "without_keys")
    pages.add_app_template_filter(times.exact_time, "exact_time")
    pages.add_app_template_filter(day, "exact_day")
    pages.add_url_rule(
        "", "start", lambda: redirect(home(g.signed_in.member), HTTPStatus.SEE_OTHER)
    )
    SignInPages(members, has_passwords=has_passwords, sign_out_url=sign_out_url).add_to(pages)
    InvitationPage(accept_invitation, members, has_passwords=has_passwords).add_to(pages)
    ApiKeyPages(keys, base_url).add_to(pages)
    MemberPages(manage_members, base_url).add_to(pages)
    AuditLogPage(log, keys).add_to(pages)
    return pages


def _forbidden(template: str, **context: object) -> AnyResponse:
    return make_response(render_template(template, **context), HTTPStatus.FORBIDDEN)


def _to_sign_in(ended: SessionToken | None) -> AnyResponse:
    """Redirect to the sign-in and back; what was typed is kept if a session has ended."""
    # A path that seems to contain an API key must not appear in another URL.
    onwards = None if has_key(request.path) else request.path
    response = redirect(url_for(".sign_in", next=onwards), HTTPStatus.SEE_OTHER)
    is_form = request.method == "POST"
    if ended is not None:
        # The cookies stay: a form of the ended session may be sent from another tab.
        is_kept = is_form and drafts.keep(ended)
        further = "Sign in to continue with what you typed." if is_kept else "Sign in again."
        flash(f"Your session ended. Nothing was changed. {further}")
    elif is_form:
        flash("You are not signed in. Nothing was changed. Sign in first.")
    return response


def _policy_with(sign_out_url: str) -> str:
    parts = urlsplit(sign_out_url)
    origin = f"{parts.scheme}://{parts.netloc}"
    return PAGE_POLICY.replace("form-action 'self'", f"form-action 'self' {origin}")


def _complete(response: Response, policy: str) -> Response:
    if request.endpoint != STATIC:
        response.headers["Content-Security-Policy"] = policy
    return response


def _template_context(has_passwords: bool, sign_out_url: str | None) -> dict[str, Any]:
    signed_in = g.get("signed_in")
    return {
        "signed_in": signed_in,
        "sign_out_form": None if signed_in is None else ConfirmForm(formdata=None),
        "is_admin": signed_in is not None and signed_in.principal.role is Role.ADMIN,
        "is_reader": signed_in is not None and signed_in.principal.role is Role.READER,
        "words": words,
        "has_passwords": has_passwords,
        "has_password": signed_in is not None and signed_in.member.password_hash is not None,
        # Else the next page would sign the member in again.
        "can_sign_out": signed_in is not None
        and (not signed_in.by_proxy or sign_out_url is not None),
        "is_refused": "is_refused" in g,
        "has_draft": drafts.on_this_page() is not None,
    }
