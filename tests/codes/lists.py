"""Code lists for tests: ICD-10-CM as published, and codes with the diagnoses that they mean."""

from __future__ import annotations

import csv
import warnings
from functools import cache
from pathlib import Path
from typing import Any


@cache
def _package() -> Any:
    # Imported here, because it takes seconds, and few tests need it.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        import simple_icd_10_cm  # noqa: PLC0415
    return simple_icd_10_cm


@cache
def icd10_cm() -> tuple[str, ...]:
    """Return every category and subdivision of ICD-10-CM, with dots."""
    codes = _package().get_all_codes(with_dots=True)
    return tuple(code for code in codes if _package().is_category_or_subcategory(code))


def icd10_cm_categories() -> dict[str, str]:
    """Return the title of every category of ICD-10-CM, by its code."""
    codes = filter(_package().is_category, _package().get_all_codes())
    return {code: _package().get_description(code) for code in codes}


def judged_codes() -> list[tuple[str, dict[str, str]]]:
    """Return codes of ICD-10-CM, each with its relation to the diagnosis that it means, if any.

    The people who chose them did not write which codes the catalogue includes.
    """
    file = Path(__file__).with_name("codes-icd-10-cm.tsv")
    with file.open(encoding="utf-8", newline="") as lines:
        return [
            (code, {} if relation == "none" else {diagnosis: relation})
            for code, _, diagnosis, relation in csv.reader(lines, csv.excel_tab, quoting=3)
        ]
