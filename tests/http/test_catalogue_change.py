"""A catalogue that is replaced under a running service, and services side by side."""

from __future__ import annotations

from evref.domain.catalogue.catalogue import Catalogue
from evref.testing.builders import a_catalogue, an_entry
from tests.http.conftest import MakeService
from tests.http.service import Service, body, entries

LIST = "/api/v1/diagnoses"


def version(service: Service, token: str) -> str:
    """The version that the next answer names."""
    return str(body(service.get(LIST, token=token))["meta"]["catalogue_version"])


def test_another_catalogue_is_served_within_a_second(service: Service, token: str) -> None:
    """Its answers have another version and another ETag."""
    before = service.get(LIST, token=token)
    service.publish(a_catalogue(an_entry("asthma", name="Asthma")))

    service.clock.advance(0.5)
    after = service.get(LIST, token=token, headers={"If-None-Match": before.headers["ETag"]})

    assert after.status_code == 200
    assert [record["id"] for record in body(after)["data"]] == ["asthma"]
    assert after.headers["ETag"] != before.headers["ETag"]
    assert body(after)["meta"]["catalogue_version"] != body(before)["meta"]["catalogue_version"]


def test_a_diagnosis_that_left_the_catalogue_is_unknown(service: Service, token: str) -> None:
    """Also where an answer about it was kept."""
    path = f"{LIST}/twin-a"
    assert service.get(path, token=token).status_code == 200
    service.publish(a_catalogue())

    service.clock.advance(0.5)

    assert service.get(path, token=token).status_code == 404


def test_the_same_content_keeps_its_version_and_etag(service: Service, token: str) -> None:
    """Published anew, in another order."""
    before = service.get(LIST, token=token)
    service.publish(Catalogue(reversed(entries())))

    service.clock.advance(0.5)
    after = service.get(LIST, token=token, headers={"If-None-Match": before.headers["ETag"]})

    assert after.status_code == 304


def test_a_catalogue_that_comes_back_has_its_version_back(service: Service, token: str) -> None:
    """The version depends on the content alone."""
    before = version(service, token)
    service.publish(a_catalogue())
    service.clock.advance(0.5)
    between = version(service, token)
    service.publish(Catalogue(entries()))
    service.clock.advance(0.5)

    assert version(service, token) == before
    assert between != before


def test_two_services_in_one_process_never_mix(make_service: MakeService) -> None:
    """Each has its own keys, catalogue and settings."""
    first, second = make_service(), make_service(base_url="https://second.example.org")
    first.publish(a_catalogue(an_entry("asthma", name="Asthma")))
    second.publish(a_catalogue(an_entry("migraine", name="Migraine")))
    tokens = first.token(), second.token()

    assert first.ids(LIST, tokens[0]) == ["asthma"]
    assert second.ids(LIST, tokens[1]) == ["migraine"]
    assert first.get(LIST, token=tokens[1]).status_code == 401
    refused = second.get(LIST, token=tokens[0])
    assert body(refused)["type"] == "https://second.example.org/problems/invalid-api-key"
    assert (
        body(first.get("/api/v1/openapi.json"))["servers"]
        != (body(second.get("/api/v1/openapi.json"))["servers"])
    )
