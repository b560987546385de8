"""What all pages share: the signed-in member, access to the catalogue, and the page cache."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

from apiflask import APIBlueprint
from flask import Flask, Response, current_app, g, redirect, render_template, request
from werkzeug.datastructures import LanguageAccept
from werkzeug.exceptions import HTTPException
from werkzeug.http import parse_accept_header
from werkzeug.wrappers import Response as AnyResponse

from evref.adapters.inbound.web import cookies, headers, query, words
from evref.adapters.inbound.web.identity import Identity, with_cookie
from evref.adapters.inbound.web.representations import (
    PRIVATE,
    PUBLIC,
    Representation,
    ResponseCache,
    respond,
)
from evref.application.accounts.sign_in import SignedIn
from evref.application.catalogue.browse_catalogue import BrowseCatalogue
from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.catalogue.served import Served
from evref.domain.catalogue.vocabulary import DISCLAIMER
from evref.domain.errors import NoCatalogueError, StorageUnavailableError
from evref.domain.principal import Readers, Role
from evref.domain.redaction import has_key

# Embeddings, overrides and isolates (UAX 9): an unclosed one can reverse all text after it. The
# implicit marks (U+200E, U+200F, U+061C) affect only adjacent characters and are allowed.
_DIRECTION_CONTROLS = dict.fromkeys((*range(0x202A, 0x202F), *range(0x2066, 0x206A)))

# The cookie determines who a page says is signed in, and whether the visitor may see it.
_VARY = "Accept-Encoding, Cookie, Accept-Language"

_ENGLISH = "en"
_PAGE = "text/html; charset=utf-8"


@dataclass(kw_only=True, eq=False)
class Frame:
    """Available as `frame` in the templates of all pages.

    `parameters` has the query parameters of the pages for readers, by endpoint.
    """

    readers: Readers
    browse: BrowseCatalogue
    identity: Identity
    base_url: str
    own_licence: str | None
    cache: ResponseCache[Representation]
    parameters: dict[str, Mapping[str, query.Parse]] = field(default_factory=dict)
    _blueprints: set[str] = field(default_factory=set, init=False)

    def register(self, app: Flask) -> None:
        app.jinja_options = {
            **app.jinja_options,
            "finalize": _without_direction_controls,
            "trim_blocks": True,
            "lstrip_blocks": True,
        }
        app.context_processor(
            lambda: {
                "frame": self,
                "identity": self.identity,
                "disclaimer": DISCLAIMER,
                "words": words,
            }
        )

    def blueprint(self, name: str, import_name: str, **options: Any) -> APIBlueprint:
        """Return a blueprint with what all pages share: one spelling of each path, and sessions.

        Its paths are in lower case, except for a variable part `token`. `options` are Flask's.
        """
        pages = APIBlueprint(name, import_name, enable_openapi=False, **options)
        self._blueprints.add(name)
        pages.before_request(self.redirect)
        pages.after_request(with_cookie)
        return pages

    def redirect(self) -> AnyResponse | None:
        """Return the redirect of a path with trailing slashes, double slashes or capitals.

        None if no page has the path in another spelling. Interfaces for programs respond to such a
        path with 404.
        """
        path = headers.decoded_path(request.environ)
        page = self._canonical_path(path) if request.method in {"GET", "HEAD"} else None
        if page is None or page == path or has_key(path):
            return None
        text = request.query_string.decode("latin-1")
        parameters = f"?{text}" if text and not has_key(text) else ""
        address = f"{self.base_url}{quote(page)}{parameters}"
        return redirect(address, HTTPStatus.PERMANENT_REDIRECT)

    def _canonical_path(self, path: str) -> str | None:
        """Return the canonical path of the page that a path means; None if it is not a page."""
        parts = [part for part in path.split("/") if part]
        try:
            rule, _ = current_app.url_map.bind("").match(
                "/" + "/".join(parts).lower(), "GET", return_rule=True
            )
        except HTTPException:
            return None
        is_page = rule.endpoint.partition(".")[0] in self._blueprints
        # The URLs of files are not redirected, because programs request them.
        if not is_page or (parts and "." in parts[-1]):
            return None
        names = rule.rule.strip("/").split("/")
        return "/" + "/".join(
            part if name == "<token>" else part.lower()
            for part, name in zip(parts, names, strict=False)
        )

    @property
    def is_reader(self) -> bool:
        """Return whether the member is a reader, who may not see keys."""
        member = self.member
        return member is not None and member.principal.role is Role.READER

    @property
    def member(self) -> SignedIn | None:
        """Return the signed-in member; None if storage is unavailable."""
        try:
            return self.identity.signed_in()
        except StorageUnavailableError:
            return None

    @property
    def language(self) -> str:
        served = self.served
        if served is None:
            return _ENGLISH
        accepted = request.headers.get("Accept-Language", "")[:200]
        return _best_language(accepted, served.catalogue.languages)

    @property
    def not_understood(self) -> tuple[str, ...]:
        return query.not_understood()

    @property
    def is_off(self) -> bool:
        return self.readers is Readers.OFF

    @property
    def is_public(self) -> bool:
        return self.readers is Readers.PUBLIC

    @property
    def served(self) -> Served | None:
        """Return what is served; None if nothing is, or if the visitor may not read it."""
        if "served" not in g:
            try:
                admitted = self.readers.admits(member=self.member is not None)
                g.served = self.browse.current() if admitted else None
            except (NoCatalogueError, StorageUnavailableError):
                g.served = None
        served: Served | None = g.served
        return served

    @property
    def catalogue(self) -> Catalogue | None:
        return None if self.served is None else self.served.catalogue

    @property
    def licence(self) -> str | None:
        """Return the address of the catalogue's licence, for a visitor who may read it."""
        return None if self.served is None else self.served.licence(self.own_licence)

    def require_served(self) -> Served:
        """Return what is served, for a page that needs it, once the visitor may see it."""
        g.served = served = self.browse.current()
        return served

    def page(
        self,
        template: str,
        context: Callable[[], Mapping[str, Any]],
        *,
        parameters: Mapping[str, str] | None = None,
        policy: str = headers.PAGE_POLICY,
        is_by_role: bool = False,
    ) -> Response:
        """Return the page for this path and query.

        It is rendered once for each version of the catalogue and language, as visitors see it. For
        a member, the part of the navigation that says who is signed in is replaced. `parameters`
        has the valid query parameters; in the template, all others of the page are None. If the
        page `is_by_role`, readers get another body.
        """
        is_reader = is_by_role and self.is_reader
        target = (
            *(request.path, query.normalized(parameters or {}), *self.not_understood),
            *("reader" if is_reader else "", self.language),
            "" if self.served is None else self.served.id,
        )
        with self.cache.rendering(target):
            representation = self.cache.get(target)
            if representation is None:
                others = dict.fromkeys(self.parameters.get(request.endpoint or "", ()))
                page = render_template(
                    template,
                    is_shared=True,
                    parameters={**others, **(parameters or {})},
                    **context(),
                )
                representation = Representation([page.encode()], _PAGE, vary=_VARY)
                self.cache.put(target, representation)
        if self.member is not None:
            shared, _ = representation.content(compressed=False)
            body = b"".join(shared).replace(self._session(None), self._session(self.member), 1)
            representation = Representation([body], _PAGE)
        response = self.respond(representation)
        response.headers["Content-Security-Policy"] = policy
        return response

    def _session(self, member: SignedIn | None) -> bytes:
        return render_template("session.html", member=member).encode()

    def respond(self, representation: Representation) -> Response:
        """Return the response that shared caches may keep if the pages and the request are public.

        Cookies other than the session's do not make it private.
        """
        is_public = (
            self.is_public
            and cookies.present_token() is None
            and not self.identity.has_header(request.environ)
            and not request.query_string
        )
        response = respond(representation, PUBLIC if is_public else PRIVATE)
        response.headers["Vary"] = _VARY
        return response


@lru_cache(maxsize=256)
def _best_language(accepted: str, languages: tuple[str, ...]) -> str:
    ranked = parse_accept_header(accepted, LanguageAccept).values()
    known = (tag.partition("-")[0].lower() for tag in ranked)
    return next((language for language in known if language in {_ENGLISH, *languages}), _ENGLISH)


def _without_direction_controls(value: object) -> object:
    """Return the text of a value without the characters that change the direction of later text.

    For Jinja's `finalize`, which is called with each expression before it is escaped.
    """
    # Markup is skipped, because each of its parts was already passed to this function.
    return value if hasattr(value, "__html__") else str(value).translate(_DIRECTION_CONTROLS)
