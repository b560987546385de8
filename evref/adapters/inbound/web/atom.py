"""Atom feeds (RFC 4287) in XML, and in the JSON of MedlinePlus Connect, which has the same parts.

A feed is built in the JSON form: an object is an element, a list is a repeated element, a string is
an attribute, and the string `_value` is the content of an element.
"""

import re
from typing import Any, TypeAlias
from xml.etree import ElementTree as ET

from evref.adapters.inbound.web import representations

Element: TypeAlias = dict[str, Any]

_DECLARATION = '<?xml version="1.0" encoding="utf-8"?>\n'
_NAMESPACE = "http://www.w3.org/2005/Atom"
_OF_XML = {"xsi": "xmlns:xsi", "base": "xml:base", "lang": "xml:lang"}

# Characters that XML documents cannot contain, even escaped (XML 1.0, section 2.2).
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def content(value: str) -> Element:
    return {"_value": value}


def text(value: str, kind: str = "text") -> Element:
    """Return a text construct (RFC 4287, section 3.1), of type `text` or `html`."""
    return {"type": kind, "_value": value}


def as_json(feed: Element) -> bytes:
    return representations.as_json({"feed": feed})


def as_xml(feed: Element) -> bytes:
    root = ET.Element("feed", {"xmlns": _NAMESPACE})
    _fill(root, feed)
    return (_DECLARATION + ET.tostring(root, encoding="unicode")).encode()


def _fill(element: ET.Element, parts: Element) -> None:
    for name, part in parts.items():
        if name == "_value":
            element.text = _xml_text(part)
        elif isinstance(part, str):
            element.set(_OF_XML.get(name, name), _xml_text(part))
        else:
            for child in part if isinstance(part, list) else [part]:
                _fill(ET.SubElement(element, name), child)


def _xml_text(value: str) -> str:
    """Return the text with U+FFFD in place of characters that XML does not allow."""
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", value)
