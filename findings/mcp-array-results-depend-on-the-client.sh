#!/usr/bin/env bash
# Packages: @modelcontextprotocol/client and server 2.4.0, zod 4.6.7 (npm), mcp 2.3.0 (PyPI)
# Guess: a tool that returns `structuredContent: [1, 2]` gives every client `[1, 2]`, or fails for those whose protocol only
#   knows objects.
# Seen: the TypeScript server lists and sends `{ result: [1, 2] }` to clients of 2025-11-25 and `[1, 2]` to those of 2026-07-28,
#   without a mark which of both it is. The Python server sends `{"result": [1, 2]}` to both.
# Matters: what reads `structuredContent` (a stored result, a mapping to a chart, a prompt with `result.0`) breaks when the client
#   is updated and nothing on the server changed. Return an object from the start.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install @modelcontextprotocol/client@2.4.0 @modelcontextprotocol/server@2.4.0 zod@4.6.7
pip_install mcp==2.3.0

cat >server.mjs <<'JS'
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod';
serveStdio(() => {
  const server = new McpServer({ name: 's', version: '1' });
  server.registerTool('list', { outputSchema: z.array(z.number()) }, async () => ({ content: [], structuredContent: [1, 2] }));
  return server;
});
JS
cat >server.py <<'PY'
from mcp.server import MCPServer
server = MCPServer("s")
@server.tool(name="list")
def numbers() -> list[int]:
    return [1, 2]
server.run()
PY
cat >client.mjs <<'JS'
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
const [mode, command, file] = process.argv.slice(2);
const client = new Client({ name: 'c', version: '1' }, { versionNegotiation: { mode } });
await client.connect(new StdioClientTransport({ command, args: [file], stderr: 'ignore' }), { timeout: 300000 });
const [tool] = (await client.listTools()).tools;
const { structuredContent } = await client.callTool({ name: 'list', arguments: {} });
console.log(client.getNegotiatedProtocolVersion(), tool.outputSchema.type, JSON.stringify(structuredContent));
await client.close();
JS
python=$(command -v python)
expect "TypeScript server, old client" '2025-11-25 object {"result":[1,2]}' "$(node client.mjs legacy node server.mjs)"
expect "TypeScript server, new client" '2026-07-28 array [1,2]' "$(node client.mjs auto node server.mjs)"
expect "Python server, old client" '2025-11-25 object {"result":[1,2]}' "$(node client.mjs legacy "$python" server.py)"
expect "Python server, new client" '2026-07-28 object {"result":[1,2]}' "$(node client.mjs auto "$python" server.py)"
finish
