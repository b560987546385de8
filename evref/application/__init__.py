"""The use cases, one per module. They depend on ports, not on HTTP, SQL or a framework."""
