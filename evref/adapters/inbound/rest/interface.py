"""The REST API as an interface of the service: problems are `application/problem+json`."""

from evref.adapters.inbound.web.interfaces import HttpInterface, json_problem

REST_API = HttpInterface("/api", json_problem, cross_origin=True)
