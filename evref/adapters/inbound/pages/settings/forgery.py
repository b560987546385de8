"""Protection against forged requests: a token in each form, and a check of the origin."""

import hashlib
import secrets
from urllib.parse import urlsplit

from flask import current_app, g, request, session
from itsdangerous import Signer
from wtforms import Form, ValidationError
from wtforms.csrf.core import CSRF, CSRFTokenField

from evref.adapters.inbound.web.headers import SENT_HOST
from evref.domain.accounts.sign_in import SessionToken

_BEFORE_SIGN_IN = "forms"
_NONCE_BYTES = 16
_DEFAULT_PORTS = {"http": 80, "https": 443}


class SessionBoundCsrf(CSRF):  # type: ignore[misc]  # WTForms has no types
    """Creates tokens that are valid in one session only.

    A token is a nonce, signed under the service's secret and the session's digest. Before the
    sign-in, a random value in the signed cookie of the forms replaces the session. A token is valid
    as long as its session. The nonce makes each token different, so that compressed responses do
    not reveal it (BREACH).
    """

    def generate_csrf_token(self, csrf_token_field: CSRFTokenField) -> str:  # noqa: ARG002 - WTForms' signature
        return _signer(_present_session()).sign(secrets.token_hex(_NONCE_BYTES)).decode()

    def validate_csrf_token(self, form: Form, field: CSRFTokenField) -> None:  # noqa: ARG002 - WTForms' signature
        if not _signer(_present_session()).validate(field.data or ""):
            raise ValidationError("is not the token of this session")


def is_form_of(session_token: SessionToken) -> bool:
    """Return whether the form that was sent belongs to this session, which may have ended."""
    return _signer(_named(session_token)).validate(request.form.get("csrf_token", ""))


def _present_session() -> str:
    if "token" in g:
        return _named(g.token)
    return f"before:{session.setdefault(_BEFORE_SIGN_IN, secrets.token_hex(32))}"


def _named(session_token: SessionToken) -> str:
    return f"session:{session_token.digest}"


def _signer(session_name: str) -> Signer:
    secret = str(current_app.secret_key)
    return Signer(secret, salt=f"form:{session_name}", digest_method=hashlib.sha256)


def from_another_site(base_url: str) -> bool:
    """Return whether a page of another site sent this request, according to the browser.

    Uses `Sec-Fetch-Site` (W3C Fetch Metadata) and `Origin` (RFC 6454). Browsers send at least one
    of them with a form, so a client that sends neither is not a browser.

    The origin in `Sec-Fetch-Site: same-origin` is the address that the browser sent the request
    to, which may be another address of the service than `base_url`.
    """
    site = request.headers.get("Sec-Fetch-Site")
    if site not in {None, "same-origin", "none"}:
        return True
    origin = request.headers.get("Origin")
    if origin is None or _origin(origin) == _origin(base_url):
        return False
    return site is None or _host(origin) != request.environ.get(SENT_HOST)


def _host(origin: str) -> str | None:
    """Return the host and port as in the Host header, without the default port of the scheme."""
    scheme, _, host = origin.partition("://")
    return host if scheme in _DEFAULT_PORTS and host else None


def _origin(text: str) -> tuple[str, str | None, int | None] | None:
    try:
        parts = urlsplit(text)
        port = parts.port or _DEFAULT_PORTS.get(parts.scheme)
    except ValueError:
        return None
    return parts.scheme, parts.hostname, port
