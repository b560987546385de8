"""What the examples in the OpenAPI document are made of: an entry of the bundled catalogue, and an
error for each problem type.
"""

from dataclasses import replace
from datetime import UTC, date, datetime
from urllib.parse import urlsplit

from evref.adapters.inbound.rest.answers import REQUEST_ID
from evref.adapters.inbound.web import problems
from evref.adapters.inbound.web.interfaces import members
from evref.domain import errors
from evref.domain.access.quota import Quota, QuotaExceededError
from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.catalogue.entry import Entry
from evref.domain.catalogue.evidence import Direction, Recommendation
from evref.domain.catalogue.publication import Publication
from evref.domain.catalogue.search.lists import WITHOUT_LISTS
from evref.domain.catalogue.search.search import Search
from evref.domain.catalogue.served import Served

_DAY = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)
_SHOWN = 2
"""The number of interventions beside the mainstays; the document would be too long with all."""


def example_of(entry: Entry) -> Served:
    """Return a publication of a part of the entry, in which a direction changed."""
    mainstays = entry.diagnosis.mainstays
    others = [shown for shown in entry.interventions if shown.id not in mainstays][:_SHOWN]
    kept = [shown for shown in entry.interventions if shown.id in mainstays or shown in others]
    evidence = replace(
        others[0].evidence, direction=Direction.UNCLEAR, recommendation=Recommendation.NOT_STATED
    )
    before = [replace(others[0], evidence=evidence), *kept[1:]]
    catalogue = Catalogue([Entry(entry.diagnosis, tuple(kept))])
    comparison = catalogue.compared_with(Catalogue([Entry(entry.diagnosis, tuple(before))]))
    publication = Publication(catalogue.version, _DAY, None, True, 0, 1, 0, comparison)
    return Served(catalogue, Search(catalogue, WITHOUT_LISTS), (publication,), "example")


_QUOTA = Quota("example", 1000, 1000, _DAY)
_ERRORS: dict[str, tuple[str, Exception]] = {
    "missing-credentials": ("/diagnoses", problems.MissingCredentialsError()),
    "invalid-api-key": ("/diagnoses", errors.InvalidApiKeyError()),
    "insufficient-permission": ("/diagnoses", errors.InsufficientPermissionError()),
    "unknown-diagnosis": (
        "/diagnoses/knee-arthritis",
        errors.UnknownDiagnosisError("knee-arthritis"),
    ),
    "removed-diagnosis": (
        "/diagnoses/knee-arthritis",
        errors.RemovedDiagnosisError("knee-arthritis", date(2026, 11, 21)),
    ),
    "unknown-intervention": (
        "/interventions/knee-osteoarthritis-magnets",
        errors.UnknownInterventionError("knee-osteoarthritis-magnets"),
    ),
    "removed-intervention": (
        "/interventions/knee-osteoarthritis-magnets",
        errors.RemovedInterventionError("knee-osteoarthritis-magnets", date(2026, 11, 21)),
    ),
    "not-acceptable": ("/catalogue", problems.NotAcceptableError(["application/json"])),
    "precondition-failed": ("/diagnoses", problems.PreconditionFailedError()),
    "invalid-parameter": (
        "/diagnoses/knee-osteoarthritis/interventions",
        problems.InvalidParametersError(
            problems.ParameterFault(
                "modul", "is not a parameter of this operation", ("module", "phase")
            )
        ),
    ),
    "quota-exceeded": ("/diagnoses", QuotaExceededError(_QUOTA)),
    "service-unavailable": ("/diagnoses", errors.NoCatalogueError()),
    "internal-error": ("/diagnoses", RuntimeError()),
}


def problem(slug: str, base_url: str, root: str) -> dict[str, object]:
    path, error = _ERRORS[slug]
    environ = {
        "SCRIPT_NAME": urlsplit(base_url).path,
        "PATH_INFO": root + path,
        "HTTP_X_REQUEST_ID": REQUEST_ID,
    }
    return members(problems.details_of(error, base_url), environ)
