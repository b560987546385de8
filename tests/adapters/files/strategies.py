"""What hypothesis draws: catalogues with text that is hard to write in YAML."""

import re

from hypothesis import strategies as st

from evref.domain.catalogue.catalogue import Catalogue, Entry
from evref.domain.catalogue.diagnosis import Diagnosis, Module, Review
from evref.domain.catalogue.evidence import (
    Certainty,
    Direction,
    Evidence,
    Recommendation,
    Reference,
    ReferenceKind,
)
from evref.domain.catalogue.finer_codes import CodeList, FinerCodes
from evref.domain.catalogue.icd import Icd10Code, Icd11Code
from evref.domain.catalogue.intervention import FittVp, Intervention, Phase

NASTY = [
    *("yes", "No", "ON", "y", "null", "Null", "~", "1e3", "1E+3", "12:30", "0x1F", "0o7", "1_0"),
    *("2020-01-01", ".5", ".inf", "-1", "=", "<<", "-", "- a", "? a", ": a", "a: b", "a:", "a #b"),
    *("#a", "a#", "a ##", "&a", "*a", "!a", "!!str a", "%a", "@a", "`a", "|", ">-", "[a]", "{a}"),
    *("'", "''", '"', '"a', "it's", 'a "b" c', "\\", "\\n", "a\\", "a, b", "---", "...", "--- a"),
    *("a\nb", "a\n\nb", "a\n\n\nb", "a\n b", "a \nb", "a\n- b", "a\n#b", "a  b", "a\n---\nb"),
    *("a\u2028b", "a\u2029b", "a\xa0b", "a\u3000b", "a\u200db", "a\ufeffb", "\ufeffa", "\ufffe"),
    *("\u202ea", "é", "e\u0301", "🦵", "👩‍⚕️", "\U0010ffff", "ß", "ﬁ", "²", "١٢", "a" * 119),
    *("word " * 23 + "word", "a" * 60 + " " + "b" * 59, "word " * 22 + "# word", "x" * 117 + " #"),
]

_characters = st.characters(exclude_categories=("Cc", "Cs")) | st.sampled_from("\n -:#'\"\\,&*")


def texts(shortest: int = 1, longest: int = 120) -> st.SearchStrategy[str]:
    """Trimmed text as the domain allows it, of a length within these limits."""

    def fitted(text: str) -> str:
        filled = text.strip() or "-"
        while len(filled) < shortest:
            filled = f"{filled} {filled} -"
        return filled[:longest].strip()

    return (
        (st.sampled_from(NASTY) | st.text(_characters, max_size=longest))
        .map(fitted)
        .filter(lambda text: shortest <= len(text) <= longest)
    )


def lines(shortest: int = 1) -> st.SearchStrategy[str]:
    return texts(shortest).map(lambda text: re.sub("[\n\u2028\u2029]", " ", text))


terms = st.dictionaries(
    st.sampled_from(["en", "de", "no"]),
    st.lists(lines(2).filter(lambda term: len(term) <= 80), min_size=1, max_size=3).map(
        lambda drawn: tuple({term.lower(): term for term in drawn}.values())
    ),
    max_size=2,
)
finer_codes = st.fixed_dictionaries(
    {},
    optional={
        CodeList.ICD_10_CM: st.sampled_from([FinerCodes(), FinerCodes(("M1A",), ("M17.1",))]),
        CodeList.ICD_11: st.just(FinerCodes((), ("1E30", "FA01.0"))),
    },
)


def slugs(longest: int) -> st.SearchStrategy[str]:
    return st.sampled_from(["1", "12", "1e3", "0x1f", "yes", "null", "on", "2020-01-01"]) | (
        st.from_regex("[a-z0-9]{1,9}(-[a-z0-9]{1,9}){0,4}", fullmatch=True).filter(
            lambda slug: len(slug) <= longest
        )
    )


_no_white_space = texts().map(lambda text: "".join(text.split()) or "-")
_authors = texts() | st.sampled_from(
    ["Martin Ginis KA, van der Scheer JW", "Smith J", "Smith AB", "Ørsted Å", "王明", "NICE"]
)
references = st.builds(
    Reference,
    title=texts(),
    authors=_authors,
    year=st.sampled_from([1800, 2020, 2021, 2200]),
    source=texts(),
    kind=st.sampled_from(ReferenceKind),
    doi=st.none() | _no_white_space.map(lambda text: f"10.1002/{text}"),
    pmid=st.just("31908163"),
    given_url=st.none() | _no_white_space.map(lambda text: f"https://example.org/{text}"),
)
_optional_texts = st.none() | texts(longest=500)
doses = st.builds(FittVp, *[_optional_texts] * 6)
evidences = st.builds(
    lambda graded, certainty, source_grade: Evidence(certainty, graded[0], graded[1], source_grade),
    st.sampled_from(
        [
            (Recommendation.STRONG_FOR, Direction.FOR),
            (Recommendation.STRONG_AGAINST, Direction.AGAINST),
            *((Recommendation.NOT_STATED, direction) for direction in Direction),
        ]
    ),
    st.sampled_from(Certainty),
    _optional_texts,
)


@st.composite
def catalogues(draw: st.DrawFn) -> Catalogue:
    """One to three diagnoses, of which some interventions are hidden."""
    pool = draw(st.lists(references, min_size=1, max_size=4))
    names = iter(draw(st.lists(slugs(96), min_size=6, max_size=6, unique=True)))
    entries = []
    for diagnosis_id in draw(st.lists(slugs(64), min_size=1, max_size=3, unique=True)):
        modules = draw(st.lists(st.sampled_from(Module), unique=True))
        interventions = []
        for _ in range(draw(st.integers(0, 2))):
            module = draw(st.sampled_from(Module))
            interventions.append(
                Intervention(
                    id=next(names),
                    diagnosis_id=diagnosis_id,
                    module=module,
                    phase=draw(st.sampled_from(Phase)),
                    title=draw(lines(5)),
                    summary=draw(texts(80, 700)),
                    fitt_vp=draw(doses) if module is Module.FITT_VIP else None,
                    evidence=draw(evidences),
                    references=tuple(
                        draw(st.lists(st.sampled_from(pool), min_size=1, max_size=3, unique=True))
                    ),
                    cautions=draw(st.none() | texts(40, 300)),
                )
            )
        diagnosis = Diagnosis(
            id=diagnosis_id,
            name=draw(lines()),
            icd10_codes=tuple(map(Icd10Code, draw(st.sampled_from([["M17"], ["Z09", "A00.12"]])))),
            icd11_codes=tuple(
                map(Icd11Code, draw(st.sampled_from([["FA01"], ["1A00", "8A80&XK8G"]])))
            ),
            enabled_modules=tuple(modules),
            checked_on=draw(st.dates()),
            terms=draw(terms),
            finer_codes=draw(finer_codes),
            reviewed=draw(st.none() | st.builds(Review, lines(), st.dates())),
        )
        entries.append(Entry(diagnosis, tuple(interventions)))
    return Catalogue(entries)
