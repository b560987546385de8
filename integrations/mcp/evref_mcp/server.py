"""The MCP server: it offers the tools and nothing else."""

from __future__ import annotations

from typing import Any

from mcp import MCPError
from mcp.server import Server, ServerRequestContext
from mcp.types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
)

from evref_mcp.service import Service
from evref_mcp.tools import OPERATIONS
from evref_mcp.wording import INSTRUCTIONS


def server(service: Service, version: str) -> Server[Any]:
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
