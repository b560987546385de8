"""Drafts: what a member typed into a form that was sent after the session had ended.

A draft waits in the signed cookie of the forms until the same member has signed in again. Then
the form shows it once; nothing was saved.
"""

import json

from flask import g, request, session
from werkzeug.datastructures import MultiDict

from evref.adapters.inbound.pages.settings.cookies import DRAFT, MEMBER
from evref.adapters.inbound.pages.settings.forgery import is_form_of
from evref.domain.accounts.sign_in import SessionToken
from evref.domain.redaction import has_key

LONGEST_DRAFT = 2000
"""Bytes as JSON: a cookie holds 4096, in which this needs 2700. Longer forms are not kept."""

_NEVER_KEPT = frozenset({"csrf_token", "present", "password", "repeated"})
"""The names of fields with secrets."""


def keep(token: SessionToken) -> bool:
    """Keep the form that was just sent until the next sign-in; return whether it may be kept.

    A form without the CSRF token of the ended session was sent by somebody else, and nobody knows
    whose form it is if the cookie does not say.
    """
    fields = {
        name: texts
        for name, texts in request.form.lists()
        if name not in _NEVER_KEPT and not any(map(has_key, (name, *texts)))
    }
    if not fields or MEMBER not in session or not is_form_of(token):
        return False
    if len(json.dumps(fields)) > LONGEST_DRAFT or has_key(request.path):
        return False
    session[DRAFT] = {MEMBER: session[MEMBER], "path": request.path, "fields": fields}
    return True


def take_out() -> None:
    """Move the draft from the cookie to the page, if it is a draft of this page's form."""
    draft = session.pop(DRAFT, None)
    if draft is not None and draft["path"] == request.path:
        g.draft = MultiDict(draft["fields"])


def on_this_page() -> MultiDict[str, str] | None:
    """Return the fields of the draft for the form of this page."""
    found: MultiDict[str, str] | None = g.get("draft")
    return found
