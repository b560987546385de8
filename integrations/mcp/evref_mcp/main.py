"""The command evref-mcp: an MCP server for one assistant, on standard input and output."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from importlib.metadata import version
from typing import Any

from mcp import MCPError
from mcp.server import Server, ServerRequestContext
from mcp.server.stdio import stdio_server
from mcp.types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
)

from evref_mcp.service import Service
from evref_mcp.settings import Settings, SettingsError
from evref_mcp.tools import OPERATIONS
from evref_mcp.wording import INSTRUCTIONS

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
        server = _server(Service(settings.url, http), own_version)
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())


def _server(service: Service, version: str) -> Server[Any]:
    """Return a server whose tools read the service.

    The SDK's `MCPServer` would drop unknown arguments in silence, so the tools check them.
    """

    async def list_tools(
        _: ServerRequestContext[Any], __: PaginatedRequestParams | None
    ) -> ListToolsResult:
        return ListToolsResult(tools=[operation.tool for operation in OPERATIONS.values()])

    async def call_tool(
        _: ServerRequestContext[Any], call: CallToolRequestParams
    ) -> CallToolResult:
        if call.name not in OPERATIONS:
            raise MCPError(INVALID_PARAMS, f"Unknown tool: {call.name}")
        return await OPERATIONS[call.name].call(service, call.arguments or {})

    return Server(
        "evref",
        version=version,
        title="Evidence Reference Service",
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )
