"""The operations of the API: their paths, views, parameters and answers."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, TypeAlias

from apiflask import APIBlueprint
from flask import Response, jsonify
from marshmallow import RAISE

from evref.adapters.inbound.rest.parameters import StrictQuery
from evref.adapters.inbound.rest.records import renderer

ROOT = "/api/v1"
JSON, LINES = "application/json", "application/x-ndjson"

View: TypeAlias = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation of the API; `openapi.toml` has what the document says about it.

    `view` gets what the endpoint passes on, and the parsed `query`, by name. It returns a value of
    the record `answer`, or a response. Its docstring is the summary and the description of the
    operation.
    """

    path: str
    view: View
    query: type[StrictQuery]
    answer: type
    media_types: tuple[str, ...] = (JSON,)

    @property
    def id(self) -> str:
        """The name of the view, such as `listDiagnoses`."""
        first, *others = self.view.__name__.split("_")
        return first + "".join(map(str.title, others))

    def add_to(self, api: APIBlueprint, endpoint: Callable[[View], View]) -> None:
        view = endpoint(self.responding(api))
        api.add_url_rule(self.path, self.view.__name__, view)

    def responding(self, api: APIBlueprint) -> View:
        """Return the view that parses the query and renders the answer."""
        render = renderer(self.answer)

        @api.doc(operation_id=self.id)
        @api.input(self.query, location="query", arg_name="query", unknown=RAISE)
        @wraps(self.view)
        def respond(query: dict[str, Any], **arguments: Any) -> Response:
            answer = self.view(**arguments, **query)
            if isinstance(answer, Response):
                return answer
            return jsonify(render(answer))

        view: View = respond
        return view
