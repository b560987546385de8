"""A page of search results as a Bundle (R4, bundle, searchset; R4, http, paging).

The results are in the order of their ids, and a link continues after an id. So a client that
follows the links gets each resource once, even if another catalogue is published meanwhile.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from evref.adapters.inbound.fhir.index import Item
from evref.adapters.inbound.fhir.search import DEFAULT_COUNT
from evref.domain.redaction import without_keys

_PAGING = ("_count", "_after", "_before")


def searchset(
    found: Sequence[Item],
    values: Mapping[str, Any],
    given: Mapping[str, str],
    address: str,
    render: Callable[[Item], dict[str, Any]],
    *,
    outcome: Sequence[dict[str, Any]],
) -> dict[str, Any]:
    """Return the page of the found items that the values of the search select.

    `given` has the parameters as sent, for the links; `address` is the URL of the resource type;
    `outcome` has entries about the search itself, for the first page.
    """
    count = values.get("_count", DEFAULT_COUNT)
    criteria = {name: text for name, text in given.items() if name not in _PAGING}

    def link(relation: str, **place: str) -> dict[str, str]:
        query = urlencode({**criteria, "_count": count, **place})
        return {"relation": relation, "url": without_keys(f"{address}?{query}")}

    place = {name: values[name] for name in ("_after", "_before") if name in values}
    links = [link("self", **place)]
    page = _page(found, count, **{name.strip("_"): text for name, text in place.items()})
    if page:
        if page[0] is not found[0]:
            links.append(link("previous", _before=page[0].id))
        if page[-1] is not found[-1]:
            links.append(link("next", _after=page[-1].id))
    bundle: dict[str, Any] = {
        "resourceType": "Bundle",
        "type": "searchset",
        "total": len(found),
        "link": links,
    }
    entries = [{"fullUrl": f"{address}/{item.id}", **render(item)} for item in page]
    if not place:
        entries += outcome
    if entries:  # FHIR has no empty lists
        bundle["entry"] = entries
    return bundle


def _page(
    found: Sequence[Item], count: int, after: str | None = None, before: str | None = None
) -> Sequence[Item]:
    if before is not None:
        end = bisect_left(found, before, key=_id)
        return found[max(0, end - count) : end]
    start = 0 if after is None else bisect_right(found, after, key=_id)
    return found[start : start + count]


def _id(item: Item) -> str:
    return item.id
