"""One spelling for each page: other spellings of its path are redirected to it.

The interfaces for programs respond with 404 to other spellings.
"""

from http import HTTPStatus
from urllib.parse import quote

from flask import Flask, current_app, redirect, request
from werkzeug.exceptions import HTTPException
from werkzeug.wrappers import Response

from evref.adapters.inbound.web.headers import decoded_path
from evref.domain.redaction import has_key

_PAGES = frozenset({"pages", "catalogue", "settings"})
"""The blueprints with pages for people."""


def register(app: Flask, base_url: str) -> None:
    """Redirect paths with trailing slashes, double slashes or capitals, before any view runs."""

    def to_the_one_spelling() -> Response | None:
        given = decoded_path(request.environ)
        page = _page(given) if request.method in {"GET", "HEAD"} else None
        if page is None or page == given or has_key(given):
            return None
        query = request.query_string.decode("latin-1")
        address = f"{base_url}{quote(page)}"
        if query and not has_key(query):
            address += f"?{query}"
        return redirect(address, HTTPStatus.PERMANENT_REDIRECT)

    app.before_request(to_the_one_spelling)


def _page(given: str) -> str | None:
    """Return the canonical path of the page that a path means; None if it is not a page."""
    parts = [part for part in given.split("/") if part]
    try:
        rule, _ = current_app.url_map.bind("").match(
            "/" + "/".join(parts).lower(), "GET", return_rule=True
        )
    except HTTPException:
        return None
    blueprint, _, view = rule.endpoint.partition(".")
    # The URLs of files are not redirected, because programs request them.
    if blueprint not in _PAGES or view == "static" or (parts and "." in parts[-1]):
        return None
    # Invitations and ids in the settings can have capitals; ids in the catalogue cannot.
    keeps_case = blueprint == "settings"
    names = rule.rule.strip("/").split("/")
    return "/" + "/".join(
        part if keeps_case and name.startswith("<") else part.lower()
        for part, name in zip(parts, names, strict=False)
    )
