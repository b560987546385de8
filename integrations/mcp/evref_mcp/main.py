"""The command evref-mcp: serves one assistant on standard input and output."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from importlib.metadata import version

from mcp.server.stdio import stdio_server

from evref_mcp.server import server
from evref_mcp.service import Service
from evref_mcp.settings import Settings, SettingsError

_WRONG_SETTING = 2


def main() -> None:
    """Run the command. It ends when the assistant closes standard input."""
    own_version = version("evref-mcp")
    parser = argparse.ArgumentParser(
        prog="evref-mcp",
        description="Lets an assistant read a service of evref over the Model Context Protocol, on "
        "standard input and output. An assistant starts it. EVREF_URL is the address of the "
        "service, EVREF_KEY an API key.",
    )
    parser.add_argument("--version", action="version", version=f"evref-mcp {own_version}")
    parser.parse_args()
    try:
        settings = Settings.read(os.environ)
    except SettingsError as error:
        print(f"evref-mcp: {error}", file=sys.stderr)  # noqa: T201
        raise SystemExit(_WRONG_SETTING) from None
    try:
        asyncio.run(_serve(settings, own_version))
    except KeyboardInterrupt:
        # As a shell reports a program that Ctrl-C ended.
        raise SystemExit(130) from None


async def _serve(settings: Settings, own_version: str) -> None:
    async with Service.client(settings.key, own_version) as http:
        serving = server(Service(settings.url, http), own_version)
        async with stdio_server() as (incoming, outgoing):
            await serving.run(incoming, outgoing, serving.create_initialization_options())
