"""The certainty of evidence, recommendations, and references."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated
from urllib.parse import quote

from evref.domain.declaration import Declared, Example, Line, Named, Pattern, Prose, Range
from evref.domain.rules import Rules

# The characters of DOIs that need no encoding in the path of a URL (RFC 3986).
_PLAIN_IN_PATH = "/:@!$&'()*+,;="


class Certainty(StrEnum):
    """The certainty of the evidence, in the terms of GRADE."""

    HIGH = "high"
    MODERATE = "moderate"
    LOW = "low"
    VERY_LOW = "very_low"
    NOT_GRADED = "not_graded"


class Recommendation(StrEnum):
    """The direction and strength of the recommendation, in the terms of GRADE."""

    STRONG_FOR = "strong_for"
    CONDITIONAL_FOR = "conditional_for"
    CONDITIONAL_AGAINST = "conditional_against"
    STRONG_AGAINST = "strong_against"
    NOT_STATED = "not_stated"

    @property
    def strength(self) -> str:
        return "unstated" if self is Recommendation.NOT_STATED else self.partition("_")[0]

    @property
    def direction(self) -> Direction | None:
        """The direction that it implies; None if it is not stated."""
        return None if self is Recommendation.NOT_STATED else Direction(self.partition("_")[2])


class Direction(StrEnum):
    """What the sources say about using an intervention."""

    FOR = "for"
    AGAINST = "against"
    UNCLEAR = "unclear"


class CardGroup(StrEnum):
    """What the sources say about an intervention, as the card of a diagnosis groups it."""

    RECOMMENDED = "recommended"
    TO_CONSIDER = "to_consider"
    SUPPORTED = "supported"
    ADVISED_AGAINST = "advised_against"
    NO_BENEFIT_FOUND = "no_benefit_found"
    UNCLEAR = "unclear"


_BY_RECOMMENDATION = {
    Recommendation.STRONG_FOR: CardGroup.RECOMMENDED,
    Recommendation.CONDITIONAL_FOR: CardGroup.TO_CONSIDER,
    Recommendation.CONDITIONAL_AGAINST: CardGroup.ADVISED_AGAINST,
    Recommendation.STRONG_AGAINST: CardGroup.ADVISED_AGAINST,
}
_BY_DIRECTION = {
    Direction.FOR: CardGroup.SUPPORTED,
    Direction.AGAINST: CardGroup.NO_BENEFIT_FOUND,
    Direction.UNCLEAR: CardGroup.UNCLEAR,
}


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
class Evidence(Declared):
    """The certainty of the evidence, the recommendation, and the direction of the sources."""

    certainty: Annotated[Certainty, "GRADE certainty; not_graded if the source states none."]
    recommendation: Annotated[
        Recommendation,
        "What the source recommends, and how strongly; not_stated if no recommendation was seen, "
        "or if guidelines contradict each other.",
    ]
    direction: Annotated[
        Direction,
        "What the sources say about using the intervention, even without a recommendation. "
        "It agrees with the direction of the recommendation, if there is one.",
    ]
    source_grade: Annotated[
        str | None,
        Prose(1, 500),
        "The grade in the words of the source; null if it gives none.",
        Example("ACR/AF 2019: strongly recommended"),
    ]
    source: Annotated[
        str | None,
        Line(3, 48),
        "The short name and year of the source that decides; null if none is named.",
        Example("ACR/AF 2019"),
    ] = None
    superseded: Annotated[
        bool,
        "Whether that edition was replaced, withdrawn or retired, or is inactive by its own rule.",
        Example(value=False),
    ] = False

    @property
    def group(self) -> CardGroup:
        """The group of the card: by the recommendation, or else by the direction."""
        return _BY_RECOMMENDATION.get(self.recommendation) or _BY_DIRECTION[self.direction]

    def check_together(self, rules: Rules) -> None:
        implied = self.recommendation.direction
        rules.require(
            implied in {None, self.direction},
            "direction",
            f"must be {implied} because the recommendation is {self.recommendation}",
        )


@dataclass(frozen=True, slots=True)
class Reference(Declared):
    """A publication that supports the intervention."""

    title: Annotated[
        str,
        Prose(1, 1000),
        "The published title.",
        Example("OARSI guidelines for the non-surgical management of knee osteoarthritis"),
    ]
    authors: Annotated[
        str,
        Prose(1, 1000),
        "The authors, shortened with “et al.” if there are many.",
        Example("Bannuru RR, Osani MC, Vaysbrot EE, et al."),
    ]
    year: Annotated[int, Range(1800, 2200), "Year of publication.", Example(2020)]
    source: Annotated[
        str,
        Prose(1, 500),
        "The journal, or the issuing body.",
        Example("Osteoarthritis and Cartilage"),
    ]
    kind: Annotated[ReferenceKind, "The kind of publication."]
    doi: Annotated[
        str | None,
        Pattern(
            r"10\.[0-9]{4,9}/\S+",
            "a DOI without a resolver, such as 10.1002/art.41142",
            longest=255,
        ),
        "The DOI, without a resolver; null if there is none.",
        Example("10.1002/art.41142"),
    ] = None
    pmid: Annotated[
        str | None,
        Pattern("[1-9][0-9]{0,8}", 'a PubMed id in quotes, such as "31908163"', longest=9),
        "The PubMed id; null if there is none.",
        Example("31908163"),
    ] = None
    given_url: Annotated[
        str | None,
        Named("url"),
        Pattern(
            r"https?://[^/\s]\S*", "an address that begins with https:// or http://", longest=2000
        ),
        "The address of the publication, if it has neither a DOI nor a PubMed id.",
    ] = None

    def normalise(self) -> None:
        if self.given_url is not None and self.given_url == self._derived_url:
            # A redundant URL must not change the version of the catalogue.
            object.__setattr__(self, "given_url", None)

    def check_together(self, rules: Rules) -> None:
        rules.require(
            bool(self.doi or self.pmid or self.given_url),
            "url",
            "is required if there is neither a doi nor a pmid",
        )

    def __str__(self) -> str:
        """Return the first author and the year, such as “Kolasinski 2020” or “NICE 2018”."""
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
