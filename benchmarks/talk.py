"""Single requests, as the benchmark makes them to see what is answered."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from email.message import Message
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back."""

    status: int
    headers: Message
    body: bytes

    def json(self) -> Any:  # noqa: ANN401 - JSON is
        return json.loads(self.body)


def ask(address: str, headers: Mapping[str, str] | None = None) -> Answer:
    """The answer, whatever its status."""
    try:
        with urlopen(Request(address, headers=dict(headers or {}))) as response:
            return Answer(response.status, response.headers, response.read())
    except HTTPError as error:
        with error:
            return Answer(error.code, error.headers, error.read())


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}
