"""The certainty of evidence, recommendations, and references."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import quote

from evref.domain.catalogue import bounds
from evref.domain.rules import Rules

# No white space, control characters or lone surrogates, which UTF-8 cannot encode.
_VISIBLE = r"[^\s\x00-\x1f\x7f-\x9f\ud800-\udfff]"
_DOI = re.compile(rf"10\.[0-9]{{4,9}}/{_VISIBLE}+")
_PMID = re.compile(r"[1-9][0-9]{0,8}")
_URL = re.compile(rf"https?://(?!/){_VISIBLE}+")

# The characters of DOIs that need no encoding in the path of a URL (RFC 3986).
_PLAIN_IN_PATH = "/:@!$&'()*+,;="


class Certainty(StrEnum):
    """GRADE certainty of the evidence; `not_graded` if the source states none."""

    HIGH = "high"
    MODERATE = "moderate"
    LOW = "low"
    VERY_LOW = "very_low"
    NOT_GRADED = "not_graded"


class Recommendation(StrEnum):
    """GRADE recommendation of the source; `not_stated` if it makes none."""

    STRONG_FOR = "strong_for"
    CONDITIONAL_FOR = "conditional_for"
    CONDITIONAL_AGAINST = "conditional_against"
    STRONG_AGAINST = "strong_against"
    NOT_STATED = "not_stated"


class Direction(StrEnum):
    """What the sources say about using an intervention, even without a recommendation."""

    FOR = "for"
    AGAINST = "against"
    UNCLEAR = "unclear"


_ABBREVIATIONS = {
    "European Medicines Agency": "EMA",
    "Medicines and Healthcare products Regulatory Agency": "MHRA",
    "National Institute for Health and Care Excellence": "NICE",
    "US Food and Drug Administration": "FDA",
    "US National Library of Medicine": "NLM",
    "US Preventive Services Task Force": "USPSTF",
    "World Health Organization": "WHO",
}
_MOST_INITIALS = 4


def surname_and_initials(author: str) -> tuple[str, str]:
    """Return both parts of a person's name; a body has no initials.

    >>> surname_and_initials("Martin Ginis KA")
    ('Martin Ginis', 'KA')
    >>> surname_and_initials("World Health Organization")
    ('World Health Organization', '')
    """
    surname, _, initials = author.rpartition(" ")
    is_person = surname and initials.isalpha() and initials.isupper()
    return (surname, initials) if is_person and len(initials) <= _MOST_INITIALS else (author, "")


_IMPLIED_DIRECTIONS = {
    Recommendation.STRONG_FOR: Direction.FOR,
    Recommendation.CONDITIONAL_FOR: Direction.FOR,
    Recommendation.CONDITIONAL_AGAINST: Direction.AGAINST,
    Recommendation.STRONG_AGAINST: Direction.AGAINST,
}


class ReferenceKind(StrEnum):
    """The kind of a publication."""

    GUIDELINE = "guideline"
    SYSTEMATIC_REVIEW = "systematic_review"
    RANDOMISED_TRIAL = "randomised_trial"
    COHORT_STUDY = "cohort_study"
    DIAGNOSTIC_ACCURACY_STUDY = "diagnostic_accuracy_study"
    CONSENSUS_STATEMENT = "consensus_statement"
    SAFETY_NOTICE = "safety_notice"
    """A regulator's notice or label."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """A grade of evidence; `source_grade` is the grade in the words of the source, or None.

    A stated recommendation determines the direction.

    Raises:
        InvalidValueError: If the direction contradicts the recommendation, or `source_grade`
            breaks a rule.

    """

    certainty: Certainty
    recommendation: Recommendation
    direction: Direction
    source_grade: str | None

    def __post_init__(self) -> None:
        rules = Rules()
        implied = _IMPLIED_DIRECTIONS.get(self.recommendation, self.direction)
        if self.direction is not implied:
            message = f"must be {implied} because the recommendation is {self.recommendation}"
            rules.refuse("direction", message)
        if self.source_grade is not None:
            rules.text("source_grade", self.source_grade, bounds.SOURCE_GRADE)
        rules.enforce()


@dataclass(frozen=True, slots=True)
class Reference:
    """A publication. At least one of `doi`, `pmid` and `given_url` is required.

    Raises:
        InvalidValueError: If any field breaks a rule.

    """

    title: str
    authors: str
    year: int
    source: str
    kind: ReferenceKind
    doi: str | None
    pmid: str | None
    given_url: str | None

    FIRST_YEAR = 1800
    LAST_YEAR = 2200

    def __post_init__(self) -> None:
        rules = Rules()
        rules.text("title", self.title, bounds.REFERENCE_TITLE)
        rules.text("authors", self.authors, bounds.AUTHORS)
        rules.text("source", self.source, bounds.SOURCE)
        if not self.FIRST_YEAR <= self.year <= self.LAST_YEAR:
            message = f"must be a year from {self.FIRST_YEAR} to {self.LAST_YEAR}"
            rules.refuse("year", message)
        if self.doi is not None:
            rules.require(
                _DOI.fullmatch(self.doi) is not None,
                "doi",
                "must be a DOI without a resolver, such as 10.1002/art.41142",
            )
        if self.pmid is not None:
            rules.require(
                _PMID.fullmatch(self.pmid) is not None,
                "pmid",
                'must be a PubMed id in quotes, such as "31908163"',
            )
        if self.given_url is not None:
            rules.require(
                _URL.fullmatch(self.given_url) is not None,
                "url",
                "must be an address that begins with https:// or http://",
            )
        rules.require(
            bool(self.doi or self.pmid or self.given_url),
            "url",
            "is required if there is neither a doi nor a pmid",
        )
        rules.enforce()
        if self.given_url is not None and self.given_url == self._derived_url:
            # A redundant URL must not change the version of the catalogue.
            object.__setattr__(self, "given_url", None)

    @property
    def short_name(self) -> str:
        """The first author and the year, such as “Kolasinski 2020” or “NICE 2018”."""
        first, _ = surname_and_initials(re.split("[,;(]", self.authors, maxsplit=1)[0].strip())
        return f"{_ABBREVIATIONS.get(first, first)} {self.year}"

    @property
    def url(self) -> str:
        """The address of the publication: as given, or else from the DOI or the PubMed id."""
        return self._derived_url if self.given_url is None else self.given_url

    @property
    def _derived_url(self) -> str:
        if self.doi is not None:
            return f"https://doi.org/{quote(self.doi, safe=_PLAIN_IN_PATH)}"
        return f"https://pubmed.ncbi.nlm.nih.gov/{self.pmid}/"
