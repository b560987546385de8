"""The two cookies: the session of the member, and the data that forms need."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from flask import Flask, Request, current_app, request, session
from flask.sessions import SecureCookieSession, SecureCookieSessionInterface
from werkzeug.wrappers import Response

from evref.domain.accounts.sign_in import SessionToken
from evref.domain.errors import StorageUnavailableError

PATH = "/settings"
"""The path of the forms. The session cookie has no path, because every page shows the sign-in."""

SESSION = "evref_session"
FORMS = "evref_forms"

MEMBER, DRAFT = "member", "draft"
"""In the signed cookie: the id of the member who signed in last, and a form that was not saved."""

_PREFIX_OF_SECURE = "__Secure-"
"""Browsers accept a cookie with this prefix over https only (RFC 6265bis, section 4.1.3.1)."""
_SESSION_NAME = "EVREF_SESSION_COOKIE_NAME"


def configure(app: Flask, share_secret: Callable[[], str], *, secure: bool) -> None:
    """Set up the signed cookie of the forms, for these pages only.

    With `secure`, browsers send the cookies over https only.
    """
    app.session_interface = _FormsInterface(share_secret)
    prefix = _PREFIX_OF_SECURE if secure else ""
    app.config |= {
        _SESSION_NAME: prefix + SESSION,
        "SESSION_COOKIE_NAME": prefix + FORMS,
        "SESSION_COOKIE_PATH": PATH,
        "SESSION_COOKIE_SECURE": secure,
        "SESSION_COOKIE_HTTPONLY": True,
        "SESSION_COOKIE_SAMESITE": "Lax",
    }


class _FormsInterface(SecureCookieSessionInterface):
    """Flask's signed cookie, with a secret that is read when a page first needs it.

    Other requests, including all of the API, have no session.
    """

    def __init__(self, share_secret: Callable[[], str]) -> None:
        self._share_secret = share_secret

    def open_session(self, app: Flask, request: Request) -> SecureCookieSession | None:
        if not request.path.startswith(PATH):
            return None
        # If storage is unavailable, the page reports it; an error here would not be handled.
        with suppress(StorageUnavailableError):
            app.secret_key = self._share_secret()
            return super().open_session(app, request)
        return None


def present_token() -> SessionToken | None:
    """Return the token that the browser sent; it may belong to no session."""
    text = request.cookies.get(current_app.config[_SESSION_NAME])
    return None if text is None else SessionToken(text)


def begin(response: Response, token: SessionToken, member_id: str) -> None:
    """Set the cookie of the member's session, and clear the data of earlier forms.

    Only a draft of the same member stays.
    """
    draft = session.get(DRAFT)
    session.clear()
    session[MEMBER] = member_id
    if draft is not None and draft[MEMBER] == member_id:
        session[DRAFT] = draft
    response.set_cookie(
        current_app.config[_SESSION_NAME],
        token.text,
        path="/",
        secure=bool(current_app.config["SESSION_COOKIE_SECURE"]),
        httponly=True,
        samesite="Lax",
    )


def end(response: Response) -> None:
    """Delete the cookie of the session and the data of its forms."""
    session.clear()
    response.delete_cookie(
        current_app.config[_SESSION_NAME],
        path="/",
        secure=bool(current_app.config["SESSION_COOKIE_SECURE"]),
        httponly=True,
        samesite="Lax",
    )
