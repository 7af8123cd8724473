#!/usr/bin/env bash
# Packages: @modelcontextprotocol/client and server 2.4.0 (npm), zod 4.6.7 (npm), mcp 2.3.0 (PyPI)
# Guess: the server checks `structuredContent` against the tool's output schema, so what it lets through suits every client that
#   checks it again.
# Seen: the server checks with zod, which fills in defaults and drops unknown keys, but sends what the tool returned. The JSON
#   schema that it lists is the one of the *parsed* value: a field with a default is required, and no further key is allowed. Both
#   official clients then raise an error for a call that the server counts as a success.
# Matters: a tool that returns one key too many, or leaves out one that has a default, works in the server's tests and fails in
#   clients. Parse the value yourself before you return it, or use `z.looseObject` and no defaults in output schemas.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install @modelcontextprotocol/client@2.4.0 @modelcontextprotocol/server@2.4.0 zod@4.6.7
pip_install mcp==2.3.0

cat >server.mjs <<'JS'
import { McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod';
const server = new McpServer({ name: 's', version: '1' });
const returns = (name, outputSchema, structuredContent) =>
  server.registerTool(name, { outputSchema }, async () => ({ content: [], structuredContent }));
returns('exact', z.object({ n: z.number() }), { n: 1 });
returns('one_more', z.object({ n: z.number() }), { n: 1, more: true });
returns('defaulted', z.object({ n: z.number().default(7) }), {});
returns('loose', z.looseObject({ n: z.number() }), { n: 1, more: true });
await server.connect(new StdioServerTransport());
JS
cat >client.mjs <<'JS'
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
const client = new Client({ name: 'c', version: '1' });
await client.connect(new StdioClientTransport({ command: 'node', args: ['server.mjs'] }));
const { tools } = await client.listTools();
for (const { name } of tools) {
  const seen = await client.callTool({ name, arguments: {} }).then((result) => `isError ${result.isError ?? false}`, () => 'raised');
  console.log(name, seen);
}
await client.close();
JS
cat >client.py <<'PY'
import asyncio
from mcp import Client, StdioServerParameters
async def main():
    async with Client(StdioServerParameters(command="node", args=["server.mjs"])) as client:
        for tool in (await client.list_tools()).tools:
            try:
                print(tool.name, "isError", str((await client.call_tool(tool.name, {})).is_error).lower())
            except RuntimeError:
                print(tool.name, "raised")
asyncio.run(main())
PY
cat >wire.mjs <<'JS'
// What the server itself answers, without a client that checks.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
const server = spawn('node', ['server.mjs'], { stdio: ['pipe', 'pipe', 'inherit'] });
const send = (message) => server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
createInterface({ input: server.stdout }).on('line', (line) => {
  const { id, result } = JSON.parse(line);
  if (id === 1) console.log(result.isError ?? false, JSON.stringify(result.structuredContent)), server.kill();
  else send({ id: 1, method: 'tools/call', params: { name: process.argv[2], arguments: {} } });
});
const clientInfo = { name: 'c', version: '1' };
send({ id: 0, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo } });
JS
wanted=$'exact isError false\none_more raised\ndefaulted raised\nloose isError false'
expect "the server's answer with a key too many" 'false {"n":1,"more":true}' "$(node wire.mjs one_more)"
expect "the server's answer without the key that has a default" 'false {}' "$(node wire.mjs defaulted)"
expect "TypeScript client" "$wanted" "$(node client.mjs)"
expect "Python client" "$wanted" "$(python client.py)"
finish
