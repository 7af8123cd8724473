#!/usr/bin/env bash
# Packages: mcp 1.30.0 and 2.3.0 (PyPI), @modelcontextprotocol/server 2.4.0 (npm)
# Guess: a tool's exception reaches the model as its text, as it did in mcp 1: "Error executing tool open: no such account".
# Seen: mcp 2 sends only "Error executing tool open"; the reason is in the server's log. A `ToolError` keeps its text. The
#   TypeScript server sends an error's message and nothing else.
# Matters: after the update a model no longer reads why a call failed, so it repeats it or gives up. Every error that should help
#   the model has to be raised as `ToolError`, including those of libraries.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install @modelcontextprotocol/server@2.4.0 zod@4.6.7
for version in 1.30.0 2.3.0; do
  rm -rf venv
  pip_install mcp==$version
  mv venv "venv-$version"
done

cat >old.py <<'PY'
from mcp.server.fastmcp import FastMCP
server = FastMCP("s")
@server.tool(name="open")
def open_account() -> str:
    raise ValueError("no such account")
server.run()
PY
cat >new.py <<'PY'
from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
server = MCPServer("s")
@server.tool(name="open")
def open_account() -> str:
    raise ValueError("no such account")
@server.tool(name="told")
def told() -> str:
    raise ToolError("no such account")
server.run()
PY
cat >server.mjs <<'JS'
import { McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
const server = new McpServer({ name: 's', version: '1' });
server.registerTool('open', {}, async () => {
  throw new RangeError('no such account');
});
await server.connect(new StdioServerTransport());
JS
cat >ask.mjs <<'JS'
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
const [tool, command, ...args] = process.argv.slice(2);
const server = spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'] });
const send = (message) => server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
createInterface({ input: server.stdout }).on('line', (line) => {
  const { id, result } = JSON.parse(line);
  if (id === 0) send({ method: 'notifications/initialized' }), send({ id: 1, method: 'tools/call', params: { name: tool, arguments: {} } });
  if (id === 1) console.log(result.isError, result.content[0].text), server.kill();
});
const clientInfo = { name: 'c', version: '1' };
send({ id: 0, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo } });
JS
expect "mcp 1.30.0, ValueError" 'true Error executing tool open: no such account' "$(node ask.mjs open venv-1.30.0/bin/python old.py)"
expect "mcp 2.3.0, ValueError" 'true Error executing tool open' "$(node ask.mjs open venv-2.3.0/bin/python new.py)"
expect "mcp 2.3.0, ToolError" 'true Error executing tool told: no such account' "$(node ask.mjs told venv-2.3.0/bin/python new.py)"
expect "TypeScript server, RangeError" 'true no such account' "$(node ask.mjs open node server.mjs)"
finish
