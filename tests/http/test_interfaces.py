"""Interfaces are found by their entry points: evref's own, and those of other packages."""

import sys
from importlib.metadata import EntryPoint, EntryPoints, entry_points

import pytest

from evref.adapters.inbound.web.host import Interface
from evref.bootstrap import interfaces
from evref.bootstrap.interfaces import enabled_interfaces
from evref.bootstrap.settings import INTERFACES, Settings, SettingsError
from tests.http.conftest import MakeService
from tests.http.service import EXAMPLES, body

TEXT = "evref_as_text:INTERFACE"
TWIN = Interface("/text", lambda _host: [])
OWN = {"fhir", "infobutton", "metrics", "pages", "rest", "settings"}


def add(monkeypatch: pytest.MonkeyPatch, *more: tuple[str, str], without: str = "") -> None:
    """Install entry points beside those of evref, of which some can be left out."""
    group = EntryPoints(
        [
            *(one for one in entry_points(group=INTERFACES) if one.name not in without),
            *(EntryPoint(name, value, INTERFACES) for name, value in more),
        ]
    )
    monkeypatch.setattr(interfaces, "entry_points", lambda **_: group)


def test_the_interfaces_of_evref_are_entry_points_as_others_are() -> None:
    assert set(enabled_interfaces(Settings())) == OWN


def test_the_interface_of_another_package_is_served(
    monkeypatch: pytest.MonkeyPatch, make_service: MakeService
) -> None:
    add(monkeypatch, ("text", TEXT))
    service = make_service(interfaces={"text": "on", "text_bullet": "*"}, catalogue_pages="public")
    service.publish(EXAMPLES)
    token = service.token()

    found = service.get("/text/knee-osteoarthritis", token=token)
    unknown = service.get("/text/nothing", token=token)

    assert found.text.startswith("* ")
    assert found.text.endswith("/catalogue/knee-osteoarthritis\n")
    assert found.headers["X-RateLimit-Remaining"] == "999"
    assert body(unknown)["type"].endswith("/problems/unknown-diagnosis")


def test_an_interface_can_be_switched_off(monkeypatch: pytest.MonkeyPatch) -> None:
    add(monkeypatch, ("text", TEXT))

    assert "text" not in enabled_interfaces(Settings(interfaces={"text": "off"}))


def test_the_service_works_without_fhir_and_infobutton(
    monkeypatch: pytest.MonkeyPatch, make_service: MakeService
) -> None:
    add(monkeypatch, without="fhir infobutton")
    service = make_service(interfaces={"fhir": "off"}, catalogue_pages="public")
    service.publish(EXAMPLES)

    assert service.get("/api/v1/diagnoses", token=service.token()).status_code == 200
    assert service.get("/catalogue").status_code == 200
    assert service.get("/fhir/metadata").status_code == 404
    assert service.get("/infobutton").status_code == 404


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("rest", TEXT), "two interfaces have the name rest"),
        (("twin", f"{__name__}:TWIN"), "the interfaces text and twin have the path /text"),
        (("gone", "evref_gone:INTERFACE"), "the interface gone cannot be loaded: Module"),
        (("odd", "json:dumps"), "the interface odd is not of the type Interface"),
    ],
)
def test_interfaces_that_cannot_be_served_stop_the_start_with_one_line(
    monkeypatch: pytest.MonkeyPatch, more: tuple[str, str], message: str
) -> None:
    monkeypatch.setitem(sys.modules, __name__, sys.modules[add.__module__])
    add(monkeypatch, ("text", TEXT), more)

    with pytest.raises(SettingsError, match=f"^{message}") as caught:
        enabled_interfaces(Settings())

    assert "\n" not in str(caught.value)


def test_a_source_tree_that_is_not_installed_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    add(monkeypatch, without=" ".join(OWN))

    with pytest.raises(SettingsError, match="run make install"):
        enabled_interfaces(Settings())
