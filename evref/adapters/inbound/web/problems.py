"""Every failed request becomes a problem (RFC 9457), and the problem a response.

`problems.toml` has the types of problems.
"""

from __future__ import annotations

import json
import logging
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from importlib import resources
from typing import Annotated, Any, TypeAlias
from urllib.parse import quote
from wsgiref.types import WSGIEnvironment

from flask import Response, render_template, request
from werkzeug.exceptions import HTTPException

from evref.adapters.inbound.web.headers import (
    QUOTA,
    decoded_path,
    log_fields,
    request_id,
    shown_path,
)
from evref.adapters.inbound.web.representations import (
    NEVER,
    PreconditionFailedError,
    RawResponse,
    compressed_where_accepted,
)
from evref.domain import errors
from evref.domain.access.quota import QuotaExceededError
from evref.domain.declaration import Example
from evref.domain.redaction import without_keys

log = logging.getLogger(__name__)

# Stored, because json.dumps creates an encoder for each call with options.
_JSON = json.JSONEncoder(ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem type: a row of `problems.toml`."""

    slug: str
    status: HTTPStatus
    title: str
    meaning: str
    remedy: str
    type: str | None = None
    challenge: str | None = None
    retry_after: int | None = None

    def type_uri(self, base_url: str) -> str:
        return self.type or f"{base_url}/problems/{self.slug}"

    def details(self, detail: str, base_url: str) -> ProblemDetails:
        """Return an occurrence; `detail` may quote what the client sent, such as a parameter."""
        headers = {}
        if self.challenge is not None:
            headers["WWW-Authenticate"] = self.challenge
        if self.retry_after is not None:
            headers["Retry-After"] = str(self.retry_after)
        return ProblemDetails(
            self.type_uri(base_url), self.title, self.status, without_keys(detail), headers=headers
        )


@dataclass(slots=True)
class ProblemDetails:
    """One occurrence of a problem: its members, those of its type in `extensions`, and headers."""

    type: str
    title: str
    status: int
    detail: str
    extensions: dict[str, Any] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)


Render: TypeAlias = Callable[[ProblemDetails, WSGIEnvironment], RawResponse]
"""Renders a problem in the form of an interface.

If the interface has cached responses, this is also called outside of Flask.
"""


def _read() -> dict[str, Problem]:
    table = resources.files(__package__).joinpath("problems.toml").read_text(encoding="utf-8")
    return {
        slug: Problem(slug, HTTPStatus(row.pop("status")), **row)
        for slug, row in tomllib.loads(table).items()
    }


PROBLEMS = _read()
"""All problem types, by slug."""
DOCUMENTED = {slug: problem for slug, problem in PROBLEMS.items() if problem.type != "about:blank"}
"""Those that have a page."""


class MissingCredentialsError(errors.EvrefError):
    text = "The request has no header of the form “Authorization: Bearer <API key>”."


class NotAcceptableError(errors.EvrefError):
    """Indicates a request that accepts none of the media types that an address offers."""

    def __init__(self, offers: Iterable[str]) -> None:
        super().__init__(
            f"The Accept header allows nothing that this address sends: {', '.join(offers)}."
        )


class SearchBusyError(errors.EvrefError):
    """Indicates a search that was not done because another one was running."""

    text = "Many people are searching at once. Try again in a few seconds."


UNNAMED = "A parameter without a name"
"""What problems call the parameter of the query `=1`."""


@dataclass(frozen=True, slots=True)
class ParameterFault:
    """An error in a query parameter."""

    parameter: Annotated[str, "The parameter's name.", Example("modul")]
    message: Annotated[
        str, "What is wrong with it.", Example("is not a parameter of this operation")
    ]
    allowed: Annotated[
        tuple[str, ...],
        "The allowed values; if they cannot be listed, a description of them.",
        Example(["module", "phase"]),
    ]

    def __str__(self) -> str:
        allowed = f"; allowed: {', '.join(self.allowed)}" if self.allowed else ""
        return f"{self.parameter or UNNAMED} {self.message}{allowed}"


class InvalidParametersError(errors.EvrefError):
    """Indicates an invalid query; `faults` contains every error, and the text is the first."""

    def __init__(self, *faults: ParameterFault) -> None:
        self.faults = faults
        super().__init__(str(faults[0]))


_OF_ERROR: dict[type, str] = {
    MissingCredentialsError: "missing-credentials",
    InvalidParametersError: "invalid-parameter",
    NotAcceptableError: "not-acceptable",
    PreconditionFailedError: "precondition-failed",
    errors.InvalidApiKeyError: "invalid-api-key",
    errors.InsufficientPermissionError: "insufficient-permission",
    errors.UnknownDiagnosisError: "unknown-diagnosis",
    errors.RemovedDiagnosisError: "removed-diagnosis",
    errors.UnknownInterventionError: "unknown-intervention",
    errors.RemovedInterventionError: "removed-intervention",
    errors.NotFoundError: "not-found",
    errors.NotAllowedError: "not-allowed",
    QuotaExceededError: "quota-exceeded",
    errors.NoCatalogueError: "service-unavailable",
    SearchBusyError: "service-unavailable",
    errors.BusyError: "service-unavailable",
    errors.StorageUnavailableError: "service-unavailable",
}

_EXTENSIONS: dict[str, Callable[[Any], dict[str, Any]]] = {
    "quota-exceeded": lambda _: {"violated-policies": ["daily"]},
    "removed-diagnosis": lambda error: {"removed_on": error.removed_on.isoformat()},
    "removed-intervention": lambda error: {"removed_on": error.removed_on.isoformat()},
    "invalid-parameter": lambda error: {
        "errors": [
            {
                "parameter": without_keys(fault.parameter),
                "message": without_keys(fault.message),
                "allowed": list(fault.allowed),
            }
            for fault in error.faults
        ]
    },
}


def problem_of(error: Exception) -> Problem | None:
    """Return the problem of an error, or else of its nearest base class; None if it has none."""
    slugs = (_OF_ERROR[kind] for kind in type(error).__mro__ if kind in _OF_ERROR)
    return next((PROBLEMS[slug] for slug in slugs), None)


@dataclass(frozen=True, slots=True)
class Failures:
    """The responses to failed requests.

    The URLs of problem types begin with `base_url`. `forms` render the problems of interfaces, by
    their roots; if one has None, or the path has no interface, the problem is a page.
    """

    base_url: str
    forms: Mapping[str, Render | None]

    def response(self, error: Exception) -> Response:
        raw = self.raw_response(error, request.environ)
        return compressed_where_accepted(Response(raw.body, raw.status, raw.headers))

    def raw_response(self, error: Exception, environ: WSGIEnvironment) -> RawResponse:
        if isinstance(error, HTTPException):
            details = self._http_details(error, environ)
        else:
            details = self._details(error, environ)
        # A path in another spelling is not found, but a program still gets its own format.
        path = f"/{environ['PATH_INFO'].lower().lstrip('/')}/"
        forms = (form for root, form in self.forms.items() if path.startswith(f"{root}/"))
        form = next(forms, None) or _as_page
        return form(details, environ)

    def _details(self, error: Exception, environ: WSGIEnvironment) -> ProblemDetails:
        """Return an error as a problem; one that has none is an internal error."""
        problem, id_ = problem_of(error), request_id(environ)
        if problem is None:
            log.error("request %s failed", id_, exc_info=error, extra=log_fields(environ))
            detail = (
                "An unexpected error occurred; the log of the service has it under the request id."
            )
            return PROBLEMS["internal-error"].details(detail, self.base_url)
        details = problem.details(str(error), self.base_url)
        if problem.slug in _EXTENSIONS:
            details.extensions = _EXTENSIONS[problem.slug](error)
        if isinstance(error, QuotaExceededError):
            environ[QUOTA] = error.quota
            details.headers["Retry-After"] = str(error.quota.seconds_left)
        if isinstance(error, errors.StorageUnavailableError):
            reason = f"storage is out of reach: {error.reason}"
            log.error("request %s: %s", id_, reason, extra=log_fields(environ))
        return details

    def _http_details(self, error: HTTPException, environ: WSGIEnvironment) -> ProblemDetails:
        status = error.code or 500
        if status == HTTPStatus.METHOD_NOT_ALLOWED:
            allowed = ", ".join(sorted(getattr(error, "valid_methods", None) or ()))
            detail = f"The address accepts {allowed}."
            details = PROBLEMS["method-not-allowed"].details(detail, self.base_url)
            details.headers["Allow"] = allowed
            return details
        if status == HTTPStatus.NOT_FOUND:
            detail = f"There is nothing at {shown_path(environ)}."
            if decoded_path(environ).rstrip("/").lower() in {"/api", "/api/v1"}:
                documents = f"{self.base_url}/api/v1/openapi.json and {self.base_url}/docs"
                detail = f"{detail[:-1]}: the API is described in {documents}."
            return PROBLEMS["not-found"].details(detail, self.base_url)
        # RFC 9457, section 4.2.1: a problem with no meaning beyond its status.
        detail = "The service did not process the request."
        return ProblemDetails("about:blank", error.name, status, detail)


def _as_page(problem: ProblemDetails, environ: WSGIEnvironment) -> RawResponse:
    page = render_template("error.html", problem=members(problem, environ))
    return problem_response(problem, "text/html; charset=utf-8", page)


def members(problem: ProblemDetails, environ: WSGIEnvironment) -> dict[str, Any]:
    return {
        "type": problem.type,
        "title": problem.title,
        "status": problem.status,
        "detail": problem.detail,
        **problem.extensions,
        "instance": quote(shown_path(environ)),
        "request_id": request_id(environ),
    }


def json_problem(problem: ProblemDetails, environ: WSGIEnvironment) -> RawResponse:
    """Return the response in JSON (RFC 9457, section 3)."""
    text = _JSON.encode(members(problem, environ))
    return problem_response(problem, "application/problem+json", text)


def problem_response(
    problem: ProblemDetails, content_type: str, text: str, *, status: int | None = None
) -> RawResponse:
    """Return the response with a problem that an interface has rendered; it must not be cached.

    `status` is the problem's status, unless the interface uses another one for it.
    """
    body = text.encode()
    headers = [
        ("Content-Type", content_type),
        ("Content-Length", str(len(body))),
        ("Cache-Control", NEVER),
        *problem.headers.items(),
    ]
    shown = HTTPStatus(status or problem.status)
    return RawResponse(f"{shown:d} {shown.phrase.upper()}", headers, [body])
