"""The grade of a source, shortened to its first statement: the grade, the source and the year."""

from __future__ import annotations

import re
from collections.abc import Sequence

from evref.domain.catalogue.evidence import Reference
from evref.domain.catalogue.intervention import Intervention

_LONGEST = 60
_LONG_REMARK = re.compile(r"\s*\([^()]{13,}\)")
_YEAR = re.compile(r"\b(?:1[89]|2[01])[0-9]{2}\b")
_END_OF_STATEMENT = re.compile(r"; |\. (?=[A-Z])")
_ALLIANCE = re.compile(r"\b([\w-]+)(?:/[\w-]+){2,}")
_NAME = re.compile(r"[A-Z][\w-]+")


def short_grade(intervention: Intervention) -> str | None:
    """Return such as “Class 1, level A · AHA 2022”; None if the source states no grade.

    The words are those of the source. What follows the first statement or a longer remark in
    parentheses is left out, and so are all but the first of three or more bodies. A year that the
    grade does not name is the year of the reference that the source's name fits.
    """
    whole = intervention.evidence.source_grade
    if whole is None:
        return None
    *sources, statement = whole.split(": ", maxsplit=1)
    first = _END_OF_STATEMENT.split(_LONG_REMARK.split(statement)[0])[0]
    grade = first.replace("level of evidence", "level")
    if len(grade) > _LONGEST:
        grade = grade[:_LONGEST].rpartition(" ")[0] + " …"
    grade = grade[:1].upper() + grade[1:]
    if not sources:
        return grade
    source = sources[0]
    years = _YEAR.findall(source)
    source = _ALLIANCE.sub(r"\1", _LONG_REMARK.split(source)[0].partition(",")[0])
    if not _YEAR.search(source):
        year = years[0] if years else _year_of(source, intervention.references)
        source = f"{source} {year}" if year else source
    return f"{grade} · {source}"


def _year_of(source: str, references: Sequence[Reference]) -> str:
    names = _NAME.findall(source)
    for wanted in (names, names[:1]):
        for work in references:
            text = f"{work.short_name} {work.source} {work.title}"
            if wanted and all(name in text for name in wanted):
                return str(work.year)
    return ""
