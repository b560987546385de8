"""Problems in XML or JSON, like the responses.

The guides define no format for errors, so these are problem details (RFC 9457): in XML as in its
appendix B, or in JSON if the request asks for JSON.
"""

from typing import Any
from urllib.parse import parse_qsl
from wsgiref.types import WSGIEnvironment
from xml.etree import ElementTree as ET

from werkzeug.datastructures import MultiDict

from evref.adapters.inbound.infobutton.knowledge_request import JSON, response_type
from evref.adapters.inbound.web.atom import xml_text
from evref.adapters.inbound.web.interfaces import (
    json_problem,
    members,
    problem_response,
)
from evref.adapters.inbound.web.problems import ProblemDetails
from evref.adapters.inbound.web.representations import RawResponse

RESPONSE_TYPE = "evref.infobutton.response_type"
"""The requested response type in the environment; it may be in a form, which was read."""

_NAMESPACE = "urn:ietf:rfc:7807"


def render_problem(problem: ProblemDetails, environ: WSGIEnvironment) -> RawResponse:
    known = environ.get(RESPONSE_TYPE)
    if (known or response_type(MultiDict(parse_qsl(environ["QUERY_STRING"])))) == JSON:
        return json_problem(problem, environ)
    return problem_response(problem, "application/problem+xml", _xml(members(problem, environ)))


def _xml(problem: dict[str, Any]) -> str:
    root = ET.Element("problem", {"xmlns": _NAMESPACE})
    _fill(root, problem)
    return ET.tostring(root, encoding="unicode")


def _fill(element: ET.Element, value: Any) -> None:
    """Add an object's members as elements with their names, and a list's items as elements `i`."""
    if isinstance(value, dict):
        for name, member in value.items():
            _fill(ET.SubElement(element, name), member)
    elif isinstance(value, list):
        for item in value:
            _fill(ET.SubElement(element, "i"), item)
    else:
        element.text = xml_text(str(value))
