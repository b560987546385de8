"""Runs `python -m evref_mcp`."""

from evref_mcp.main import main

main()
