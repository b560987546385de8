"""Titles of ICD-10-CM that mean no diagnosis of the catalogue find none."""

from __future__ import annotations

import csv
import random
import warnings
from pathlib import Path

from evref.domain.catalogue.record_code import Classification, Edition, read_part
from tests.domain.catalogue import lists
from tests.pages.site import bundled
from tests.search.bundled import search

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # on being loaded
    import simple_icd_10_cm


def finding(titles: list[str]) -> list[str]:
    """Those of the titles that find a diagnosis."""
    return [title for title in titles if search().diagnoses_of_record(title)]


def test_few_titles_of_categories_that_are_not_in_the_catalogue_find_a_diagnosis() -> None:
    """Of 500 categories of which no code finds a diagnosis."""
    catalogue = bundled()
    codes = [
        code
        for each in lists.icd10_cm()
        for code in read_part(Classification.ICD_10, each, Edition.CM)
    ]
    inside = {match.code.given[:3] for match in catalogue.matches(codes) if match.fits}
    categories = [
        each for each in simple_icd_10_cm.get_all_codes() if simple_icd_10_cm.is_category(each)
    ]
    outside = [each for each in categories if each not in inside]
    drawn = random.Random(0).sample(outside, 500)

    found = finding([simple_icd_10_cm.get_description(each) for each in drawn])

    assert len(found) <= 10, found


def test_few_titles_of_codes_that_mean_no_diagnosis_find_one() -> None:
    file = Path(lists.__file__).with_name("codes-icd-10-cm.tsv")
    with file.open(encoding="utf-8", newline="") as lines:
        titles = [
            title
            for _, title, _, relation in csv.reader(lines, csv.excel_tab, quoting=3)
            if relation == "none"
        ]

    found = finding(titles)

    assert len(found) <= 3, found
