"""The cookies: the session of the member, the known device, and the data that forms need."""

import hashlib
from collections.abc import Callable
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

from flask import Flask, Request, current_app, flash, g, redirect, request, session
from flask.sessions import SecureCookieSession, SecureCookieSessionInterface
from itsdangerous import BadSignature, URLSafeSerializer
from werkzeug.wrappers import Response

from evref.application.accounts.sign_in import StartedSession
from evref.domain.accounts.institution import Member
from evref.domain.accounts.session import LONGEST_SESSION, SessionToken
from evref.domain.accounts.slowdown import DEVICE_LENGTH, Device
from evref.domain.errors import StorageUnavailableError
from evref.domain.principal import Role

PATH = "/settings"
"""The path of the forms. Cookies are for all paths, because every page shows the member."""

SESSION = "evref_session"
FORMS = "evref_forms"
DEVICE = "evref_device"

_OF_HOST, _OF_PATH = "__Host-", "__Secure-"
"""Browsers accept a cookie with these prefixes over https only, and with the first from this host
for the path `/` only (RFC 6265bis, section 4.1.3).
"""


def configure(app: Flask, cookie_secret: Callable[[], str], base_url: str) -> None:
    """Set up the cookies of a service, which browsers send over https only if `base_url` has it."""
    parts = urlsplit(base_url)
    app.session_interface = _FormsInterface(cookie_secret)
    app.config |= {
        # A token is valid as long as its session.
        "WTF_CSRF_TIME_LIMIT": None,
        "SESSION_COOKIE_PATH": parts.path or "/",
        "SESSION_COOKIE_SECURE": parts.scheme == "https",
        "SESSION_COOKIE_HTTPONLY": True,
        "SESSION_COOKIE_SAMESITE": "Lax",
    }
    with app.app_context():
        app.config["SESSION_COOKIE_NAME"] = _full_name(FORMS)


class _FormsInterface(SecureCookieSessionInterface):
    """Flask's signed cookie, for forms only, with a secret that is read when one needs it."""

    def __init__(self, cookie_secret: Callable[[], str]) -> None:
        self._cookie_secret = cookie_secret

    def open_session(self, app: Flask, request: Request) -> SecureCookieSession | None:
        if not request.path.startswith(PATH):
            return None
        try:
            app.secret_key = self._cookie_secret()
        except StorageUnavailableError as error:
            # The view raises the error instead, because Flask would not handle one here.
            g.secret_error = error
            return None
        return super().open_session(app, request)


def present_token() -> SessionToken | None:
    """Return the session token that the browser sent, unverified."""
    text = request.cookies.get(_full_name(SESSION))
    return None if text is None else SessionToken(text)


def present_device() -> Device | None:
    """Return the device that the browser sent, unverified; None if no member signed in with it."""
    try:
        id_, binding, seconds = _serializer().loads(request.cookies.get(_full_name(DEVICE), ""))
    except BadSignature:
        return None
    return Device(id_, binding, datetime.fromtimestamp(seconds, UTC))


def begin(started: StartedSession, onwards: str, message: str | None = None) -> Response:
    """Redirect to a page that shows the message, with the cookies of the session and the device."""
    response = redirect(onwards, HTTPStatus.SEE_OTHER)
    session.clear()
    device = started.device
    signed = _serializer().dumps([device.id, device.binding, int(device.known_since.timestamp())])
    set_session(response, started.token, started.member)
    response.set_cookie(_full_name(DEVICE), signed, max_age=DEVICE_LENGTH, **_flags())
    if message is not None:
        flash(message)
    return response


def set_session(response: Response, token: SessionToken, member: Member) -> None:
    # Readers stay signed in when the browser is closed. Other members can see or manage keys.
    length = LONGEST_SESSION if member.role is Role.READER else None
    response.set_cookie(_full_name(SESSION), token.text, max_age=length, **_flags())


def end(onwards: str, message: str) -> Response:
    """Redirect to a page that shows the message, without a session; the device stays known."""
    response = redirect(onwards, HTTPStatus.SEE_OTHER)
    session.clear()
    response.delete_cookie(_full_name(SESSION), **_flags())
    flash(message)
    return response


def _full_name(name: str) -> str:
    flags = _flags()
    prefix = _OF_HOST if flags["path"] == "/" else _OF_PATH
    return prefix + name if flags["secure"] else name


def _flags() -> dict[str, Any]:
    names = ("path", "secure", "httponly", "samesite")
    return {name: current_app.config[f"SESSION_COOKIE_{name.upper()}"] for name in names}


def _serializer() -> URLSafeSerializer:
    return URLSafeSerializer(
        str(current_app.secret_key), salt=DEVICE, signer_kwargs={"digest_method": hashlib.sha256}
    )
