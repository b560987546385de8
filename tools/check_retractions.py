"""Lists the citations in catalogue files of works that Retraction Watch's list has as retracted.

The list is the CSV file that Crossref publishes. The exit status is 1 if there are such citations,
and 2 if the list or the catalogue cannot be read.
"""

from __future__ import annotations

import argparse
import csv
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from evref.adapters.outbound.files import YamlCatalogueFiles
from evref.domain.catalogue.catalogue import Catalogue
from evref.ports.catalogue import InvalidCatalogueError

COLUMNS = ("OriginalPaperDOI", "OriginalPaperPubMedID", "RetractionNature", "RetractionDate")
STILL_VALID = {"correction", "reinstatement"}
RESOLVER = re.compile(r"^(https?://(dx\.)?doi\.org/|doi: *)", re.IGNORECASE)


def read_notices(lines: Iterable[str]) -> dict[str, dict[str, None]]:
    """Return what happened to each work, by its DOI in lower case and by its PubMed id.

    Raises:
        ValueError: If it is not CSV, or has no such column.

    """
    notices: dict[str, dict[str, None]] = defaultdict(dict)
    rows = csv.DictReader(lines)
    missing = [name for name in COLUMNS if name not in (rows.fieldnames or ())]
    if missing:
        raise ValueError(f"has no column {', '.join(missing)}")
    try:
        for row in rows:
            doi, pmid, nature, date = ((row[name] or "").strip() for name in COLUMNS)
            if nature.lower() not in STILL_VALID:
                for work in (RESOLVER.sub("", doi).lower(), pmid):
                    # The list has “unavailable” and 0 for what is unknown.
                    if work not in {"", "0", "unavailable"}:
                        notices[work][f"{nature.lower()} on {iso(date)}"] = None
    except csv.Error as error:
        raise ValueError(f"is not CSV: {error}") from error
    return notices


def iso(date: str) -> str:
    """Return a date such as 9/30/2021 0:00 as 2021-09-30, and any other text unchanged."""
    match = re.match(r"([0-9]{1,2})/([0-9]{1,2})/([0-9]{4})\b", date)
    return f"{match[3]}-{int(match[1]):02}-{int(match[2]):02}" if match else date


def citations(catalogue: Catalogue, notices: Mapping[str, Iterable[str]]) -> Iterator[str]:
    """Yield a line for each notice about a work that an intervention cites."""
    for entry in catalogue.entries:
        for intervention in entry.interventions:
            for work in intervention.references:
                found = [
                    *notices.get((work.doi or "").lower(), ()),
                    *notices.get(work.pmid or "", ()),
                ]
                for notice in dict.fromkeys(found):
                    yield (
                        f"{entry.diagnosis.id}: {intervention.id} cites {work} "
                        f"({work.url}): {notice}"
                    )


def main() -> int:
    """Compare the files that the command line names; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("list", type=Path, help="the list of Retraction Watch")
    parser.add_argument("catalogue", type=Path, nargs="+", help="catalogue files and folders")
    arguments = parser.parse_args()
    try:
        # The list has texts in other encodings, but not in these columns.
        with arguments.list.open(encoding="utf-8-sig", errors="replace", newline="") as file:
            notices = read_notices(file)
        catalogue = YamlCatalogueFiles().read(arguments.catalogue)
    except InvalidCatalogueError as error:
        parser.error(f"{error.faults[0]}")
    except (OSError, ValueError) as error:
        parser.error(f"{arguments.list}: {error}")
    lines = list(citations(catalogue, notices))
    sys.stdout.writelines(f"{line}\n" for line in lines)
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
