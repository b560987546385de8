"""The Evidence Reference Service.

The code map, in the order in which a request travels:

1. `evref.bootstrap` starts the service: settings, wiring, the WSGI application, the server.
2. `evref.adapters.inbound` takes the request: `rest` for programs, `pages` for people, `operations`
   for monitoring; `web` is what they share: admission, cached answers, headers, problems.
3. `evref.application` does what was asked, one use case a module.
4. `evref.domain` knows the rules: filtering, codes, access, quota.
5. `evref.ports` says what the core needs from outside, and
6. `evref.adapters.outbound` provides it: SQL, Redis, memory, YAML files, the system.

`evref.cli` is the command line, which starts all this. `evref.testing` holds every adapter to the
contract of its port, whoever wrote it.
"""

__version__ = "0.1.0"
