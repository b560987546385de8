"""The REST API as an interface of the service: problems are `application/problem+json`."""

from collections.abc import Iterator

from apiflask import APIBlueprint
from flask import Blueprint

from evref.adapters.inbound.rest import answers, openapi, parameters
from evref.adapters.inbound.rest.operations import JSON, LINES, ROOT, Operation
from evref.adapters.inbound.rest.parameters import NoQuery
from evref.adapters.inbound.rest.views import Views
from evref.adapters.inbound.web.host import Host, Interface
from evref.adapters.inbound.web.problems import json_problem


def _blueprints(host: Host) -> Iterator[Blueprint]:
    api, views = APIBlueprint("api", __name__, url_prefix=ROOT), Views(host)
    of_catalogue = [
        Operation(
            "/diagnoses", views.list_diagnoses, parameters.DiagnosesQuery, answers.DiagnosisList
        ),
        Operation(
            "/diagnoses/<id>",
            views.get_diagnosis,
            parameters.DiagnosisQuery,
            answers.DiagnosisAnswer,
        ),
        Operation(
            "/diagnoses/<id>/interventions",
            views.list_interventions,
            parameters.InterventionsQuery,
            answers.InterventionList,
        ),
        Operation(
            "/interventions",
            views.search_interventions,
            parameters.InterventionSearchQuery,
            answers.FoundInterventionList,
        ),
        Operation(
            "/interventions/<id>", views.get_intervention, NoQuery, answers.InterventionAnswer
        ),
        Operation("/changes", views.list_changes, parameters.ChangesQuery, answers.ChangeList),
        Operation("/catalogue", views.get_catalogue, NoQuery, answers.Catalogue, (JSON, LINES)),
    ]
    of_key = Operation("/limit", views.get_limit, NoQuery, answers.LimitAnswer)
    for operation in of_catalogue:
        operation.add_to(api, host.endpoint(*operation.media_types))
    of_key.add_to(api, views.with_limit)
    yield api
    yield openapi.blueprint(host.settings.base_url, [*of_catalogue, of_key], host.example)


INTERFACE = Interface("/api", _blueprints, json_problem, cross_origin=True)
