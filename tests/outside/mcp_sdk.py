"""Calls the MCP server with the official SDK, over HTTP and over standard input and output. The SDK checks each result
against the output schema of its tool.

    python mcp_sdk.py SERVER
"""

import asyncio
import socket
import sys

import httpx2
from demo import demo
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

# `legacy` initializes as the revisions before 2026-07-28 require. `auto` discovers the current revision.
MODES = {"legacy": "2025-11-25", "auto": "2026-07-28", "2026-07-28": "2026-07-28"}
TOOLS = ["get_overview", "list_leads", "get_lead", "list_pipelines", "list_clients"]


def main() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = "{}:{}".format(*free.getsockname())
    with demo(sys.argv[1], "--mcp-listen", address) as (url, _, tokens):
        asyncio.run(check(f"http://{address}/mcp", url, tokens))
    print("the MCP SDK called the five tools over both transports")


async def check(mcp_url: str, api_url: str, tokens: dict[str, str]) -> None:
    results = []
    for mode, version in MODES.items():
        async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {tokens['A']}"}) as http:
            async with Client(streamable_http_client(mcp_url, http_client=http), mode=mode) as client:
                results.append(await five_tools(client, version))
        process = StdioServerParameters(command=sys.argv[1], args=["mcp", "--url", api_url],
                                        env={"LEADAPI_TOKEN": tokens["A"]})
        async with Client(stdio_client(process), mode=mode) as client:
            results.append(await five_tools(client, version))
    assert all(result == results[0] for result in results), results
    await refused(mcp_url)


async def five_tools(client: Client, version: str) -> list:
    assert client.protocol_version == version, client.protocol_version
    tools = (await client.list_tools()).tools
    assert [tool.name for tool in tools] == TOOLS, tools
    for tool in tools:
        hints = tool.annotations
        assert hints.read_only_hint and hints.idempotent_hint and hints.open_world_hint is False, tool

    overview = await call(client, "get_overview")
    leads = await call(client, "list_leads", limit=2, client_id=overview["clients"][0]["id"])
    assert leads["total"] == overview["clients"][0]["leads"] and leads["next_offset"] == 2, leads
    lead = await call(client, "get_lead", id=leads["data"][0]["id"])
    rest = [await call(client, tool, limit=1) for tool in ("list_pipelines", "list_clients")]

    missing = await client.call_tool("get_lead", {"id": "nothing"})
    assert missing.is_error and missing.content[0].text == "id: no such lead", missing
    return [overview, leads, lead, *rest]


async def call(client: Client, tool: str, **arguments) -> dict:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result
    return result.structured_content


async def refused(mcp_url: str) -> None:
    """Checks that an invalid token fails with 401, not with a result that an agent would take for data."""
    async with httpx2.AsyncClient(headers={"Authorization": "Bearer pak_invalid"}) as http:
        answer = await http.post(mcp_url, json={})
        assert answer.status_code == 401 and answer.json() == {"error": "Authorization: invalid token"}, answer.text
        try:
            async with Client(streamable_http_client(mcp_url, http_client=http)) as client:
                await client.list_tools()
        except Exception:
            return
    raise AssertionError("an invalid token was accepted")


main()
