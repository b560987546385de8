"""Problem details (RFC 9457): the one table of what can go wrong, neutral of any interface.

Each row has its page at `/problems/{slug}`, which says what it means and what to do.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from evref.domain import errors
from evref.domain.access.quota import QuotaExceededError, QuotaStatus

REALM = 'Bearer realm="evref"'
SECONDS_TO_RETRY = 2


@dataclass(frozen=True, slots=True)
class Problem:
    """A kind of problem: its slug, HTTP status, title, and the text of its page.

    `registered_type` is the URI of a type registered with IANA, which then stands for the page's
    own address.
    """

    slug: str
    status: HTTPStatus
    title: str
    meaning: str
    remedy: str
    registered_type: str | None = None

    def type_uri(self, base_url: str) -> str:
        return self.registered_type or f"{base_url}/problems/{self.slug}"


@dataclass(frozen=True, slots=True)
class ProblemDetails:
    """One occurrence of a problem: the members of RFC 9457, and the header fields it adds.

    `extensions` are the further members that a type has. Each interface renders it in its form.
    """

    type: str
    title: str
    status: int
    detail: str
    extensions: dict[str, Any] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)

    @property
    def members(self) -> dict[str, Any]:
        """All members, in their usual order."""
        return {
            "type": self.type,
            "title": self.title,
            "status": self.status,
            "detail": self.detail,
            **self.extensions,
        }


MISSING_CREDENTIALS = Problem(
    "missing-credentials",
    HTTPStatus.UNAUTHORIZED,
    "An API key is needed",
    "The request had no Authorization header, or one that is not of the form "
    "“Authorization: Bearer <API key>”. A key anywhere else, such as in the address, is not read.",
    "Send the header with an API key. A member of your institution makes keys in the institution "
    "settings.",
)
INVALID_API_KEY = Problem(
    "invalid-api-key",
    HTTPStatus.UNAUTHORIZED,
    "The API key is not valid",
    "The key is mistyped, unknown, revoked or expired. The answer is the same for each, so that "
    "nobody learns anything about keys that are not theirs.",
    "Compare the key with the one that was shown when it was made; if it is the same, ask a "
    "member of your institution to look up its state, or to make a new one.",
)
INSUFFICIENT_PERMISSION = Problem(
    "insufficient-permission",
    HTTPStatus.FORBIDDEN,
    "The key's permission level is too low",
    "The key is valid, but its permission level does not allow to read.",
    "A member of your institution can give the key the permission level “read”.",
)
# Only pages can meet it: the right to read is the key's, above. So it has no page of its own.
NOT_ALLOWED = Problem(
    "not-allowed",
    HTTPStatus.FORBIDDEN,
    "You may not do this",
    "Your role in the institution does not allow it.",
    "Ask the operator for another role.",
    registered_type="about:blank",
)
UNKNOWN_DIAGNOSIS = Problem(
    "unknown-diagnosis",
    HTTPStatus.NOT_FOUND,
    "There is no such diagnosis",
    "The catalogue that is served has no diagnosis with this id. Ids never change, but a diagnosis "
    "can leave the catalogue.",
    "List the diagnoses, or look one up by its code with the parameters icd10 or icd11.",
)
NOT_FOUND = Problem(
    "not-found",
    HTTPStatus.NOT_FOUND,
    "There is nothing at this address",
    "The path is none of the service's.",
    "The OpenAPI document lists every path of the interface. None ends with a slash.",
)
METHOD_NOT_ALLOWED = Problem(
    "method-not-allowed",
    HTTPStatus.METHOD_NOT_ALLOWED,
    "This method is not allowed here",
    "The service is read-only: its interface answers GET and HEAD, and nothing else.",
    "The Allow header of the response lists the methods of this address.",
)
INVALID_PARAMETER = Problem(
    "invalid-parameter",
    HTTPStatus.UNPROCESSABLE_ENTITY,
    "A parameter is not valid",
    "A query parameter is unknown, repeated, empty or has a value that is not allowed. The "
    "service refuses it rather than ignore it, so that data which looks filtered is filtered.",
    "The member “errors” names each parameter, what is wrong with it and what is allowed.",
)
QUOTA_EXCEEDED = Problem(
    "quota-exceeded",
    HTTPStatus.TOO_MANY_REQUESTS,
    "Request cannot be satisfied as assigned quota has been exceeded",
    "The key has used up its daily request limit. Counts start anew at 00:00 UTC.",
    "Wait for as long as the Retry-After header says. Answers that you keep, and ask for again "
    "with If-None-Match, count as well. A member of your institution can raise the limit.",
    registered_type="https://iana.org/assignments/http-problem-types#quota-exceeded",
)
SERVICE_UNAVAILABLE = Problem(
    "service-unavailable",
    HTTPStatus.SERVICE_UNAVAILABLE,
    "The service cannot answer for the moment",
    "Storage for keys and counts is out of reach, no catalogue is published yet, or the whole "
    "catalogue is still being prepared. Nothing is served uncounted, so nothing is served. The "
    "request was not answered; it may have been counted.",
    "Send the request again after as many seconds as the Retry-After header says.",
)
INTERNAL_ERROR = Problem(
    "internal-error",
    HTTPStatus.INTERNAL_SERVER_ERROR,
    "Something went wrong inside the service",
    "This is a fault of the service, not of the request.",
    "Tell the operator the request id; the log has the details under it.",
)

PROBLEMS = {
    problem.slug: problem
    for problem in (
        MISSING_CREDENTIALS,
        INVALID_API_KEY,
        INSUFFICIENT_PERMISSION,
        UNKNOWN_DIAGNOSIS,
        NOT_FOUND,
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


class NotReadyError(errors.EvrefError):
    """Indicates a response that is still being prepared; the request was not counted."""

    def __init__(self) -> None:
        super().__init__("The response is being prepared. This request was not counted.")


@dataclass(frozen=True, slots=True)
class ParameterFault:
    """One thing wrong with a query parameter; `allowed` lists values, or says in words."""

    parameter: str
    message: str
    allowed: tuple[str, ...]


class InvalidParametersError(errors.EvrefError):
    """Indicates a query that is refused; holds every fault."""

    def __init__(self, faults: tuple[ParameterFault, ...]) -> None:
        self.faults = faults
        names = ", ".join(dict.fromkeys(fault.parameter for fault in faults))
        super().__init__(f"The member “errors” lists what is allowed for {names}.")


OF_ERROR: dict[type[errors.EvrefError], Problem] = {
    MissingCredentialsError: MISSING_CREDENTIALS,
    InvalidParametersError: INVALID_PARAMETER,
    errors.InvalidApiKeyError: INVALID_API_KEY,
    errors.InsufficientPermissionError: INSUFFICIENT_PERMISSION,
    errors.UnknownDiagnosisError: UNKNOWN_DIAGNOSIS,
    errors.NotFoundError: NOT_FOUND,
    errors.NotAllowedError: NOT_ALLOWED,
    QuotaExceededError: QUOTA_EXCEEDED,
    NotReadyError: SERVICE_UNAVAILABLE,
    errors.NoCatalogueError: SERVICE_UNAVAILABLE,
    errors.BusyError: SERVICE_UNAVAILABLE,
    errors.StorageUnavailableError: SERVICE_UNAVAILABLE,
}


def headers(problem: Problem, quota: QuotaStatus | None) -> dict[str, str]:
    """The header fields that a problem adds to those of every response."""
    if problem is MISSING_CREDENTIALS:
        return {"WWW-Authenticate": REALM}
    if problem is INVALID_API_KEY:
        return {"WWW-Authenticate": f'{REALM}, error="invalid_token"'}
    if problem is INSUFFICIENT_PERMISSION:
        return {"WWW-Authenticate": f'{REALM}, error="insufficient_scope", scope="read"'}
    if problem is QUOTA_EXCEEDED and quota is not None:
        return {"Retry-After": str(quota.seconds_left)}
    if problem is SERVICE_UNAVAILABLE:
        return {"Retry-After": str(SECONDS_TO_RETRY)}
    return {}
