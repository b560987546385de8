"""Problem details (RFC 9457), independent of any interface. `problems.toml` has their types."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from http import HTTPStatus
from importlib import resources
from typing import Annotated, Any

from evref.domain import errors
from evref.domain.access.quota import QuotaExceededError
from evref.domain.declaration import Example
from evref.domain.redaction import without_keys


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


class PreconditionFailedError(errors.EvrefError):
    """Indicates an If-Match that does not name the selected representation."""

    text = PROBLEMS["precondition-failed"].meaning


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


def details_of(error: Exception, base_url: str) -> ProblemDetails:
    """Return an error as a problem; one that has none is an internal error."""
    problem = problem_of(error)
    if problem is None:
        detail = "An unexpected error occurred; the log of the service has it under the request id."
        return PROBLEMS["internal-error"].details(detail, base_url)
    details = problem.details(str(error), base_url)
    if problem.slug in _EXTENSIONS:
        details.extensions = _EXTENSIONS[problem.slug](error)
    if isinstance(error, QuotaExceededError):
        details.headers["Retry-After"] = str(error.quota.seconds_left)
    return details
