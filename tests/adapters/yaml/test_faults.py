"""Each way in which a file can be wrong: at which line, and in which words."""

import json
from pathlib import Path

import pytest
import yaml

from evref.domain.errors import FileFault
from tests.adapters.yaml.support import KNEE, faults_in, faults_in_text, knee_with, read

DIAGNOSIS = "id, name, icd10, icd11, enabled_modules, interventions, references"
INTERVENTION = "id, module, phase, title, summary, fitt_vp, evidence, references"
INTERVENTION_NEEDS = "id, module, phase, title, summary, evidence, references"
FITT_VP = "frequency, intensity, time, type, volume, progression"
EVIDENCE = "certainty, recommendation, source_grade"
REFERENCE = "title, authors, year, source, kind, doi, pmid, url"
REFERENCE_NEEDS = "title, authors, year, source, kind"
MODULES = "fitt_vip, pharmaconeutral, home, concept, prevention, diagnostic"
SLUG = "characters: a-z, 0-9 and single hyphens between"
ICD10 = (
    "must be a WHO ICD-10 code: a letter and two digits, then perhaps a dot and one or two"
    " digits, such as M17 or M17.1"
)
ICD11 = (
    "must be an ICD-11 MMS stem code, or a cluster of them joined by / with extension codes"
    " after &, such as FA01, FA01.0 or FA01.0&XK8G"
)

