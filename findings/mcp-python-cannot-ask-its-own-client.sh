#!/usr/bin/env bash
# Packages: mcp 2.3.0 (PyPI)
# Guess: `await ctx.elicit(...)` in a tool asks a client of the same release that has an elicitation callback; over stdio there is a
#   pipe in each direction.
# Seen: both sides agree on 2026-07-28, which has no requests from server to client, and the call raises that there is "no
#   back-channel". It works if the client sets mode="legacy", or if the tool declares its question as a parameter with
#   `Resolve`; then the function that asks runs twice, once before the answer and once after it.
# Matters: a server that works with an older client loses its questions as soon as the client is updated. What a resolver does before
#   it asks (a charge, a reservation) happens twice.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

pip_install mcp==2.3.0

cat >server.py <<'PY'
import sys
from typing import Annotated
from pydantic import BaseModel
from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.resolve import Elicit, Resolve

class Answer(BaseModel):
    sure: bool

server = MCPServer("s")

@server.tool()
async def asks(ctx: Context) -> str:
    return (await ctx.elicit("Sure?", Answer)).action

def question() -> Elicit[Answer]:
    with open(sys.argv[1], "a") as file:
        file.write("asked\n")
    return Elicit("Sure?", Answer)

@server.tool()
async def resolves(answer: Annotated[Answer, Resolve(question)]) -> str:
    return f"sure: {answer.sure}"

server.run()
PY
cat >client.py <<'PY'
import asyncio, sys
from mcp import Client, MCPError, StdioServerParameters
from mcp.types import ElicitResult

async def answer(context, params):
    return ElicitResult(action="accept", content={"sure": True})

async def main():
    mode, tool, file = sys.argv[1:]
    parameters = StdioServerParameters(command=sys.executable, args=["server.py", file])
    async with Client(parameters, mode=mode, elicitation_callback=answer) as client:
        try:
            print(client.protocol_version, (await client.call_tool(tool, {})).content[0].text)
        except MCPError as error:
            print(client.protocol_version, "raised:", "no back-channel" if "no back-channel" in str(error) else error)

asyncio.run(main())
PY
ask() { python client.py "$@" 2>/dev/null; }
expect "ctx.elicit, default mode" '2026-07-28 raised: no back-channel' "$(ask auto asks unused)"
expect "ctx.elicit, mode legacy" '2025-11-25 accept' "$(ask legacy asks unused)"
expect "Resolve, default mode" '2026-07-28 sure: True' "$(ask auto resolves new)"
expect "Resolve, mode legacy" '2025-11-25 sure: True' "$(ask legacy resolves old)"
expect "runs of the resolver for one call, default mode" 2 "$(grep -c asked new)"
expect "runs of the resolver for one call, mode legacy" 1 "$(grep -c asked old)"
finish
