"""The Evidence Reference Service.

The structure of the code, in the order in which a request passes through it:

1. `evref.bootstrap` starts the service: settings, wiring, the WSGI application, the server. 2.
`evref.adapters.inbound` handles the request: `rest` for programs, `pages` for people, `operations`
for monitoring. They share `web`: admission, cached responses, headers and problems. 3.
`evref.application` has the use cases, one per module. 4. `evref.domain` has the rules: filtering,
codes, access, quota. 5. `evref.ports` defines the interfaces that the core needs. 6.
`evref.adapters.outbound` implements them: SQL, Redis, memory, YAML files, the system.

`evref.cli` is the command line. `evref.testing` has the contract tests for adapters, including
those of third parties.
"""

__version__ = "0.2.0"