# The valid file is in support.py; each case replaces lines of it, or leaves them out.
CASES = {
    "id missing": ({1: ""}, 1, f"id: is missing; a diagnosis must have {DIAGNOSIS}"),
    "id no slug": ({1: "id: Knee"}, 1, f"id: must be a slug of 1 to 64 {SLUG}"),
    "id too long": ({1: f"id: {'a' * 65}"}, 1, f"id: must be a slug of 1 to 64 {SLUG}"),
    "id a list": ({1: "id: [a]"}, 1, "id: must be text, but is a list"),
    "name empty": ({2: "name:"}, 2, "name: must be text, but is empty"),
    "name null": ({2: "name: null"}, 2, "name: must be text, but is null"),
    "name a mapping": ({2: "name: {a: b}"}, 2, "name: must be text, but is a mapping"),
    "name a truth value": (
        {2: "name: yes"},
        2,
        'name: must be text, put it in quotes: "yes" is true or false without them',
    ),
    "name a time of day": (
        {2: "name: 12:30"},
        2,
        'name: must be text, put it in quotes: "12:30" is a number without them',
    ),
    "name a date": (
        {2: "name: 2020-01-01"},
        2,
        'name: must be text, put it in quotes: "2020-01-01" is a date without them',
    ),
    "name too long": (
        {2: f"name: {'n' * 121}"},
        2,
        "name: must have 1 to 120 characters, has 121",
    ),
    "name with a control": (
        {2: r'name: "Kn\tee"'},
        2,
        "must be text without control characters, has U+0009",
    ),
    "icd10 missing": ({3: ""}, 1, f"icd10: is missing; a diagnosis must have {DIAGNOSIS}"),
    "icd10 no list": ({3: "icd10: M17"}, 3, 'icd10: must be a list, such as ["M17"], not "M17"'),
    "icd10 empty": ({3: "icd10: []"}, 3, "icd10: must have at least one entry"),
    "icd10 in lower case": ({3: "icd10: [m17]"}, 3, f'icd10: {ICD10}, not "m17"'),
    "icd10 malformed": (
        {3: "icd10:\n  - M17\n  - M17.123"},
        5,
        f'icd10: {ICD10}, not "M17.123"',
    ),
    "icd10 repeated": ({3: "icd10:\n  - M17\n  - M17"}, 5, "icd10: must not repeat M17"),
    "icd11 malformed": ({4: "icd11: [FA0I]"}, 4, f'icd11: {ICD11}, not "FA0I"'),
    "icd11 a number": (
        {4: "icd11: [8.10]"},
        4,
        'icd11: must be text, put it in quotes: "8.10" is a number without them',
    ),
    "modules not a list": (
        {5: "enabled_modules:"},
        5,
        "enabled_modules: must be a list, such as [home, prevention], but is empty",
    ),
    "module unknown, though another needs it": (
        {5: "enabled_modules: [fitt_vip, hme]"},
        5,
        f'enabled_modules: must be one of {MODULES}, not "hme"',
    ),
    "module repeated": (
        {5: "enabled_modules:\n  - fitt_vip\n  - home\n  - home"},
        8,
        "enabled_modules: must not repeat home",
    ),
    "module not enabled": (
        {5: "enabled_modules: [fitt_vip]"},
        27,
        "module: home is not enabled; enabled_modules has fitt_vip",
    ),
    "no module enabled": (
        {5: "enabled_modules: []", **dict.fromkeys(range(26, 37), ""), 37: "", 47: ""}
        | dict.fromkeys(range(48, 54), ""),
        8,
        "module: fitt_vip is not enabled; enabled_modules has none",
    ),
    "interventions not a list": (
        {6: "interventions:", **dict.fromkeys(range(7, 38), "")},
        6,
        "interventions: must be a list, such as [], but is empty",
    ),
    "intervention not a mapping": (
        {26: "  - home", **dict.fromkeys(range(27, 38), "")},
        26,
        f'interventions: must be a mapping with the fields {INTERVENTION}, not "home"',
    ),
    "intervention id no slug": (
        {7: "  - id: knee_1"},
        7,
        f"id: must be a slug of 1 to 96 {SLUG}",
    ),
    "intervention field unknown": (
        {9: "    phase: acute\n    note: x"},
        10,
        f"note: is no field of an intervention, which has {INTERVENTION}",
    ),
    "intervention field missing": (
        {10: ""},
        7,
        f"title: is missing; an intervention must have {INTERVENTION_NEEDS}",
    ),
    "module of an intervention unknown": (
        {8: "    module: Home"},
        8,
        f'module: must be one of {MODULES}, not "Home"',
    ),
    "module of an intervention missing": (
        {8: ""},
        7,
        f"module: is missing; an intervention must have {INTERVENTION_NEEDS}",
    ),
    "phase unknown": (
        {9: "    phase: cronic"},
        9,
        'phase: must be one of acute, subacute, chronic, not "cronic"',
    ),
    "phase a list": (
        {9: "    phase: [acute, chronic]"},
        9,
        "phase: must be one of acute, subacute, chronic, but is a list",
    ),
    "title too short": ({10: "    title: abc"}, 10, "title: must have 5 to 120 characters, has 3"),
    "title too long": (
        {10: f"    title: {'a' * 121}"},
        10,
        "title: must have 5 to 120 characters, has 121",
    ),
    "summary too short": ({13: ""}, 11, "summary: must have 80 to 700 characters, has 55"),
    "summary too long": (
        {13: f"      {'a' * 700}"},
        11,
        "summary: must have 80 to 700 characters, has 756",
    ),
    "fitt_vp missing": (
        dict.fromkeys(range(14, 21), ""),
        7,
        "fitt_vp: must be given where the module is fitt_vip",
    ),
    "fitt_vp null": (
        {14: "    fitt_vp: null", **dict.fromkeys(range(15, 21), "")},
        14,
        "fitt_vp: must be given where the module is fitt_vip",
    ),
    "fitt_vp in another module": (
        {8: "    module: home"},
        14,
        "fitt_vp: must be left out where the module is not fitt_vip",
    ),
    "fitt_vp no mapping": (
        {14: "    fitt_vp: daily", **dict.fromkeys(range(15, 21), "")},
        14,
        f'fitt_vp: must be a mapping with the fields {FITT_VP}, not "daily"',
    ),
    "dose element missing": ({15: ""}, 14, f"frequency: is missing; fitt_vp must have {FITT_VP}"),
    "dose element unknown": (
        {16: "      intensity: null\n      dose: low"},
        17,
        f"dose: is no field of fitt_vp, which has {FITT_VP}",
    ),
    "dose element a number": (
        {15: "      frequency: 3"},
        15,
        'frequency: must be text, put it in quotes: "3" is a number without them',
    ),
    "dose element empty": (
        {15: '      frequency: ""'},
        15,
        "frequency: must have 1 to 500 characters, has 0",
    ),
    "evidence no mapping": (
        {21: "    evidence: strong", 22: "", 23: "", 24: ""},
        21,
        f'evidence: must be a mapping with the fields {EVIDENCE}, not "strong"',
    ),
    "certainty unknown": (
        {22: "      certainty: some"},
        22,
        'certainty: must be one of high, moderate, low, very_low, not_graded, not "some"',
    ),
    "recommendation empty": (
        {23: "      recommendation:"},
        23,
        (
            "recommendation: must be one of strong_for, conditional_for, conditional_against,"
            " strong_against, not_stated, but is empty"
        ),
    ),
    "source grade missing": (
        {24: ""},
        21,
        f"source_grade: is missing; evidence must have {EVIDENCE}",
    ),
    "references of an intervention empty": (
        {25: "    references: []"},
        25,
        "references: must have at least one entry",
    ),
    "references of an intervention no list": (
        {25: "    references: kolasinski-2020"},
        25,
        'references: must be a list, such as [kolasinski-2020], not "kolasinski-2020"',
    ),
    "reference key undefined": (
        {25: "    references:\n      - kolasinski-2020\n      - who-2020"},
        27,
        "references: who-2020 is not defined; the references are kolasinski-2020, nice-2022",
    ),
    "reference key repeated": (
        {25: "    references:\n      - kolasinski-2020\n      - kolasinski-2020"},
        27,
        "references: must not repeat kolasinski-2020",
    ),
    "reference key null": (
        {25: "    references: [null]"},
        25,
        "references: must list keys, but is null",
    ),
    "reference unused": (
        {37: "    references: [kolasinski-2020]"},
        47,
        "references: nice-2022 is used by no intervention, remove it",
    ),
    "references missing": (
        dict.fromkeys(range(38, 54), ""),
        1,
        f"references: is missing; a diagnosis must have {DIAGNOSIS}",
    ),
    "references no mapping": (
        {38: "references: []", **dict.fromkeys(range(39, 54), "")},
        38,
        "references: must be a mapping of keys to references, but is a list",
    ),
    "reference no mapping": (
        {47: "  nice-2022: NICE", **dict.fromkeys(range(48, 54), "")},
        47,
        f'nice-2022: must be a mapping with the fields {REFERENCE}, not "NICE"',
    ),
    "reference field missing": (
        {41: ""},
        39,
        f"authors: is missing; a reference must have {REFERENCE_NEEDS}",
    ),
    "reference field unknown": (
        {46: '    PMID: "31908163"'},
        46,
        f"PMID: is no field of a reference, which has {REFERENCE}",
    ),
    "year in quotes": (
        {42: '    year: "2020"'},
        42,
        'year: must be a whole number without quotes, such as 2020, not "2020"',
    ),
    "year octal": (
        {42: "    year: 02020"},
        42,
        'year: must be a whole number without quotes, such as 2020, not "02020"',
    ),
    "year out of range": ({42: "    year: 1066"}, 42, "year: must be a year from 1800 to 2200"),
    "kind unknown": (
        {44: "    kind: book"},
        44,
        (
            "kind: must be one of guideline, systematic_review, randomised_trial, cohort_study,"
            ' diagnostic_accuracy_study, consensus_statement, not "book"'
        ),
    ),
    "doi with a resolver": (
        {45: "    doi: https://doi.org/10.1002/art.41142"},
        45,
        "doi: must be a DOI without a resolver before it, such as 10.1002/art.41142",
    ),
    "pmid without quotes": (
        {46: "    pmid: 31908163"},
        46,
        'pmid: must be text, put it in quotes: "31908163" is a number without them',
    ),
    "pmid no number": (
        {46: '    pmid: "PMC1"'},
        46,
        'pmid: must be a PubMed number in quotes, such as "31908163"',
    ),
    "url no address": (
        {53: "    url: www.nice.org.uk"},
        53,
        "url: must be an address that begins with https:// or http://",
    ),
    "neither doi nor pmid nor url": (
        {53: ""},
        47,
        "url: must be given where there is neither a doi nor a pmid",
    ),
    "only a doi, which cannot be read": (
        {53: "    doi: 10.1002"},
        53,
        'doi: must be text, put it in quotes: "10.1002" is a number without them',
    ),
    "a field given twice": (
        {10: "    title: abc\n    title: de"},
        11,
        "title: is given twice, first on line 10",
    ),
    "a block given twice": (
        {6: "interventions: []\ninterventions:"},
        7,
        "interventions: is given twice, first on line 6",
    ),
    "the references given twice": (
        {38: "references: {}\nreferences:"},
        39,
        "references: is given twice, first on line 38",
    ),
    "a reference defined twice": (
        {38: "references:\n  nice-2022: null"},
        48,
        "nice-2022: is given twice, first on line 39",
    ),
}


