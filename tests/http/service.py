"""A whole service in one process, with any settings, a fake clock and checks of its responses."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

from apiflask import APIFlask
from werkzeug.test import TestResponse

from evref.application.access.manage_keys import NewKey
from evref.bootstrap.app import create_app
from evref.bootstrap.settings import Settings, StorageKind
from evref.domain.access.key import Permission
from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.catalogue.diagnosis import Module
from evref.domain.catalogue.entry import Entry
from evref.domain.catalogue.intervention import Phase
from evref.domain.principal import Readers
from evref.testing.builders import OPERATOR, a_diagnosis, an_intervention
from evref.testing.filling import keep_catalogue
from tests.fakes import FakeClock
from tests.http.document import Document, plain_body
from tests.installation import INSTITUTION, Installation

BASE_URL = "https://evref.example.org"

# Responses and problems are in JSON, like those of the API.
INFOBUTTON = (
    "/infobutton?mainSearchCriteria.v.cs=2.16.840.1.113883.6.3&mainSearchCriteria.v.c=M17.1"
    "&knowledgeResponseType=application/json"
)

# The UTC day ends an hour and half a second later, so the remaining seconds must be rounded.
LATE = datetime(2026, 3, 1, 22, 59, 59, 500_000, tzinfo=UTC)
MIDNIGHT = datetime(2026, 3, 2, tzinfo=UTC)


_DOCUMENTS: dict[str, Document] = {}
"""By base URL, the only setting that changes a document, because generating a document is slow."""


class Service(Installation):
    """The application with its container, clock and one institution, served at `BASE_URL`.

    Each response is checked for what all responses must have, so a test checks only its own
    subject.
    """

    def __init__(self, settings: Settings) -> None:
        self.clock = FakeClock(LATE)
        super().__init__(settings, self.clock)
        self.container.storage().prepare()
        self.container.manage_institutions().create_institution(OPERATOR, INSTITUTION)
        self.app: APIFlask = create_app(settings, self.container)
        self._forms: dict[str, Callable[[TestResponse, int], Any]] = {"/api/": assert_problem}
        if settings.serves("fhir"):
            self._forms["/fhir/"] = assert_outcome
        self.document = _DOCUMENTS.setdefault(settings.base_url, Document(self.app))

    def publish(self, catalogue: Catalogue) -> None:
        keep_catalogue(self.container.storage(), catalogue, at=self.clock.now())

    def token(self, *, permission: Permission = Permission.READ, limit: int = 1000) -> str:
        return self.new_key(permission=permission, limit=limit).token.text

    def admitted(self, key: NewKey) -> int:
        """Return how many requests of the key were counted in the last 30 days."""
        return sum(
            day.admitted for day in self.container.manage_keys().history(OPERATOR, key.key.id)
        )

    def request(
        self,
        method: str,
        path: str,
        *,
        token: str | None = None,
        headers: Mapping[str, str] | None = None,
        data: str | None = None,
    ) -> TestResponse:
        sent = dict(headers or {})
        if token is not None:
            sent["Authorization"] = f"Bearer {token}"
        with self.app.test_client() as client:
            response = client.open(path, method=method, headers=sent, data=data)
        response.get_data()
        response.close()
        self._check(method, path, response, token)
        return response

    def get(
        self, path: str, *, token: str | None = None, headers: Mapping[str, str] | None = None
    ) -> TestResponse:
        return self.request("GET", path, token=token, headers=headers)

    def data(self, path: str, token: str) -> Any:
        """Return the `data` of a response with status 200."""
        response = self.get(path, token=token)
        assert response.status_code == 200, response.text
        return body(response)["data"]

    def ids(self, path: str, token: str) -> list[str]:
        """Return the ids of the records in a response, in its order."""
        return [record["id"] for record in self.data(path, token)]

    def _check(self, method: str, path: str, response: TestResponse, token: str | None) -> None:
        assert response.headers.getlist("X-Request-ID") == [response.headers["X-Request-ID"]]
        assert response.headers["X-Content-Type-Options"] == "nosniff"
        assert response.headers["Referrer-Policy"] == "no-referrer"
        if method == "HEAD" or response.status_code == 304:
            assert response.get_data() == b""
        address = urlsplit(path).path
        check = next((form for root, form in self._forms.items() if address.startswith(root)), None)
        if check is None:
            return
        self.document.check(method, address, response)
        if response.status_code >= 400 and method != "HEAD":
            check(response, response.status_code)
            text = plain_body(response).decode()
            for secret in (token, "Traceback", "SELECT ", "INSERT ", "/tmp", ".sqlite", ".py"):
                assert not (secret and secret in text), text


def in_memory(catalogue: Catalogue) -> Service:
    """Return a service in memory with this catalogue, whose pages everybody may read."""
    settings = Settings(
        storage=StorageKind.MEMORY, base_url=BASE_URL, catalogue_pages=Readers.PUBLIC
    )
    service = Service(settings)
    service.publish(catalogue)
    return service


def body(response: TestResponse) -> Any:
    """Return the JSON of a response, decompressed if necessary."""
    return json.loads(plain_body(response))


def assert_problem(response: TestResponse, status: int, slug: str | None = None) -> Any:
    """Check that the response is a problem with all members; return its body."""
    problem = body(response)
    assert response.status_code == status, problem
    assert response.mimetype == "application/problem+json"
    assert problem["status"] == status
    assert problem["request_id"] == response.headers["X-Request-ID"]
    assert problem["instance"].isascii()
    assert problem["instance"].lower().startswith(("/api/", "/infobutton"))
    for member in ("type", "title", "detail"):
        assert problem[member]
    if slug is not None:
        assert problem["type"] == f"{BASE_URL}/problems/{slug}"
    return problem


def assert_outcome(response: TestResponse, status: int, code: str | None = None) -> Any:
    """Check that the response is an OperationOutcome with all members; return its issues."""
    outcome = body(response)
    assert response.status_code == status, outcome
    assert response.mimetype == "application/fhir+json"
    assert outcome.keys() == {"resourceType", "issue"}
    assert outcome["resourceType"] == "OperationOutcome"
    for issue in outcome["issue"]:
        assert issue["severity"] == "error"
        assert code in {None, issue["code"]}
        assert issue["details"]["text"]
        assert issue["diagnostics"] == f"Request id: {response.headers['X-Request-ID']}"
    return outcome["issue"]


def assert_refused(response: TestResponse, status: int, slug: str) -> None:
    """Check that the response is a problem of this type, in the format of its interface."""
    if response.mimetype == "application/fhir+json":
        for issue in assert_outcome(response, status):
            assert issue["details"]["coding"] == [{"system": f"{BASE_URL}/problems", "code": slug}]
    else:
        assert_problem(response, status, slug)


def entries() -> list[Entry]:
    """Return entries with an example of everything that the interfaces treat differently."""
    knee = [
        an_intervention("k-concept", module=Module.CONCEPT, phase=Phase.ACUTE, title="Why move"),
        an_intervention("k-home-chronic", module=Module.HOME, phase=Phase.CHRONIC),
        an_intervention("k-home-acute-z", module=Module.HOME, phase=Phase.ACUTE, title="Zinc tape"),
        an_intervention("k-home-acute-b", module=Module.HOME, phase=Phase.ACUTE, title="Alike"),
        an_intervention("k-home-acute-a", module=Module.HOME, phase=Phase.ACUTE, title="Alike"),
        an_intervention("k-home-subacute", module=Module.HOME, phase=Phase.SUBACUTE),
        an_intervention("k-fitt-chronic", module=Module.FITT_VIP, phase=Phase.CHRONIC),
        an_intervention("k-fitt-acute", module=Module.FITT_VIP, phase=Phase.ACUTE),
        an_intervention("k-hidden", module=Module.PREVENTION, phase=Phase.ACUTE),
    ]
    knee_modules = (Module.FITT_VIP, Module.HOME, Module.CONCEPT)
    return [
        Entry(a_diagnosis(modules=knee_modules), tuple(knee)),
        Entry(a_diagnosis("twin-b", name="Twin", icd10=["M75.0", "J45"], icd11=["FB53.0"]), ()),
        Entry(a_diagnosis("twin-a", name="Twin", icd10=["S83.5"], icd11=["NC93.6Y"]), ()),
        Entry(
            a_diagnosis(
                "guillain-barre-syndrome",
                name="Guillain-Barré syndrome",
                icd10=["G61.0"],
                icd11=["8C01.0"],
                modules=[Module.HOME],
            ),
            (),
        ),
        Entry(
            a_diagnosis(
                "low-back-pain",
                name="Low back pain",
                icd10=["M54.5", "M54"],
                icd11=["ME84.2&XK8G", "FB56"],
                modules=[],
            ),
            (),
        ),
    ]


EXAMPLES = Catalogue(entries())
