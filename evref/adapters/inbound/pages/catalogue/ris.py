"""The references of a diagnosis in RIS, the format of reference managers."""

from collections.abc import Iterable, Iterator

from evref.domain.catalogue.evidence import Reference, surname_and_initials

MEDIA_TYPE = "application/x-research-info-systems"


def as_ris(references: Iterable[Reference]) -> str:
    """Return the records; each line is a tag of two characters and its value."""
    return "".join(
        f"{tag}  - {' '.join(value.split())}\r\n"
        for reference in references
        for tag, value in _fields(reference)
    )


def _fields(reference: Reference) -> Iterator[tuple[str, str]]:
    yield "TY", "JOUR" if reference.doi or reference.pmid else "RPRT"
    for author in _authors(reference.authors):
        yield "AU", author
    yield "TI", reference.title
    yield "T2", reference.source
    yield "PY", str(reference.year)
    if reference.doi is not None:
        yield "DO", reference.doi
    if reference.pmid is not None:
        yield "AN", reference.pmid
    yield "UR", reference.url
    yield "ER", ""


def _authors(authors: str) -> Iterator[str]:
    """Yield persons as “Surname, initials”; an organisation is one author."""
    names = [name.strip() for name in authors.removesuffix("et al.").split(",") if name.strip()]
    separated = [surname_and_initials(name) for name in names]
    is_body = not any(initials for _, initials in separated)
    yield from [authors] if is_body else (", ".join(filter(None, parts)) for parts in separated)