@pytest.mark.parametrize(("changes", "line", "message"), CASES.values(), ids=CASES.keys())
def test_a_fault_is_told_once_at_its_line(
    changes: dict[int, str], line: int, message: str, tmp_path: Path
) -> None:
    """With what is allowed there, and with nothing said of what follows from it."""
    assert faults_in_text(tmp_path, knee_with(changes)) == [(line, message)]


def test_the_valid_file_has_no_fault(tmp_path: Path) -> None:
    """The cases above spoil a file that is sound."""
    (tmp_path / "knee.yaml").write_text(KNEE)

    assert [entry.diagnosis.id for entry in read(tmp_path).entries] == ["knee-osteoarthritis"]


def test_every_unknown_and_every_missing_field_is_told(tmp_path: Path) -> None:
    """A mistyped name is both: one field too many and one too few."""
    assert faults_in_text(tmp_path, knee_with({2: "nme: Knee", 5: "modules: []"})) == [
        (1, f"name: is missing; a diagnosis must have {DIAGNOSIS}"),
        (1, f"enabled_modules: is missing; a diagnosis must have {DIAGNOSIS}"),
        (2, f"nme: is no field of a diagnosis, which has {DIAGNOSIS}"),
        (5, f"modules: is no field of a diagnosis, which has {DIAGNOSIS}"),
    ]


