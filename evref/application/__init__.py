"""The use cases: one verb each, written against the ports, knowing no HTTP, SQL or framework."""
