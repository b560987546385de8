"""What an interface is, and what the application offers to it: no interface imports another."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, TypeAlias
from urllib.parse import urlencode
from wsgiref.types import WSGIEnvironment

from flask import Blueprint

from evref.adapters.inbound.web.admission import CatalogueEndpoints
from evref.adapters.inbound.web.frame import Frame
from evref.adapters.inbound.web.identity import Identity
from evref.adapters.inbound.web.problems import Render
from evref.application.access.gate import Gate
from evref.application.access.manage_keys import ManageKeys
from evref.application.accounts.people import People
from evref.application.catalogue.browse_catalogue import BrowseCatalogue
from evref.application.read_audit_log import ReadAuditLog
from evref.domain.catalogue.entry import Entry
from evref.domain.errors import EvrefError


@dataclass(frozen=True, slots=True)
class Interface:
    """A way into the service, such as FHIR, by an entry point of the group `evref.interfaces`.

    It has the path `root` and all paths below it. `blueprints` makes its views. Problems are
    rendered by `render_problem`, or as a page. If it is `cross_origin`, scripts from other origins
    may call it (CORS).
    """

    root: str
    blueprints: Callable[["Host"], Iterable[Blueprint]]
    render_problem: Render | None = None
    cross_origin: bool = False


class InterfaceError(EvrefError):
    """Indicates an interface that cannot be served; the message is one line for the operator."""


@dataclass(frozen=True, slots=True)
class CompletedRequest:
    """A request and its status; `seconds` is the time until its response was ready."""

    environ: WSGIEnvironment
    status: int
    seconds: float


Observer: TypeAlias = Callable[[CompletedRequest], None]


class HostSettings(Protocol):
    """The operator's settings that interfaces may read."""

    @property
    def base_url(self) -> str: ...
    @property
    def canonical_root(self) -> str: ...
    @property
    def contact(self) -> str | None: ...
    @property
    def licence(self) -> str | None: ...
    @property
    def metrics_folder(self) -> Path | None: ...
    @property
    def metrics_token(self) -> str | None: ...
    @property
    def operator(self) -> str | None: ...

    def of_interface(self, name: str) -> dict[str, str]:
        """Return the settings `EVREF_NAME_…` of an interface, by the lower-case rest of the name.

        Values are text, as the operator wrote them.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """The use cases, the settings, and the frame around pages.

    - `endpoint` makes views that admit, count and cache; see `CatalogueEndpoints`.
    - `frame` renders pages, and `visitor` is who reads them.
    - `interfaces` are the names of all interfaces that are served.
    - `warnings` returns warnings about the setup of storage, one line each.
    - `example` reads an entry of the bundled catalogue, for examples in documents.
    - An interface that appends to `observers` sees every completed request.
    """

    settings: HostSettings
    browse: BrowseCatalogue
    gate: Gate
    people: People
    keys: ManageKeys
    log: ReadAuditLog
    endpoint: CatalogueEndpoints
    frame: Frame
    visitor: Identity
    interfaces: Collection[str]
    warnings: Callable[[], Sequence[str]]
    example: Callable[[], Entry]
    observers: list[Observer] = field(default_factory=list)

    def diagnosis_address(self, diagnosis_id: str) -> str | None:
        """Return the address of the page of a diagnosis; None if the service has no pages."""
        page = f"{self.settings.base_url}/catalogue/{diagnosis_id}"
        return None if self.frame.is_off else page

    def sign_in_address(self, path: str) -> str | None:
        """Return the address of the sign-in page that leads to a path; None if all may read."""
        if self.frame.is_public or self.frame.is_off:
            return None
        return f"{self.settings.base_url}/settings/sign-in?{urlencode({'next': path})}"
