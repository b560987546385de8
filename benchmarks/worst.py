"""The requests that cost most of a core in each way in, as far as a client can type them.

None of their responses is cached.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from urllib.parse import urlencode

from benchmarks.cases import LIST, Case
from benchmarks.instructions import environ_of, send
from benchmarks.storages import new_keys, prepare
from evref.adapters.inbound.fhir.search import MOST_COUNT
from evref.bootstrap.app import create_app
from evref.bootstrap.container import Container
from evref.bootstrap.settings import Settings, StorageKind
from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.catalogue.icd import stems_of
from evref.domain.catalogue.record_code import MOST_VALUES
from evref.domain.principal import Readers

_LONGEST_TEXT = 200
_STEMS = 14  # of a cluster that fits into a code
_ROOT = "https://evref.example/fhir"
_ACTIVITIES = "/fhir/ActivityDefinition"


def worst_requests(catalogue: Catalogue) -> Iterator[Case]:
    """Yield what to send; the names are those of the table."""
    diagnoses = [entry.diagnosis for entry in catalogue.entries]
    codes = [code for diagnosis in diagnoses for code in diagnosis.icd10_codes][:MOST_VALUES]
    stems = [stems_of(code)[0] for diagnosis in diagnoses for code in diagnosis.icd11_codes]
    clusters = ["/".join(stems[at : at + _STEMS]) for at in range(0, MOST_VALUES - _STEMS, _STEMS)]
    names = " ".join(diagnosis.name for diagnosis in diagnoses)
    misspelled = " ".join(f"{word[:3]}q{word[4:]}" for word in names.split())[:_LONGEST_TEXT]
    all_of_them = f"{_ROOT}/NamingSystem/intervention-id|"
    included = ["PlanDefinition:definition"]
    years = range(2000, 2000 + MOST_VALUES)
    parts = [f"zq{number:02}" for number in range(_LONGEST_TEXT // 5)]
    for name, path, query in (
        ("API, codes with interventions", LIST, {"icd10": codes, "include": ["interventions"]}),
        ("API, clusters", LIST, {"icd11": clusters}),
        ("API, words", LIST, {"q": [misspelled]}),
        ("API, interventions", "/api/v1/interventions", {"q": ["exercise"], "limit": ["100"]}),
        ("FHIR, parts of titles", _ACTIVITIES, {"title:contains": parts}),
        ("FHIR, times", _ACTIVITIES, {"_lastUpdated": [f"ne{year}" for year in years]}),
        ("FHIR, identifiers", _ACTIVITIES, {"identifier": [all_of_them, *parts]}),
        ("FHIR, the longest page", _ACTIVITIES, {"_count": [f"{MOST_COUNT}"]}),
        ("FHIR, diagnoses with interventions", "/fhir/PlanDefinition", {"_include": included}),
        (
            "Infobutton, codes",
            "/infobutton",
            {
                "mainSearchCriteria.v.cs": ["2.16.840.1.113883.6.90"],
                "mainSearchCriteria.v.c": codes,
            },
        ),
        ("Infobutton, words", "/infobutton", {"mainSearchCriteria.v.dn": [names[:_LONGEST_TEXT]]}),
        ("page, words", "/catalogue", {"q": [misspelled]}),
        ("page, many words", "/catalogue", {"q": [misspelled.replace(" ", ";")]}),
        ("page, codes", "/catalogue", {"q": [",".join(codes)[:_LONGEST_TEXT]]}),
    ):
        yield Case(name, f"{path}?{urlencode({key: ','.join(of) for key, of in query.items()})}")


def measure_worst(catalogue: Catalogue, rounds: int) -> dict[str, list[float]]:
    """Return the milliseconds of a core of each request, by name."""
    settings = Settings(storage=StorageKind.MEMORY, catalogue_pages=Readers.PUBLIC)
    container = Container(settings=settings)
    prepare(container, catalogue)
    keys, app = new_keys(container), create_app(settings, container)
    measured: dict[str, list[float]] = {}
    for case in worst_requests(catalogue):
        environ = environ_of(case, keys, app)
        query = environ["QUERY_STRING"]
        measured[case.name] = []
        for round_number in range(rounds):
            # It means the same, and is in no cache.
            environ["QUERY_STRING"] = f"{query}{'&' * (round_number + 1)}"
            began = time.process_time()
            send(app, environ)
            measured[case.name].append((time.process_time() - began) * 1000)
    return measured
