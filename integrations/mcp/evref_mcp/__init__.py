"""Lets an assistant read a service of evref over the Model Context Protocol (MCP).

`main` is the command, a server with the tools that `tools` defines; `settings` reads the
environment; `service` is the HTTP client of the service; `records` are its records; `answers` makes
the structured answers of them; `wording` is all text that an assistant reads, except the
descriptions of arguments.
"""
