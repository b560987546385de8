"""The operations of the API: their views, and what the OpenAPI document says about them."""

from collections.abc import Callable
from dataclasses import dataclass, field
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """An operation of the API.

    `view` gets what the endpoint passes on and the parsed `query`. It returns a value of the record
    `answer`, or a response. `description` describes this answer, and `example` is a request whose
    answer the document shows, as path and query; None if it shows the examples of the fields.
    `failures` are those of the document that not every operation has, and `id_in_path` is its
    parameter for the id in the path. The summary and the description of
    the operation are the docstring of its view.
    """

    id: str
    path: str
    query: type[StrictQuery]
    view: View
    answer: type
    description: str
    example: str | None = None
    failures: tuple[str, ...] = ("403", "429")
    links: dict[str, Any] = field(default_factory=dict)
    media_types: tuple[str, ...] = (JSON,)
    tag: str = "Catalogue"
    id_in_path: str = "DiagnosisId"

    def add_to(self, api: APIBlueprint, endpoint: Callable[[View], View]) -> None:
        """Serve the operation at an endpoint of the blueprint."""
        view = endpoint(self.responding(api))
        api.add_url_rule(self.path, self.view.__name__, view)

    def responding(self, api: APIBlueprint) -> View:
        """Return the view that parses the query and renders the answer."""
        render = renderer(self.answer)

        @api.doc(operation_id=self.id, tags=[self.tag])
        @api.input(self.query, location="query", arg_name="query", unknown=RAISE)
        @wraps(self.view)
        def respond(**arguments: Any) -> Response:
            answer = self.view(**arguments)
            if isinstance(answer, Response):
                return answer
            return jsonify(render(answer))

        view: View = respond
        return view
