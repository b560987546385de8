"""Starts evref-mcp as an assistant does: the SDK's client, over standard input and output.

Prints a line with what the program says about itself, then a line for each line of standard input:
`["tool", {"argument": "value"}]` in, the result out. EVREF_URL and EVREF_KEY are handed on.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys

from mcp import Client, StdioServerParameters


def say(what: object) -> None:
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


async def main(mode: str) -> None:
    started = StdioServerParameters(
        command="evref-mcp",
        env={name: os.environ[name] for name in ("EVREF_URL", "EVREF_KEY", "PATH")},
    )
    async with Client(started, mode=mode) as client:
        tools = (await client.list_tools()).tools
        about = {
            "protocol": client.protocol_version,
            "server": client.server_info.model_dump(mode="json", by_alias=True),
            "capabilities": client.server_capabilities.model_dump(
                mode="json", by_alias=True, exclude_none=True
            ),
            "instructions": client.instructions,
            "tools": [tool.model_dump(mode="json", by_alias=True) for tool in tools],
        }
        say(about)
        while line := await asyncio.to_thread(sys.stdin.readline):
            tool, arguments = json.loads(line)
            result = await client.call_tool(tool, arguments)
            say(result.model_dump(mode="json", by_alias=True))


asyncio.run(main(sys.argv[1]))
