"""`listInterventions`: what it returns, in which order, and its filters."""

from __future__ import annotations

from decimal import Decimal

import pytest

from evref.bootstrap.settings import StorageKind
from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.catalogue.effect import Measure, Per1000
from evref.testing.builders import a_catalogue, an_effect, an_entry, an_intervention
from tests.http.conftest import MakeService
from tests.http.service import Service, body, entries

KNEE = "/api/v1/diagnoses/knee-osteoarthritis/interventions"
pytestmark = pytest.mark.shared_service


def test_a_response_names_its_diagnosis_and_filters(service: Service, token: str) -> None:
    """A stored response must say what was asked."""
    knee = service.data("/api/v1/diagnoses/knee-osteoarthritis", token)

    meta = body(service.get(f"{KNEE}?phase=subacute", token=token))["meta"]

    assert meta["diagnosis"] == knee
    assert meta["filters"] == {"module": None, "phase": "subacute"}
    assert meta["count"] == 1
    assert meta["catalogue_version"] == Catalogue(entries()).version


def test_an_effect_has_the_fields_of_the_contract_and_numbers(
    make_service: MakeService,
) -> None:
    service = make_service(storage=StorageKind.MEMORY)
    effect = an_effect(
        "0.80",
        ("0.70", "1.0"),
        Measure.RISK_RATIO,
        per_1000=Per1000(Decimal(162), Decimal("114.50")),
        studies=None,
    )
    service.publish(a_catalogue(an_entry(interventions=[an_intervention(effects=[effect])])))

    text = service.get(KNEE, token=service.token()).text

    assert (
        '"effects":[{"outcome":"Pain at the end of treatment","comparison":"no exercise",'
        '"measure":"risk_ratio","estimate":0.8,"interval":{"low":0.7,"high":1.0},"unit":null,'
        '"better":"lower","favours":"neither","per_1000":{"comparison":162.0,"intervention":114.5},'
        '"studies":null,"participants":3537,"certainty":"high","reference":0}]'
    ) in text


def test_an_intervention_has_the_fields_of_the_contract(service: Service, token: str) -> None:
    """Only module `fitt_vip` has a dose, and a reference always has a URL."""
    fitt = service.data(f"{KNEE}?module=fitt_vip", token)[0]
    home = service.data(f"{KNEE}?module=home", token)[0]

    assert list(fitt) == [
        "id",
        "diagnosis_id",
        "module",
        "phase",
        "title",
        "summary",
        "cautions",
        "fitt_vp",
        "evidence",
        "effects",
        "references",
    ]
    assert fitt["fitt_vp"] == {
        "frequency": "Twice a week",
        "intensity": None,
        "time": None,
        "type": "Strength",
        "volume": None,
        "progression": None,
    }
    assert home["fitt_vp"] is None
    assert fitt["evidence"] == {
        "certainty": "moderate",
        "recommendation": "strong_for",
        "direction": "for",
        "source_grade": "Strong",
        "source": None,
        "superseded": False,
        "group": "recommended",
    }
    assert fitt["references"] == [
        {
            "title": "A guideline",
            "authors": "Kolasinski SL, Neogi T, et al.",
            "year": 2020,
            "source": "Arthritis & Rheumatology",
            "kind": "guideline",
            "doi": "10.1002/art.41142",
            "pmid": None,
            "url": "https://doi.org/10.1002/art.41142",
        }
    ]
