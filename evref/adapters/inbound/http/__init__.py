"""The HTTP adapter: what a request meets, in the order in which it meets it.

`served` (credentials, admission, kept answers, conditional response), then a view of
`diagnoses`; `parameters` and `schemas` say what goes in and out; `problems` and `errors` turn
what the core raises into problem details; `fields` adds what every response carries;
`description` finishes the OpenAPI document, from `components`, `enumerations` and `examples`;
`pages` and `health` are what needs no key; `observation` and `metrics` are what operators watch.
"""
