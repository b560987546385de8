"""One spelling for each page: other spellings of its path are redirected to it.

The interfaces for programs respond with 404 to other spellings.
"""

from collections.abc import Mapping
from http import HTTPStatus
from urllib.parse import quote

from flask import current_app, redirect, request
from werkzeug.exceptions import HTTPException
from werkzeug.wrappers import Response

from evref.adapters.inbound.web.headers import decoded_path
from evref.domain.redaction import has_key


def to_the_one_spelling(base_url: str, keeps_case: Mapping[str, bool]) -> Response | None:
    """Return the redirect of a path with trailing slashes, double slashes or capitals.

    `keeps_case` has the blueprints of pages, and whether ids in their paths can have capitals.
    """
    given = decoded_path(request.environ)
    page = _page(given, keeps_case) if request.method in {"GET", "HEAD"} else None
    if page is None or page == given or has_key(given):
        return None
    query = request.query_string.decode("latin-1")
    address = f"{base_url}{quote(page)}"
    if query and not has_key(query):
        address += f"?{query}"
    return redirect(address, HTTPStatus.PERMANENT_REDIRECT)


def _page(given: str, keeps_case: Mapping[str, bool]) -> str | None:
    """Return the canonical path of the page that a path means; None if it is not a page."""
    parts = [part for part in given.split("/") if part]
    try:
        rule, _ = current_app.url_map.bind("").match(
            "/" + "/".join(parts).lower(), "GET", return_rule=True
        )
    except HTTPException:
        return None
    blueprint = rule.endpoint.partition(".")[0]
    # The URLs of files are not redirected, because programs request them.
    if blueprint not in keeps_case or (parts and "." in parts[-1]):
        return None
    names = rule.rule.strip("/").split("/")
    return "/" + "/".join(
        part if keeps_case[blueprint] and name.startswith("<") else part.lower()
        for part, name in zip(parts, names, strict=False)
    )
