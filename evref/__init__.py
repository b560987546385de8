"""The Evidence Reference Service.

A request passes through `bootstrap`, `adapters.inbound`, `application`, `ports` and
`adapters.outbound`; `domain` has the rules. docs/explanation/architecture.md is the map.
"""

__version__ = "0.2.0"
