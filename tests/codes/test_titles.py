"""Titles of ICD-10-CM codes outside the catalogue find no diagnosis."""

from __future__ import annotations

import csv
import random
from pathlib import Path

from evref.domain.catalogue.record_code import Classification, Edition, read_part
from tests.codes import lists
from tests.pages.site import bundled
from tests.search.bundled import search


def finding(titles: list[str]) -> list[str]:
    """Return the titles that find a diagnosis."""
    return [title for title in titles if search().diagnoses_of_record(title).hits]


def test_few_titles_of_categories_that_are_not_in_the_catalogue_find_a_diagnosis() -> None:
    """There are 500 such categories."""
    catalogue = bundled()
    codes = [
        code
        for given in lists.icd10_cm()
        for code in read_part(Classification.ICD_10, given, Edition.CM)
    ]
    inside = {match.code.given[:3] for match in catalogue.matches(codes) if match.fits}
    titles = lists.icd10_cm_categories()
    outside = [category for category in titles if category not in inside]
    drawn = random.Random(0).sample(outside, 500)

    wrong = finding([titles[category] for category in drawn])

    assert len(wrong) <= 10, wrong


def test_few_titles_of_codes_that_mean_no_diagnosis_find_one() -> None:
    file = Path(lists.__file__).with_name("codes-icd-10-cm.tsv")
    with file.open(encoding="utf-8", newline="") as lines:
        titles = [
            title
            for _, title, _, relation in csv.reader(lines, csv.excel_tab, quoting=3)
            if relation == "none"
        ]

    wrong = finding(titles)

    assert len(wrong) <= 3, wrong
