"""Authentication before every page, and the headers of every response."""

from collections.abc import Iterator
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

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

from evref.adapters.inbound.pages.settings import labels
from evref.adapters.inbound.pages.settings.account import PUBLIC, AccountPages, home, who
from evref.adapters.inbound.pages.settings.api_keys import ApiKeyPages, to_revoked, to_rotated
from evref.adapters.inbound.pages.settings.audit_log import AuditLogPages
from evref.adapters.inbound.pages.settings.forms import ConfirmForm
from evref.adapters.inbound.pages.settings.members import MemberPages, to_last_admin
from evref.adapters.inbound.web import cookies
from evref.adapters.inbound.web.headers import PAGE_POLICY, SENT_HOST
from evref.adapters.inbound.web.host import Host, Interface
from evref.adapters.inbound.web.words import day
from evref.domain.errors import (
    KeyAlreadyRotatedError,
    KeyRevokedError,
    LastAdminError,
    NotAllowedError,
    NotSignedInError,
)
from evref.domain.principal import Role
from evref.domain.redaction import has_key, without_keys

LONGEST_FORM = 64 * 1024
"""Bytes; far more than any form of these pages needs."""

# The type of forms, or none. Flask-WTF would also accept JSON, and fail if it is malformed.
_FORM_TYPES = frozenset({"", "application/x-www-form-urlencoded"})


def _blueprints(host: Host) -> Iterator[Blueprint]:
    identity, base_url = host.visitor, host.settings.base_url
    pages = host.frame.blueprint(
        "settings",
        __name__,
        url_prefix=cookies.PATH,
        template_folder="templates",
    )

    @pages.before_request
    def require_member() -> AnyResponse | None:
        if request.mimetype not in _FORM_TYPES:
            abort(HTTPStatus.UNSUPPORTED_MEDIA_TYPE)
        if "Transfer-Encoding" in request.headers:
            # Browsers do not do this, and a form above the limit would be truncated silently.
            abort(HTTPStatus.LENGTH_REQUIRED)
        request.max_content_length = LONGEST_FORM
        if "secret_error" in g:
            raise g.secret_error
        signed_in = identity.signed_in()
        if request.method == "POST" and _is_from_another_site(base_url):
            return _forbidden("settings/other_site.html", base_url=base_url)
        return _to_sign_in() if signed_in is None and request.endpoint not in PUBLIC else None

    # Browsers apply form-action to the redirect after a form too.
    url, own = identity.sign_out_url, "form-action 'self'"
    policy = PAGE_POLICY if url is None else PAGE_POLICY.replace(own, f"{own} {_origin(url)}")

    @pages.after_request
    def add_policy(response: Response) -> Response:
        response.headers["Content-Security-Policy"] = policy
        return response

    pages.register_error_handler(NotAllowedError, lambda _: _forbidden("settings/not_allowed.html"))
    # A session may end while a page is rendered.
    pages.register_error_handler(NotSignedInError, lambda _: _to_sign_in())
    pages.context_processor(_template_context)
    # These are filters because imported templates do not have the context.
    now = identity.clock.now
    pages.add_app_template_filter(lambda at: labels.time_in_words(at, now()), "time_in_words")
    pages.add_app_template_filter(lambda of: labels.day_in_words(of, now().date()), "day_in_words")
    pages.add_app_template_filter(day, "exact_day")
    for text_filter in (labels.address, labels.with_addresses, labels.exact_time, without_keys):
        pages.add_app_template_filter(text_filter)
    account = AccountPages(host.frame, identity, host.people)
    keys, members = ApiKeyPages(host.keys, base_url), MemberPages(host.people)
    log = AuditLogPages(host.log, host.keys)
    pages.register_error_handler(KeyRevokedError, to_revoked)
    pages.register_error_handler(KeyAlreadyRotatedError, to_rotated)
    pages.register_error_handler(LastAdminError, to_last_admin)
    pages.add_url_rule("", "start", _to_home)
    pages.add_url_rule("/api-keys", view_func=keys.list_keys)
    pages.add_url_rule("/members", view_func=members.members)
    pages.add_url_rule("/institution", "institution", lambda: _institution(host))
    pages.add_url_rule("/audit-log", view_func=log.audit_log)
    pages.add_url_rule("/audit-log.csv", view_func=log.audit_log_csv)
    for path, form_view in (
        ("/sign-in", account.sign_in),
        ("/sign-out", account.sign_out),
        ("/password", account.password),
        ("/invitation/<token>", account.accept_invitation),
        ("/api-keys/new", keys.new_key),
        ("/api-keys/<key_id>", keys.key),
        ("/api-keys/<key_id>/rotate", keys.rotate_key),
        ("/api-keys/<key_id>/end-previous", keys.end_previous),
        ("/api-keys/<key_id>/revoke", keys.revoke_key),
        ("/members/invite", members.invite),
        ("/members/<member_id>", members.member),
        ("/members/<member_id>/remove", members.remove_member),
        ("/members/invitations/<invitation_id>/revoke", members.revoke_invitation),
    ):
        pages.add_url_rule(path, view_func=form_view, methods=["GET", "POST"])
    yield pages


def _to_home() -> AnyResponse:
    return redirect(home(g.signed_in.member), HTTPStatus.SEE_OTHER)


def _institution(host: Host) -> str:
    use, domains = host.keys.caps(*who()), host.people.sign_in_domains(*who())
    return render_template("settings/institution.html", use=use, domains=domains)


def _is_from_another_site(base_url: str) -> bool:
    """Return whether a page of another site sent this request, according to the browser.

    Uses `Sec-Fetch-Site` (W3C Fetch Metadata) and `Origin` (RFC 6454). Browsers send at least one
    of them with a form, so a client that sends neither is not a browser.

    The origin in `Sec-Fetch-Site: same-origin` is the address that the browser sent the request
    to, which may be another address of the service than `base_url`.
    """
    site, origin = request.headers.get("Sec-Fetch-Site"), request.headers.get("Origin")
    if site not in {None, "same-origin", "none"}:
        return True
    # Both are in lower case, and without a default port.
    if origin in {None, _origin(base_url)}:
        return False
    scheme, _, host = (origin or "").partition("://")
    own_host = request.environ.get(SENT_HOST)
    return site is None or scheme not in {"http", "https"} or not host or host != own_host


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def _forbidden(template: str, **context: object) -> AnyResponse:
    return make_response(render_template(template, **context), HTTPStatus.FORBIDDEN)


def _to_sign_in() -> AnyResponse:
    """Redirect to the sign-in page and back, with a message that the form was not saved."""
    # What may contain an API key must not get into another URL.
    address = request.full_path.removesuffix("?")
    onwards = None if has_key(address) else address
    response = redirect(url_for(".sign_in", next=onwards), HTTPStatus.SEE_OTHER)
    unsaved = "Nothing was saved. " if request.method == "POST" else ""
    if cookies.present_token() is not None:
        flash(f"Your session ended. {unsaved}Sign in again.")
    elif unsaved:
        flash(f"You are not signed in. {unsaved}Sign in first.")
    return response


def _template_context() -> dict[str, Any]:
    signed_in = g.get("signed_in")
    return {
        "signed_in": signed_in,
        "sign_out_form": None if signed_in is None else ConfirmForm(formdata=None),
        "is_admin": signed_in is not None and signed_in.principal.role is Role.ADMIN,
        "labels": labels,
    }


INTERFACE = Interface(cookies.PATH, _blueprints)
