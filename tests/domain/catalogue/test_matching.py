"""How well the codes of records fit diagnoses."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.catalogue.entry import Entry
from evref.domain.catalogue.icd import CodeList, FinerCodes
from evref.domain.catalogue.matching import Fit, fit
from evref.domain.catalogue.record_code import Classification, Edition, read_field
from evref.testing.builders import a_diagnosis
from tests.domain.strategies import DIGITS, icd10_texts
from tests.pages.site import bundled

ICD_10, ICD_11, _ = Classification


def relations_of(
    text: str,
    edition: Edition | str | None = None,
    *,
    classification: Classification = ICD_10,
    catalogue: Catalogue | None = None,
) -> tuple[dict[str, str], list[str]]:
    """Return the relation by diagnosis, and the diagnoses that the code is excluded from."""
    codes = read_field(classification, text, None if edition is None else Edition(edition))
    (match,) = (catalogue or bundled()).matches(codes)
    return {fit.diagnosis_id: str(fit.relation) for fit in match.fits}, list(match.excluded_from)


# The bundled catalogue


@pytest.mark.parametrize(
    ("code", "cm", "gm", "without"),
    [
        ("G47.31", "excluded", "certain", "approximate"),
        ("S72.05", "excluded", "certain", "approximate"),
        ("I70.25", "excluded", "certain", "approximate"),
        ("S83.53", "approximate", "certain", "approximate"),
        ("S83.51", "certain", "certain", "certain"),
        ("S83.52", "excluded", "excluded", "excluded"),
        ("F32.81", "excluded", "certain", "approximate"),
        ("F32.1 V", "approximate", "approximate", "approximate"),
        ("M48.02", "excluded", "excluded", "excluded"),
    ],
)
def test_editions_differ_as_the_files_say(code: str, cm: str, gm: str, without: str) -> None:
    for edition, expected in ((Edition.CM, cm), (Edition.GM, gm), (None, without)):
        relations, excluded = relations_of(code, edition)
        assert [*relations.values(), *("excluded" for _ in excluded)] == [expected], edition


@pytest.mark.parametrize(
    ("code", "relations", "excluded"),
    [
        ("NC93.60", {"anterior-cruciate-ligament-injury": "certain"}, []),
        ("BD71", {"deep-vein-thrombosis": "approximate"}, []),
        ("BD71.4", {"deep-vein-thrombosis": "certain"}, []),
        ("BD71.1", {}, ["deep-vein-thrombosis"]),
        ("BD71.1/BD71.4&XK8G", {"deep-vein-thrombosis": "certain"}, []),
        ("FB54", {}, []),
        (
            "FB54.Y&XK8G/FA01.0",
            {
                "achilles-tendinopathy": "approximate",
                "greater-trochanteric-pain-syndrome": "approximate",
                "knee-osteoarthritis": "certain",
            },
            [],
        ),
    ],
)
def test_each_stem_of_icd11_is_read_separately(
    code: str, relations: dict[str, str], excluded: list[str]
) -> None:
    assert relations_of(code, classification=ICD_11) == (relations, excluded)


# The rules

ACL = a_diagnosis(
    "acl",
    icd10=("S83.5", "S93"),
    broader_codes=("S83.5",),
    finer_codes={
        CodeList.ICD_10_CM: FinerCodes(("S83.51", "S93.41"), ("S83.512", "S83.52", "S83.9")),
        CodeList.ICD_10_GM: FinerCodes(("S83.51", "S83.521"), ("S83.52", "S83.9")),
    },
)


@pytest.mark.parametrize(
    ("code", "edition", "expected"),
    [
        # The longest prefix decides, otherwise the code of the diagnosis.
        ("S83.511A", "cm", ("certain", "S83.51")),
        ("S83.512A", "cm", (None, "S83.512")),
        ("S83.5", "cm", ("approximate", "S83.5")),
        ("S83.59", "cm", ("approximate", "S83.5")),
        ("S93", "cm", ("certain", "S93")),
        ("S93.4", "cm", ("approximate", "S93")),
        ("S93.4", "gm", ("certain", "S93")),
        ("S83", "cm", None),
        ("S83.51", "gm", ("certain", "S83.51")),
        # Without an edition, both editions count, unless the code cannot be of ICD-10-GM.
        ("S83.51", None, ("certain", "S83.51")),
        ("S83.511", None, ("certain", "S83.51")),
        ("S83.512", None, (None, "S83.512")),
        ("S83.52", None, (None, "S83.52")),
        ("S93.4", None, ("approximate", "S93")),
        ("S83.9", None, (None, "S83.9")),
        # WHO's codes mean what the diagnosis says, unless both editions agree.
        ("S83.9", "who", (None, "S83.9")),
        ("S93.4", "who", ("certain", "S93")),
        ("S83.5", "who", ("approximate", "S83.5")),
        ("S83.52", "who", (None, "S83.52")),
        # Suspected.
        ("S83.51 V", "gm", ("approximate", "S83.51")),
        ("S83.52 V", "gm", (None, "S83.52")),
        ("S83.51 A", "gm", None),
    ],
)
def test_the_relation_of_a_code_depends_on_its_edition(
    code: str, edition: str | None, expected: tuple[str | None, str] | None
) -> None:
    (read_code,) = read_field(ICD_10, code, Edition(edition) if edition else None)

    decided = fit(read_code, ACL)

    assert decided == (expected and Fit(ACL.id, *expected))  # type: ignore[arg-type]


def test_a_cluster_in_the_catalogue_is_found_by_clusters_that_contain_it() -> None:
    catalogue = Catalogue([Entry(a_diagnosis(icd11=("FA01&XK8G/8C01",)), ())])

    def finds(text: str) -> bool:
        relations, _ = relations_of(text, classification=ICD_11, catalogue=catalogue)
        return bool(relations)

    assert finds("8C01.0/FA01.0&XK8G")
    assert not finds("FA01&XK8G")
    assert not finds("FA01/8C01")


@given(icd10_texts, icd10_texts, st.text(DIGITS, max_size=2))
@example("M17", "M17.1", "")
@example("M17.1", "M17", "1")
def test_without_finer_codes_only_a_prefix_finds(catalogued: str, record: str, more: str) -> None:
    text = record if len(record) == 3 else record + more
    catalogue = Catalogue([Entry(a_diagnosis(icd10=[catalogued]), ())])

    relations, _ = relations_of(text, catalogue=catalogue)

    assert bool(relations) == text.startswith(catalogued)


@pytest.mark.parametrize(
    ("text", "classification", "narrower"),
    [
        ("F41", ICD_10, {"generalised-anxiety-disorder": ["F41.1"], "panic-disorder": ["F41.0"]}),
        (
            "M54.-",
            ICD_10,
            {
                "low-back-pain": ["M54.5", "M54.9"],
                "lumbar-radiculopathy": ["M54.1", "M54.3", "M54.4"],
                "neck-pain": ["M54.2"],
            },
        ),
        ("f41 V", ICD_10, {"generalised-anxiety-disorder": ["F41.1"], "panic-disorder": ["F41.0"]}),
        ("F41 A", ICD_10, {}),
        ("M17", ICD_10, {}),
        ("B05", ICD_10, {}),
        ("hello", ICD_10, {}),
        ("FA01", ICD_11, {}),
        ("FB83", ICD_11, {"osteoporosis": ["FB83.1"]}),
    ],
)
def test_a_code_above_codes_of_the_catalogue_names_their_diagnoses(
    text: str, classification: Classification, narrower: dict[str, list[str]]
) -> None:
    """A code that finds a diagnosis, or was not searched, names none."""
    (match,) = bundled().matches(read_field(classification, text))

    assert {found.diagnosis_id: [*found.codes] for found in match.narrower} == narrower
