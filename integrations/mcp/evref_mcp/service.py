"""The client of the service: every failure in words that an assistant can pass on."""

from __future__ import annotations

import asyncio
from typing import Any, TypeVar
from urllib.parse import urlencode

import httpx2
from pydantic import BaseModel

from evref_mcp import wording

_SECONDS_PER_STEP = 10
"""For each of: to connect, to send, and to wait for more of the response."""

_SECONDS_IN_ALL = 30
_MOST_ASKED = 3000
"""Characters of an address, percent-encoded: servers refuse longer ones in words of their own."""

Body = TypeVar("Body", bound=BaseModel)


class ServiceError(Exception):
    """There is no answer; the message says why, and what a person can do."""


class Service:
    """A service of evref."""

    def __init__(self, url: str, http: httpx2.AsyncClient) -> None:
        self._url = url
        self._http = http

    @staticmethod
    def client(key: str, version: str) -> httpx2.AsyncClient:
        """Return an HTTP client with the key. It follows no redirects."""
        return httpx2.AsyncClient(
            headers={
                "Authorization": f"Bearer {key}",
                "Accept": "application/json",
                "User-Agent": f"evref-mcp/{version}",
            },
            timeout=_SECONDS_PER_STEP,
        )

    async def get(self, path: str, parameters: dict[str, str], body: type[Body]) -> Body:
        """Return the answer of an operation of the API.

        Raises:
            ServiceError: If there is no answer, or none that is understood.

        """
        query = urlencode(parameters)
        if len(path) + len(query) > _MOST_ASKED:
            raise ServiceError(wording.TOO_LONG)
        response = await self._send(f"{self._url}/api/v1{path}?{query}")
        if response.status_code != httpx2.codes.OK:
            raise ServiceError(self._refusal(response))
        try:
            return body.model_validate_json(response.content)
        except ValueError:
            raise ServiceError(wording.not_understood(self._url)) from None

    async def _send(self, url: str) -> httpx2.Response:
        try:
            async with asyncio.timeout(_SECONDS_IN_ALL):
                return await self._http.get(url)
        except (TimeoutError, httpx2.TimeoutException):
            raise ServiceError(wording.no_answer(self._url)) from None
        except httpx2.HTTPError:
            raise ServiceError(wording.out_of_reach(self._url)) from None

    def _refusal(self, response: httpx2.Response) -> str:
        problem = _problem(response)
        if problem is None:
            return wording.not_understood(self._url)
        match response.status_code:
            case httpx2.codes.UNAUTHORIZED:
                return wording.KEY_REFUSED
            case httpx2.codes.FORBIDDEN:
                return wording.KEY_MAY_NOT_READ
            case httpx2.codes.TOO_MANY_REQUESTS:
                return wording.limit_used_up(response.headers.get("Retry-After", ""))
            case httpx2.codes.SERVICE_UNAVAILABLE:
                return wording.unavailable(self._url, response.headers.get("Retry-After", ""))
            case _:
                return wording.refused(problem)


def _problem(response: httpx2.Response) -> dict[str, Any] | None:
    """Return the problem details (RFC 9457) of a refusal; None for a response without them."""
    kind = response.headers.get("Content-Type", "").partition(";")[0]
    if kind != "application/problem+json":
        return None
    try:
        problem = response.json()
    except ValueError:
        return None
    return problem if isinstance(problem, dict) else None
