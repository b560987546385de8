"""Problem details (RFC 9457): the table of problem types, independent of any interface.

Each has a page at `/problems/{slug}` that explains it and how to resolve it.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from evref.domain import errors
from evref.domain.access.quota import Quota, QuotaExceededError

REALM = 'Bearer realm="evref"'
SECONDS_TO_RETRY = 2


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem type: its slug, HTTP status, title, and the text of its page.

    `registered_type` is the URI of a type registered with IANA, which replaces the URL of the page.
    """

    slug: str
    status: HTTPStatus
    title: str
    meaning: str
    remedy: str
    registered_type: str | None = None

    def type_uri(self, base_url: str) -> str:
        return self.registered_type or f"{base_url}/problems/{self.slug}"


@dataclass(slots=True)
class ProblemDetails:
    """One occurrence of a problem: the members of RFC 9457, and the headers that it adds.

    `extensions` are the additional members of the type. Each interface renders it in its format.
    """

    type: str
    title: str
    status: int
    detail: str
    extensions: dict[str, Any] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)


MISSING_CREDENTIALS = Problem(
    "missing-credentials",
    HTTPStatus.UNAUTHORIZED,
    "Missing API key",
    "The Authorization header is missing, or does not have the form "
    "“Authorization: Bearer <API key>”. The service reads a key from no other place, such as the "
    "URL.",
    "Send the header with an API key. A member of your institution creates keys in the institution "
    "settings.",
)
INVALID_API_KEY = Problem(
    "invalid-api-key",
    HTTPStatus.UNAUTHORIZED,
    "Invalid API key",
    "The key is mistyped, unknown, revoked or expired. The response does not say which, so that "
    "it reveals nothing about the keys of others.",
    "Compare the key with the key that was shown when it was created. If they are the same, ask a "
    "member of your institution to look up its state or to create a new key.",
)
INSUFFICIENT_PERMISSION = Problem(
    "insufficient-permission",
    HTTPStatus.FORBIDDEN,
    "Insufficient permission",
    "The key is valid, but its permission does not allow reading.",
    "A member of your institution can give the key the permission “read”.",
)
# Occurs only on pages, because an API key has its own permissions. So it has no problem page.
NOT_ALLOWED = Problem(
    "not-allowed",
    HTTPStatus.FORBIDDEN,
    "You may not do this",
    "Your role in the institution does not allow it.",
    "An admin of your institution can give you another role.",
    registered_type="about:blank",
)
NOT_ACCEPTABLE = Problem(
    "not-acceptable",
    HTTPStatus.NOT_ACCEPTABLE,
    "No acceptable format",
    "The Accept header accepts none of the media types that the address offers.",
    "Accept one of the media types that the field “detail” lists, or send no Accept header.",
)
UNKNOWN_DIAGNOSIS = Problem(
    "unknown-diagnosis",
    HTTPStatus.NOT_FOUND,
    "Diagnosis not found",
    "The catalogue has no diagnosis with this id. Ids never change, but a diagnosis can be removed "
    "from the catalogue.",
    "List the diagnoses, or find one by its code with the parameter icd10 or icd11.",
)
REMOVED_DIAGNOSIS = Problem(
    "removed-diagnosis",
    HTTPStatus.GONE,
    "Diagnosis removed",
    "An earlier catalogue contained a diagnosis with this id; the present catalogue does not. The "
    "field “removed_on” is the day of the removal.",
    "Delete the diagnosis from your copy. List the diagnoses to see the present ones.",
)
NOT_FOUND = Problem(
    "not-found",
    HTTPStatus.NOT_FOUND,
    "Not found",
    "The service does not have this path.",
    "The OpenAPI document lists every path of the API. No path ends with a slash.",
)
PRECONDITION_FAILED = Problem(
    "precondition-failed",
    HTTPStatus.PRECONDITION_FAILED,
    "Precondition Failed",
    "If-Match does not name the present ETag of the response.",
    "Send the request without If-Match.",
    # It has no meaning beyond its status (RFC 9457, section 4.2.1).
    registered_type="about:blank",
)
METHOD_NOT_ALLOWED = Problem(
    "method-not-allowed",
    HTTPStatus.METHOD_NOT_ALLOWED,
    "Method not allowed",
    "The API is read-only: it supports GET and HEAD only.",
    "The Allow header of the response lists the allowed methods.",
)
INVALID_PARAMETER = Problem(
    "invalid-parameter",
    HTTPStatus.UNPROCESSABLE_ENTITY,
    "Invalid parameter",
    "A query parameter is unknown, repeated or empty, or its value is not allowed. The API "
    "never ignores a parameter, so you never get unfiltered data by mistake.",
    "Correct the request. The field “errors” lists each parameter, the error and the allowed "
    "values.",
)
QUOTA_EXCEEDED = Problem(
    "quota-exceeded",
    HTTPStatus.TOO_MANY_REQUESTS,
    "Request cannot be satisfied as assigned quota has been exceeded",
    "The daily request limit of the key is used up. Counts start again from zero at 00:00 UTC.",
    "Wait for the number of seconds in the Retry-After header. Requests with If-None-Match count "
    "too. A member of your institution can raise the limit.",
    registered_type="https://iana.org/assignments/http-problem-types#quota-exceeded",
)
SERVICE_UNAVAILABLE = Problem(
    "service-unavailable",
    HTTPStatus.SERVICE_UNAVAILABLE,
    "Service unavailable",
    "The storage for keys and counts is unavailable, or no catalogue has been published. The "
    "service never returns data without counting the request. This request may have been counted.",
    "Retry after the number of seconds in the Retry-After header.",
)
INTERNAL_ERROR = Problem(
    "internal-error",
    HTTPStatus.INTERNAL_SERVER_ERROR,
    "Internal error",
    "The error is in the service, not in the request.",
    "Report the request id to the operator, who finds the details under it in the log.",
)

