"""Which parts of a request are read, ignored or rejected."""

from __future__ import annotations

import pytest

from evref.adapters.inbound.infobutton.knowledge_request import SUB_TOPICS, SubTopic
from evref.domain.catalogue.diagnosis import Module
from tests.http.service import BASE_URL, Service, assert_problem
from tests.infobutton.asking import (
    AS_HTML,
    AS_JSON,
    CRITERION,
    FEEDS,
    ICD10,
    ICD10_CM,
    ICD10_GM,
    ICD11,
    KNEE,
    MESH,
    SNOMED_CT,
    Parameters,
    ask,
    coded,
    documents,
    json_feed,
    named,
    sections,
    subtitle,
)

pytestmark = pytest.mark.shared_service


@pytest.mark.parametrize(
    ("oid", "code", "read_as"),
    [
        (ICD10, "m171", "ICD-10 M17.1"),
        (f"{ICD10}.2", "M17.1", "ICD-10 M17.1"),
        (ICD10_CM, "M17.11", "ICD-10-CM M17.11"),
        (ICD10_GM, "M17.1+", "ICD-10-GM M17.1"),
        (f"{ICD10_GM}.302", "M17", "ICD-10-GM M17"),
        (f"{ICD10_GM}.600", "M17.1", "ICD-10-GM M17.1"),
        (ICD11, "fa01.0&xk8g", "ICD-11 FA01.0&XK8G"),
    ],
)
def test_a_code_is_read_by_its_code_system(
    service: Service, token: str, oid: str, code: str, read_as: str
) -> None:
    feed = json_feed(service, token, coded(oid, code))

    assert documents(feed) == ["Knee osteoarthritis"]
    assert subtitle(feed) == f"Results for {read_as}."


@pytest.mark.parametrize("part", ["dn", "ot"])
def test_words_are_searched_where_there_is_no_code(service: Service, token: str, part: str) -> None:
    """They are read as a name in a record, and a code system without a code is ignored."""
    words = {
        f"{CRITERION}.{part}": "guillain BARRE Syndrome",
        f"{CRITERION}.cs": SNOMED_CT,
        f"{CRITERION}.c": " ",
    }

    assert documents(json_feed(service, token, words)) == ["Guillain-Barré syndrome"]


def test_several_criteria_are_answered_in_order_and_each_diagnosis_once(
    service: Service, token: str
) -> None:
    """The standard numbers repeated criteria."""
    asked = {
        **coded(ICD11, "FB53.0"),
        **coded(ICD10, "M17", "1"),
        **named("twin", "2"),
        **coded(ICD10_CM, "M17.11", "3"),
    }

    feed = json_feed(service, token, asked)

    assert documents(feed) == ["Twin", "Knee osteoarthritis", "Twin"]
    ids = [entry["id"]["_value"].rpartition("/")[2] for entry in feed["entry"]]
    assert [name for name in ids if "?" not in name] == ["twin-b", "knee-osteoarthritis", "twin-a"]


@pytest.mark.parametrize(
    "asked",
    [
        coded(SNOMED_CT, "41381004"),
        coded("2.16.840.1.113883.6.103", "250.33"),
        coded("2.16.840.1.113883.6.39", "M17"),
        coded("2.16.840.1.113883.6", "M17"),
        coded("1.2.276.0.76.55", "M17"),
        coded(f"{ICD10_GM}.473", "M17.1"),  # Alpha-ID 2018
        coded(f"{ICD10_GM}.478", "M17.1"),  # OPS 2019
        coded(f"{ICD10_GM}.600", "I66628"),  # Alpha-ID of a later year
        coded(f"{ICD10_GM}.600", "5-820.00"),  # OPS of a later year
        coded(f"{ICD10_GM}.417.1", "M17.1"),
    ],
)
def test_an_unknown_code_system_finds_nothing_and_is_not_an_error(
    service: Service, token: str, asked: Parameters
) -> None:
    feed = json_feed(service, token, asked)
    both = json_feed(service, token, asked | coded(ICD10, "M17", "1"))

    assert feed["entry"] == []
    assert "The service reads codes of ICD-10, ICD-10-CM" in subtitle(feed)
    assert documents(both) == ["Knee osteoarthritis"]


def test_names_of_parameters_are_case_insensitive(service: Service, token: str) -> None:
    """The guide's own examples also write `subtopic.v.c`, which must not be ignored."""
    asked = {name.upper(): text for name, text in KNEE.items()} | {"subtopic.v.c": "d012648"}

    assert sections(json_feed(service, token, asked)) == ["home"]


def test_other_parameters_of_the_standard_are_ignored(service: Service, token: str) -> None:
    unused = {
        "knowledgeRequestNotification.effectiveTime.v": "20060706001023",
        "assignedAuthorizedPerson.id.root": "1.2.3",
        "age.v.v": "77",
        "taskContext.c.c1": "MLREV",
        "informationRecipient.languageCode.c": "de",
        "callback": "show",
        "x": "y",
    }

    plain = json_feed(service, token, KNEE)
    feed = json_feed(service, token, unused | KNEE)

    assert feed["entry"] == plain["entry"]
    assert feed["subtitle"] == plain["subtitle"]


@pytest.mark.parametrize("sub_topic", SUB_TOPICS, ids=lambda sub_topic: sub_topic.name)
def test_a_subtopic_selects_its_modules(service: Service, token: str, sub_topic: SubTopic) -> None:
    in_catalogue = [Module.FITT_VIP, Module.HOME, Module.CONCEPT]

    feed = json_feed(service, token, KNEE | {"subTopic.v.cs": MESH, "subTopic.v.c": sub_topic.code})

    assert documents(feed) == ["Knee osteoarthritis"]
    modules = () if sub_topic.of_cautions else sub_topic.modules
    assert sections(feed) == [module for module in in_catalogue if module in modules]
    nothing = f"Nothing on the requested subtopic: {sub_topic.name.replace('&', '&amp;')}"
    assert (nothing in feed["entry"][0]["summary"]["_value"]) == (not sections(feed))


