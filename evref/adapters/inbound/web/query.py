"""The query parameters of a page. Invalid parameters filter nothing, and the page says so.

Campaign parameters such as utm_source are ignored, because people share URLs that have them.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import Any, TypeVar
from urllib.parse import urlencode

from flask import g, request
from werkzeug.datastructures import MultiDict
from werkzeug.exceptions import UnsupportedMediaType

from evref.adapters.inbound.web.problems import InvalidParametersError, ParameterFault
from evref.domain.catalogue.search.found import LONGEST_TEXT
from evref.domain.redaction import has_key

ITEMS_A_PAGE = 50
FEW_ITEMS = 12
"""Up to this number of items, a list has no search field."""
_MOST_BYTES_POSTED = 16 * 1024

T = TypeVar("T")

Parse = Callable[[str], Any]
"""Returns the value of a parameter; raises ValueError, which says what the parameter must be."""

_OF_A_CAMPAIGN = re.compile(r"utm_.*|mc_.*|fbclid|gclid", re.DOTALL)


def one_of(*values: StrEnum | str) -> Parse:

    def parse(text: str) -> StrEnum | str:
        chosen = next((value for value in values if value == text), None)
        if chosen is None:
            raise ValueError(f"must be one of {', '.join(values)}")
        return chosen

    return parse


def whole_number(text: str) -> int:
    if re.fullmatch("[1-9][0-9]{0,8}", text) is None:
        raise ValueError("must be a whole number from 1")
    return int(text)


def words(text: str, longest: int = LONGEST_TEXT) -> str:
    """Return the text of a search field. Browsers also send empty fields, which mean no search."""
    if len(text) > longest:
        raise ValueError(f"must have at most {longest} characters")
    if has_key(text):
        raise ValueError("must not contain an API key")
    return " ".join(text.split())


def parse(parameters: Mapping[str, Parse]) -> dict[str, Any]:
    """Return the parameters of the current request; none of them if any is invalid.

    Otherwise a page that applies only some of its filters would seem to apply all of them.
    """
    read_values: dict[str, Any] = {}
    faults: dict[str, None] = {}
    for name, texts in request.args.lists():
        if name not in parameters:
            if _OF_A_CAMPAIGN.fullmatch(name) is None:
                has = f"only {', '.join(parameters)}" if parameters else "none"
                faults[f"an unknown parameter (this page has {has})"] = None
        elif len(texts) > 1:
            faults[f"{name}, which must be given once"] = None
        else:
            try:
                read_values[name] = parameters[name](texts[0])
            except ValueError as error:
                faults[f"{name}, which {error}"] = None
    g.not_understood = tuple(faults)
    return {} if faults else {name: value for name, value in read_values.items() if value}


def posted_or_sent() -> MultiDict[str, str]:
    """Return the parameters of the address, and of a posted form of at most 16 KiB."""
    if request.method != "POST":
        return request.args
    has_body = bool(request.content_length or request.headers.get("Transfer-Encoding"))
    if has_body and request.mimetype != "application/x-www-form-urlencoded":
        raise UnsupportedMediaType
    request.max_content_length = request.max_form_memory_size = _MOST_BYTES_POSTED
    return MultiDict([*request.args.items(multi=True), *request.form.items(multi=True)])


def refuse_parameters() -> None:
    """Raise InvalidParametersError if the request has a query: a file has one address."""
    faults = [
        ParameterFault(name, "is not a parameter of this address", ()) for name in request.args
    ]
    if faults:
        raise InvalidParametersError(*faults)


def not_understood() -> tuple[str, ...]:
    """Return messages about the invalid parameters, which never repeat the client's text."""
    if "not_understood" not in g:
        parse({})
    faults: tuple[str, ...] = g.not_understood
    return faults


def page_of(items: Sequence[T], number: int) -> tuple[Sequence[T], int, int]:
    """Return the items on a page, or on the last one, its number, and the number of pages."""
    pages = max(1, -(-len(items) // ITEMS_A_PAGE))
    number = min(number, pages)
    return items[(number - 1) * ITEMS_A_PAGE : number * ITEMS_A_PAGE], number, pages


def normalized(parameters: Mapping[str, str]) -> str:
    return urlencode(sorted(parameters.items()))
