"""Sends single requests, so that the benchmark can check the responses."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from email.message import Message
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen


@dataclass(frozen=True, slots=True)
class Response:
    """An HTTP response."""

    status: int
    headers: Message
    body: bytes

    def json(self) -> Any:  # noqa: ANN401 - JSON is
        return json.loads(self.body)


def get(address: str, headers: Mapping[str, str] | None = None) -> Response:
    """Return the response, including error responses."""
    try:
        with urlopen(Request(address, headers=dict(headers or {}))) as response:
            return Response(response.status, response.headers, response.read())
    except HTTPError as error:
        with error:
            return Response(error.code, error.headers, error.read())


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}
