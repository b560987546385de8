"""Checks that a server responds correctly and counts exactly before it is measured."""

from __future__ import annotations

import json
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from typing import Any

from benchmarks.cases import CASES, Case
from benchmarks.client import bearer, get
from benchmarks.contenders import Contender
from benchmarks.load import CONNECTIONS
from benchmarks.storages import LIMITED_TO
from evref.domain.access.quota import HIGHEST_DAILY_LIMIT
from evref.domain.catalogue.catalogue import Catalogue, DiagnosisFilter, Entry
from evref.domain.catalogue.diagnosis import Module
from evref.domain.catalogue.intervention import Intervention

_OVER_THE_LIMIT = 100
_DIAGNOSIS = "knee-osteoarthritis"


class WrongResponseError(Exception):
    """Indicates a server that must not be measured."""


def require_right(contender: Contender, catalogue: Catalogue) -> None:
    """Send one request for each case, and compare the response with the catalogue.

    Raises:
        WrongResponseError: They differ.

    """
    for case in CASES:
        if case.name not in contender.paths:
            continue
        response = contender.get(case)
        _require(response.status == case.status, contender, case.name, f"status {response.status}")
        if response.status == 200:
            expected = _expected(catalogue, case)
            is_right = (
                _in_short(response.json()) == _in_short(expected)
                if contender.tokens is None
                else response.json()["data"] == expected
            )
            _require(is_right, contender, case.name, "other data")


def require_exact(contender: Contender) -> None:
    """Send more concurrent requests than a key's limit, and check the number admitted.

    Raises:
        WrongResponseError: The number is not the limit.

    """
    if contender.tokens is None:
        return
    address, headers = contender.address(CASES[0]), bearer(contender.tokens.limited)
    with ThreadPoolExecutor(CONNECTIONS) as threads:
        responses = threads.map(
            lambda _: get(address, headers).status, range(LIMITED_TO + _OVER_THE_LIMIT)
        )
        statuses = Counter(responses)
    right = {200: LIMITED_TO, 429: _OVER_THE_LIMIT}
    _require(statuses == right, contender, "the limited key", f"{dict(statuses)}")


class Ledger:
    """Compares the requests that a server has counted with those that were sent."""

    def __init__(self, contender: Contender) -> None:
        self._contender = contender
        self._before = self._used()
        self._least = self._most = 0

    def sent(self, completed: int) -> None:
        """Add completed requests; those in flight at the end may be counted too."""
        self._least += completed
        self._most += completed + CONNECTIONS

    def require_balance(self) -> None:
        """Check the count.

        Raises:
            WrongResponseError: The count is wrong.

        """
        counted = self._used() - self._before - 1
        is_new_day = counted < 0
        _require(
            is_new_day or self._least <= counted <= self._most,
            self._contender,
            "the busy key",
            f"{counted} counted, {self._least} to {self._most} sent",
        )

    def _used(self) -> int:
        remaining = self._contender.get(CASES[0]).headers["X-RateLimit-Remaining"]
        return HIGHEST_DAILY_LIMIT - int(remaining)


def as_json(entry: Entry) -> dict[str, Any]:
    """Return a diagnosis with all its interventions, as the service returns them."""
    interventions = [_intervention(one) for one in entry.interventions]
    return {**_diagnosis(entry), "interventions": interventions}


def _require(holds: bool, contender: Contender, what: str, found: str) -> None:
    if not holds:
        raise WrongResponseError(f"{contender.name} is not measured: {what}: {found}")


def _expected(catalogue: Catalogue, case: Case) -> list[dict[str, Any]]:
    if case.name == "list":
        return [_diagnosis(found) for found in catalogue.find(DiagnosisFilter())]
    module = Module.HOME if case.name == "filtered" else None
    found = catalogue.entry(_DIAGNOSIS).visible_interventions(module)
    return [_intervention(one) for one in found]


def _diagnosis(entry: Entry) -> dict[str, Any]:
    diagnosis = entry.diagnosis
    return {
        "id": diagnosis.id,
        "name": diagnosis.name,
        "icd10_codes": [str(code) for code in diagnosis.icd10_codes],
        "icd11_codes": [str(code) for code in diagnosis.icd11_codes],
        "enabled_modules": list(diagnosis.enabled_modules),
        "checked_on": diagnosis.checked_on.isoformat(),
        "version": entry.version,
    }


def _intervention(intervention: Intervention) -> dict[str, Any]:
    record = json.loads(json.dumps(asdict(intervention)))
    for written, reference in zip(record["references"], intervention.references, strict=True):
        del written["given_url"]
        written["url"] = reference.url
    return dict(record)


def _in_short(records: list[dict[str, Any]]) -> list[tuple[object, ...]]:
    """Return only the members that table rows have too."""
    return [tuple(record.get(name) for name in ("id", "name", "summary")) for record in records]