def test_a_long_list_of_references_is_told_in_part(tmp_path: Path) -> None:
    """A message stays short, however many references there are."""
    more = "\n".join(f"  k{number}: {{}}" for number in range(20))
    faults = faults_in_text(
        tmp_path, knee_with({25: "    references: [x]", 38: f"references:\n{more}"})
    )

    assert (
        25,
        (
            "references: x is not defined; the references are"
            " k0, k1, k2, k3, k4, k5, k6, k7, k8, k9 and 12 more"
        ),
    ) in faults


def test_keys_of_references_may_look_like_numbers(tmp_path: Path) -> None:
    """A key is only a name within its file."""
    (tmp_path / "knee.yaml").write_text(KNEE.replace("nice-2022", "2022"))

    assert len(read(tmp_path).entries) == 1


def test_outer_white_space_is_no_fault(tmp_path: Path) -> None:
    """Such as the line break that a block leaves at its end."""
    text = knee_with({2: 'name: " Knee osteoarthritis\\n"', 11: "    summary: >"})
    (tmp_path / "a.txt").write_text(text)
    (tmp_path / "b.txt").write_text(KNEE)

    assert read(tmp_path / "a.txt").version == read(tmp_path / "b.txt").version


def test_ids_are_unique_within_a_file(tmp_path: Path) -> None:
    """The fault stands at the second and names the first."""
    assert faults_in_text(tmp_path, knee_with({26: "  - id: knee-osteoarthritis-strength"})) == [
        (
            26,
            (
                'id: must be unique, "knee-osteoarthritis-strength" is also the id in '
                f"{tmp_path / 'file.yaml'}:7"
            ),
        )
    ]


def test_ids_are_unique_within_a_line(tmp_path: Path) -> None:
    """JSON is YAML too, and may stand on one line; so may what an alias stands for."""
    content = yaml.safe_load(KNEE)
    content["interventions"][1]["id"] = content["interventions"][0]["id"]
    aliased = KNEE.replace("  - id: knee-osteoarthritis-home", "  - &a\n    id: knee-1").replace(
        "references:\n  kol", "  - *a\nreferences:\n  kol"
    )
    place = tmp_path / "file.yaml"

    assert faults_in_text(tmp_path, json.dumps(content)) == [
        (1, f'id: must be unique, "knee-osteoarthritis-strength" is also the id in {place}:1')
    ]
    assert faults_in_text(tmp_path, aliased) == [
        (27, f'id: must be unique, "knee-1" is also the id in {place}:27')
    ]


def test_ids_are_unique_over_all_files(tmp_path: Path) -> None:
    """Those of diagnoses and those of interventions, whether or not the files have other faults."""
    first, second = tmp_path / "1.yaml", tmp_path / "2.yaml"
    first.write_text(knee_with({9: "    phase: never"}))
    second.write_text(knee_with({7: "  - id: knee-osteoarthritis-other"}))

    assert faults_in(tmp_path) == (
        FileFault(str(first), 9, 'phase: must be one of acute, subacute, chronic, not "never"'),
        FileFault(
            str(second), 1, f'id: must be unique, "knee-osteoarthritis" is also the id in {first}:1'
        ),
        FileFault(
            str(second),
            26,
            f'id: must be unique, "knee-osteoarthritis-home" is also the id in {first}:26',
        ),
    )


def test_all_faults_are_told_at_once(tmp_path: Path) -> None:
    """No fault hides another, in the same file or in the next."""
    changes = {
        1: "id: Knee",
        2: "name: 12",
        3: "icd10: [x, 17]",
        4: "icd11: []",
        5: "enabled_modules: [fitt_vip, hme]",
        7: "  - id: A",
        8: "    module: none",
        9: "    phase: [chronic]",
        10: "    title: abc",
        13: "",
        15: "      frequency: 3",
        22: "      certainty: sure",
        25: "    references: [who-2020]",
        28: "    when: acute",
        36: "      source_grade: 2",
        42: "    year: 20",
        45: "    doi: art.41142",
        53: "    url: ftp://example.org",
    }
    (tmp_path / "1.yaml").write_text(knee_with(changes))
    (tmp_path / "2.yaml").write_text("a: [")
    (tmp_path / "3.yaml").write_text(knee_with({44: "    kind: book"}))

    faults = faults_in(tmp_path)

    # The summary of line 11 has lost line 13, so what follows stands one line higher.
    assert [(path.name, line) for path, line in ((Path(f.file), f.line) for f in faults)] == [
        *(("1.yaml", line) for line in (1, 2, 3, 3, 4, 5, 7, 8, 9, 10, 11)),
        *(("1.yaml", line) for line in (14, 21, 24, 25, 27, 35, 41, 44, 52)),
        ("2.yaml", 1),
        ("3.yaml", 26),
        ("3.yaml", 44),
    ]