PROBLEMS = {
    problem.slug: problem
    for problem in (
        MISSING_CREDENTIALS,
        INVALID_API_KEY,
        INSUFFICIENT_PERMISSION,
        UNKNOWN_DIAGNOSIS,
        REMOVED_DIAGNOSIS,
        NOT_FOUND,
        NOT_ACCEPTABLE,
        METHOD_NOT_ALLOWED,
        INVALID_PARAMETER,
        QUOTA_EXCEEDED,
        SERVICE_UNAVAILABLE,
        INTERNAL_ERROR,
    )
}


class MissingCredentialsError(errors.EvrefError):
    """Indicates a request without credentials, or with a malformed Authorization header."""

    def __init__(self) -> None:
        super().__init__("Send the header “Authorization: Bearer <API key>”.")


class NotAcceptableError(errors.EvrefError):
    """Indicates a request that accepts none of the media types that an address offers."""

    def __init__(self, offers: Iterable[str]) -> None:
        super().__init__(f"This address sends {', '.join(offers)}.")


class PreconditionFailedError(errors.EvrefError):
    """Indicates an If-Match that does not name the selected representation."""

    def __init__(self) -> None:
        super().__init__(PRECONDITION_FAILED.meaning)


class SearchBusyError(errors.EvrefError):
    """Indicates a search that was not done because another one was running."""

    def __init__(self) -> None:
        super().__init__("Many people are searching at once. Try again in a few seconds.")


@dataclass(frozen=True, slots=True)
class ParameterFault:
    """An error in a query parameter; `allowed` lists the values or describes them."""

    parameter: str
    message: str
    allowed: tuple[str, ...]


UNNAMED = "a parameter without a name"
"""What problems call the parameter of the query `=1`."""


class InvalidParametersError(errors.EvrefError):
    """Indicates an invalid query; `faults` contains every error."""

    def __init__(self, *faults: ParameterFault) -> None:
        self.faults = faults
        names = ", ".join(dict.fromkeys(fault.parameter or UNNAMED for fault in faults))
        super().__init__(f"The field “errors” lists what is allowed for {names}.")


OF_ERROR: dict[type, Problem] = {
    MissingCredentialsError: MISSING_CREDENTIALS,
    InvalidParametersError: INVALID_PARAMETER,
    NotAcceptableError: NOT_ACCEPTABLE,
    PreconditionFailedError: PRECONDITION_FAILED,
    errors.InvalidApiKeyError: INVALID_API_KEY,
    errors.InsufficientPermissionError: INSUFFICIENT_PERMISSION,
    errors.UnknownDiagnosisError: UNKNOWN_DIAGNOSIS,
    errors.RemovedDiagnosisError: REMOVED_DIAGNOSIS,
    errors.NotFoundError: NOT_FOUND,
    errors.NotAllowedError: NOT_ALLOWED,
    QuotaExceededError: QUOTA_EXCEEDED,
    errors.NoCatalogueError: SERVICE_UNAVAILABLE,
    SearchBusyError: SERVICE_UNAVAILABLE,
    errors.BusyError: SERVICE_UNAVAILABLE,
    errors.StorageUnavailableError: SERVICE_UNAVAILABLE,
}


def problem_of(error: Exception) -> Problem | None:
    """Return the problem of an error, or else of its nearest base class; None if it has none."""
    return next((OF_ERROR[kind] for kind in type(error).__mro__ if kind in OF_ERROR), None)


_CHALLENGES = {
    MISSING_CREDENTIALS.slug: REALM,
    INVALID_API_KEY.slug: f'{REALM}, error="invalid_token"',
    INSUFFICIENT_PERMISSION.slug: f'{REALM}, error="insufficient_scope", scope="read"',
}


def headers(problem: Problem, quota: Quota | None) -> dict[str, str]:
    """Return the headers of a problem in addition to those of every response."""
    if problem.slug in _CHALLENGES:
        return {"WWW-Authenticate": _CHALLENGES[problem.slug]}
    if problem is QUOTA_EXCEEDED and quota is not None:
        return {"Retry-After": str(quota.seconds_left)}
    if problem is SERVICE_UNAVAILABLE:
        return {"Retry-After": str(SECONDS_TO_RETRY)}
    return {}
