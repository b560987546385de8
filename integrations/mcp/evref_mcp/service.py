"""The client of the service: every failure in words that an assistant can pass on."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import urlencode

import httpx2
from pydantic import BaseModel

from evref_mcp import wording

_SECONDS_PER_STEP = 10
"""For each of: to connect, to send, and to wait for more of the response."""

_SECONDS_IN_ALL = 30
_MOST_KEPT = 64
_MOST_ASKED = 3000
"""Characters of an address, percent-encoded: servers refuse longer ones in words of their own."""

Body = TypeVar("Body", bound=BaseModel)


class ServiceError(Exception):
    """There is no answer; the message says why, and what a person can do."""


@dataclass(frozen=True, slots=True)
class _Kept:
    etag: str
    content: bytes


class Service:
    """A service of evref. It keeps the 64 answers that were used last, by their ETags.

    The service counts each request, also one that it answers with 304 (Not Modified): what is kept
    saves the transfer, not the limit.
    """

    def __init__(self, url: str, http: httpx2.AsyncClient) -> None:
        self._url = url
        self._http = http
        self._kept: OrderedDict[httpx2.URL, _Kept] = OrderedDict()

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
        url = httpx2.URL(f"{self._url}/api/v1{path}?{query}")
        kept = self._kept.get(url)
        response = await self._send(url, {} if kept is None else {"If-None-Match": kept.etag})
        if response.status_code == httpx2.codes.NOT_MODIFIED and kept is not None:
            content = kept.content
        elif response.status_code == httpx2.codes.OK:
            content = response.content
        else:
            raise ServiceError(self._refusal(response))
        try:
            read = body.model_validate_json(content)
        except ValueError:
            raise ServiceError(wording.not_understood(self._url)) from None
        etag = response.headers.get("ETag")
        if etag:
            self._keep(url, _Kept(etag, content))
        return read

    async def _send(self, url: httpx2.URL, headers: dict[str, str]) -> httpx2.Response:
        try:
            async with asyncio.timeout(_SECONDS_IN_ALL):
                return await self._http.get(url, headers=headers)
        except (TimeoutError, httpx2.TimeoutException):
            raise ServiceError(wording.no_answer(self._url)) from None
        except httpx2.HTTPError:
            raise ServiceError(wording.out_of_reach(self._url)) from None

    def _keep(self, url: httpx2.URL, kept: _Kept) -> None:
        self._kept[url] = kept
        self._kept.move_to_end(url)
        if len(self._kept) > _MOST_KEPT:
            self._kept.popitem(last=False)

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