@pytest.mark.parametrize(
    ("sub_topic", "shown"),
    [
        ({"subTopic.v.c": "Q000209", "subTopic.v.dn": "etiology"}, "etiology"),
        ({"subTopic.v.c": "Q000209"}, "Q000209"),
        ({"subTopic.v.c": "Q000628", "subTopic.v.cs": SNOMED_CT}, "Q000628"),
        ({"subTopic.v.ot": "treatment"}, "treatment"),
    ],
)
def test_a_subtopic_without_a_module_gives_only_the_diagnosis(
    service: Service, token: str, sub_topic: Parameters, shown: str
) -> None:
    """A section would look like an answer, so there is none, and the response says so."""
    feed = json_feed(service, token, KNEE | sub_topic)

    assert documents(feed) == ["Knee osteoarthritis"]
    assert sections(feed) == []
    assert f"Nothing on the requested subtopic: {shown}" in feed["entry"][0]["summary"]["_value"]
    assert "The service supports only these subtopics: diagnosis," in subtitle(feed)


@pytest.mark.parametrize(
    ("asked", "parameter", "message"),
    [
        ({}, f"{CRITERION}.c", "is missing"),
        (KNEE | {f"{CRITERION}.cs1": ICD10}, f"{CRITERION}.c1", "is missing"),
        ({f"{CRITERION}.c": "M17"}, f"{CRITERION}.cs", "is missing"),
        (coded("ICD10", "M17"), f"{CRITERION}.cs", "is not an OID"),
        (coded(ICD10_GM, "knee,", "12"), f"{CRITERION}.c12", "is malformed"),
        (named("x" * 201, "2"), f"{CRITERION}.dn2", "is too long"),
        (
            {f"{CRITERION}.dn{n}": "a" for n in range(51)},
            f"{CRITERION}.dn50",
            "is one of 51 values",
        ),
        (KNEE | {CRITERION.upper() + ".C": "M18"}, f"{CRITERION}.c", "is given more than once"),
    ],
)
def test_an_invalid_parameter_is_named_with_what_is_allowed(
    service: Service, token: str, asked: Parameters, parameter: str, message: str
) -> None:
    response = ask(service, token, asked | AS_JSON)

    problem = assert_problem(response, 422, "invalid-parameter")
    (fault,) = problem["errors"]
    assert (fault["parameter"], fault["message"]) == (parameter, message)
    assert fault["allowed"]
    assert response.headers["X-RateLimit-Remaining"] == "999"


def test_all_errors_of_a_request_are_named_at_once(service: Service, token: str) -> None:
    asked = coded(ICD10, "knee") | coded("x", "M17", "1") | {"knowledgeResponseType": "text/plain"}

    response = ask(service, token, asked)

    named = [fault["parameter"] for fault in assert_problem(response, 422)["errors"]]
    assert named == [f"{CRITERION}.cs1", f"{CRITERION}.c", "knowledgeResponseType"]


@pytest.mark.parametrize("asked", ["text/plain", "application/javascript", "atom+xml"])
def test_an_unknown_response_type_is_rejected(service: Service, token: str, asked: str) -> None:
    response = ask(service, token, KNEE | {"knowledgeResponseType": asked})

    (fault,) = assert_problem(response, 422)["errors"]
    assert fault["allowed"] == [*FEEDS, "text/html"]


def test_words_replace_a_code_of_an_unknown_system(service: Service, token: str) -> None:
    """The subtitle says so.

    Each criterion is treated separately, and words never replace a code that was read.
    """
    name, icd9 = "Knee osteoarthritis", "2.16.840.1.113883.6.103"
    snomed = coded(SNOMED_CT, "239873007", name=name)
    requests = [
        (snomed, [name], True),
        (coded(icd9, "715.36", name=name), [name], True),
        (coded("ICD-9-CM", "715.36", name=name), [name], True),
        (coded(ICD10, "B05", name=name), [], False),
        (
            coded(f"urn:oid:{ICD10}", "G61.0") | coded(SNOMED_CT, "1", "1", name=name),
            ["Guillain-Barré syndrome", name],
            True,
        ),
        (KNEE | coded(SNOMED_CT, "195967001", "1"), [name], False),
    ]
    for asked, diagnoses, is_by_name in requests:
        feed = json_feed(service, token, asked)
        assert documents(feed) == diagnoses
        assert ("Searched by name" in subtitle(feed)) == is_by_name
    assert "Not searched: code 195967001 of the code system 2.16" in subtitle(feed)
    page = ask(service, token, snomed | AS_HTML).headers["Location"]
    assert page == f"{BASE_URL}/catalogue?q=Knee+osteoarthritis"


def test_deprecated_names_are_told_the_present_ones(service: Service, token: str) -> None:
    response = ask(service, token, {"mainSearchCriteria.c.c": "M17"})

    (fault,) = assert_problem(response, 422)["errors"]
    assert fault["parameter"] == f"{CRITERION}.c"
    assert f"{CRITERION}.cs" in fault["allowed"][0]


def test_a_plus_sign_that_was_not_encoded_is_read(service: Service, token: str) -> None:
    response = ask(service, token, KNEE | {"knowledgeResponseType": "application/atom xml"})

    assert response.status_code == 200
    assert response.mimetype == "application/atom+xml"
