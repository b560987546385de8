"""The Evidence Reference Service.

The code map, in the order in which a request travels:

1. `evref.app` builds the Flask application, with nothing happening at import.
2. `evref.adapters.inbound.http` takes the request: guard, view, representation, problem details;
   `evref.adapters.inbound.settings_pages` does for the pages of the institution settings.
3. `evref.application` does what was asked, one use case a module.
4. `evref.domain` knows the rules: filtering, codes, access, quota.
5. `evref.ports` says what the core needs from outside, and
6. `evref.adapters.outbound` provides it: SQL, Redis, memory, YAML files, the system.

`evref.container` alone knows both sides, `evref.settings` alone reads the environment, and
`evref.adapters.inbound.cli` is the command line. `evref.server` runs gunicorn, and
`evref.logs` says how the log is written. `evref.testing` holds every adapter to the contract of its
port, whoever wrote it.
"""

__version__ = "0.1.0"
