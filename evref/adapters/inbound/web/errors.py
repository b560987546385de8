"""Converts exceptions to problems, which the interface of the request renders."""

import logging
from typing import Any
from wsgiref.types import WSGIEnvironment

from flask import Flask, Response, request
from werkzeug.exceptions import HTTPException

from evref.adapters.inbound.web import problem_pages, problems
from evref.adapters.inbound.web.headers import QUOTA, log_fields, request_id
from evref.adapters.inbound.web.interfaces import Interfaces
from evref.adapters.inbound.web.problems import Problem, ProblemDetails
from evref.adapters.inbound.web.representations import RawResponse, compressed_where_accepted
from evref.domain.access.quota import QuotaExceededError
from evref.domain.errors import RemovedDiagnosisError, StorageUnavailableError
from evref.domain.redaction import without_keys

log = logging.getLogger(__name__)

_OF_STATUS = {404: problems.NOT_FOUND, 405: problems.METHOD_NOT_ALLOWED}


class ErrorResponses:
    """Creates the responses to failed requests; the URLs of problem types begin with `base_url`."""

    def __init__(self, base_url: str, interfaces: Interfaces) -> None:
        self._base_url = base_url
        self._interfaces = interfaces

    def register(self, app: Flask) -> None:
        """Register handlers for all errors of the application and of the framework."""
        app.register_error_handler(Exception, self._handle)

    def raw_response(self, error: Exception, environ: WSGIEnvironment) -> RawResponse:
        if isinstance(error, HTTPException):
            details = self._http_details(error, environ)
        else:
            details = self._details(error, environ)
        interface = self._interfaces.of(environ["PATH_INFO"])
        render = (interface and interface.render_problem) or problem_pages.render_problem
        return render(details, environ)

    def _handle(self, error: Exception) -> Response:
        raw = self.raw_response(error, request.environ)
        return compressed_where_accepted(Response(raw.body, raw.status, raw.headers))

    def _details(self, error: Exception, environ: WSGIEnvironment) -> ProblemDetails:
        problem = problems.problem_of(error)
        if problem is None:
            log.error(
                "request %s failed", request_id(environ), exc_info=error, extra=log_fields(environ)
            )
            detail = "The log contains the details under the request id."
            return self._of_type(problems.INTERNAL_ERROR, detail, environ)
        extensions: dict[str, Any] = {}
        if isinstance(error, StorageUnavailableError):
            log.error(
                "request %s: storage is out of reach: %s",
                request_id(environ),
                error.reason,
                extra=log_fields(environ),
            )
        if isinstance(error, QuotaExceededError):
            environ[QUOTA] = error.quota
            extensions = {"violated-policies": ["daily"]}
        if isinstance(error, RemovedDiagnosisError):
            extensions = {"removed_on": error.removed_on.isoformat()}
        if isinstance(error, problems.InvalidParametersError):
            faults = [
                {
                    "parameter": without_keys(fault.parameter),
                    "message": without_keys(fault.message),
                    "allowed": list(fault.allowed),
                }
                for fault in error.faults
            ]
            extensions = {"errors": faults}
        return self._of_type(problem, str(error), environ, extensions)

    def _http_details(self, error: HTTPException, environ: WSGIEnvironment) -> ProblemDetails:
        status = error.code or 500
        problem = _OF_STATUS.get(status)
        if problem is None:
            # RFC 9457, section 4.2.1: a problem with no meaning beyond its status.
            detail = "The service did not process the request."
            return ProblemDetails("about:blank", error.name, status, detail)
        if problem is problems.METHOD_NOT_ALLOWED:
            allowed = ", ".join(sorted(getattr(error, "valid_methods", None) or ()))
            details = self._of_type(problem, f"The address accepts {allowed}.", environ)
            details.headers["Allow"] = allowed
            return details
        detail = "Check the spelling of the path: it may not end with a slash or have two in a row."
        return self._of_type(problem, detail, environ)

    def _of_type(
        self,
        problem: Problem,
        detail: str,
        environ: WSGIEnvironment,
        extensions: dict[str, Any] | None = None,
    ) -> ProblemDetails:
        return ProblemDetails(
            problem.type_uri(self._base_url),
            problem.title,
            problem.status,
            # An error may quote client input, such as an id or a parameter.
            without_keys(detail),
            extensions or {},
            problems.headers(problem, environ.get(QUOTA)),
        )
