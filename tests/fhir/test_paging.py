"""The links of a Bundle lead to each resource once, even while the catalogue changes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from evref.adapters.inbound.fhir.interactions import MOST_WITH_INCLUDED
from evref.adapters.inbound.fhir.search import MOST_COUNT
from evref.domain.catalogue.catalogue import Catalogue
from evref.testing.builders import an_entry
from tests.fhir.conftest import ids, new_service
from tests.http.service import BASE_URL, Service, body


@pytest.fixture
def service() -> Service:
    """Return a service whose catalogue the test can change."""
    return new_service()


def publish(service: Service, names: str) -> None:
    """Publish a catalogue with a diagnosis for each letter."""
    service.publish(Catalogue([an_entry(f"d-{name}", name=f"Zz {name}") for name in names]))
    service.clock.advance(seconds=1)


def get(service: Service, token: str, url: str) -> Any:
    response = service.get(url.removeprefix(BASE_URL), token=token)
    assert response.status_code == 200, response.text
    return body(response)


def links(bundle: Any) -> dict[str, str]:
    return {link["relation"]: link["url"] for link in bundle["link"]}


def pages(service: Service, token: str, url: str, relation: str = "next") -> Iterator[Any]:
    """Yield the Bundle and each Bundle that its links lead to."""
    following: str | None = url
    while following is not None:
        bundle = get(service, token, following)
        yield bundle
        following = links(bundle).get(relation)


@pytest.mark.parametrize("resource_type", ["PlanDefinition", "ActivityDefinition"])
@pytest.mark.parametrize("count", [1, 2, 3, 5, 6, 100])
def test_the_links_lead_through_all_resources_and_back(
    service: Service, token: str, resource_type: str, count: int
) -> None:
    """Resources are in the order of their ids, and the pages are the same in both directions."""
    publish(service, "abcde")
    first = f"/fhir/{resource_type}?title:contains=e&_count={count}&_format=json"

    there = list(pages(service, token, first))
    back = list(pages(service, token, links(there[-1])["self"], "previous"))

    names = [name for page in there for name in ids(page)]
    assert names == sorted(names)
    assert {page["total"] for page in there} == {len(names)}
    assert all(len(ids(page)) <= count for page in there)
    assert len(there) == max(1, -(-len(names) // count))
    assert [ids(page) for page in back] == [ids(page) for page in reversed(there)]
    assert all("_format=json" in url for page in there for url in links(page).values())


def test_sorted_pages_have_each_resource_once(service: Service, token: str) -> None:
    """The pages are the same in both directions."""
    there = list(pages(service, token, "/fhir/ActivityDefinition?_count=1&_sort=-title"))
    back = list(pages(service, token, links(there[-1])["self"], "previous"))

    titles = [entry["resource"]["title"] for page in there for entry in page["entry"]]
    assert titles == sorted(titles, reverse=True)
    assert len(titles) == 4
    assert [ids(page) for page in back] == [ids(page) for page in reversed(there)]


def test_a_link_names_the_address_of_the_operator(service: Service, token: str) -> None:
    publish(service, "ab")

    bundle = get(service, token, "/fhir/PlanDefinition?_count=1&title:contains=zz")

    assert links(bundle) == {
        "self": f"{BASE_URL}/fhir/PlanDefinition?title%3Acontains=zz&_count=1",
        "next": f"{BASE_URL}/fhir/PlanDefinition?title%3Acontains=zz&_count=1&_after=d-a",
    }


@pytest.mark.parametrize(
    ("published_later", "seen"),
    [
        ("abcdef", "abcdef"),
        ("bcdef", "abcdef"),
        ("acdef", "abcdef"),
        ("cdef", "abcdef"),
        ("ab", "ab"),
        ("abcdefg", "abcdefg"),
    ],
)
def test_a_new_catalogue_between_two_pages_repeats_and_skips_nothing(
    service: Service, token: str, published_later: str, seen: str
) -> None:
    """This holds for the resources that are in both catalogues."""
    publish(service, "abcdef")
    first = get(service, token, "/fhir/PlanDefinition?_count=2")
    publish(service, published_later)

    rest = pages(service, token, links(first)["next"])

    names = [*ids(first), *(name for page in rest for name in ids(page))]
    assert names == [f"d-{letter}" for letter in seen]


@pytest.mark.parametrize(("query", "total"), [("_count=0", 3), ("context=B05", 0)])
def test_a_bundle_without_entries_has_the_total(
    service: Service, token: str, query: str, total: int
) -> None:
    """It has only the link to itself (R4, search, count)."""
    publish(service, "abc")

    bundle = get(service, token, f"/fhir/PlanDefinition?{query}")

    assert (bundle["type"], bundle["total"]) == ("searchset", total)
    assert "entry" not in bundle
    assert links(bundle).keys() == {"self"}


def test_a_page_has_at_most_30_resources_and_20_by_default(service: Service, token: str) -> None:
    """The link of the Bundle to itself has the number that was used."""
    service.publish(Catalogue([an_entry(f"d-{number}") for number in range(120)]))
    service.clock.advance(seconds=1)

    most = get(service, token, "/fhir/PlanDefinition?_count=1000")
    more = get(service, token, f"/fhir/PlanDefinition?_count={10**99}")
    usual = get(service, token, "/fhir/PlanDefinition")
    included = get(
        service, token, "/fhir/PlanDefinition?_count=1000&_include=PlanDefinition:definition"
    )

    assert len(ids(most)) == len(ids(more)) == MOST_COUNT
    assert f"_count={MOST_COUNT}" in links(most)["self"]
    assert f"_count={MOST_WITH_INCLUDED}" in links(included)["self"]
    modes = [entry["search"]["mode"] for entry in included["entry"]]
    assert modes.count("match") == MOST_WITH_INCLUDED
    assert len(ids(usual)) == 20
    assert "_count=20" in links(usual)["self"]
