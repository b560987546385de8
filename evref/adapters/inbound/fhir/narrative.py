"""The narrative of a resource (R4, narrative); some viewers show nothing else."""

from collections.abc import Iterable
from html import escape

_XHTML = "http://www.w3.org/1999/xhtml"


def narrative(title: str, paragraphs: Iterable[str], items: Iterable[str] = ()) -> dict[str, str]:
    """Return a heading, paragraphs and a list of plain texts as escaped XHTML."""
    parts = [f"<p><b>{escape(title)}</b></p>"]
    parts += [f"<p>{escape(paragraph)}</p>" for paragraph in paragraphs]
    listed = "".join(f"<li>{escape(item)}</li>" for item in items)
    if listed:
        parts.append(f"<ul>{listed}</ul>")
    return {"status": "generated", "div": f'<div xmlns="{_XHTML}">{"".join(parts)}</div>'}
