#!/usr/bin/env bash
# Packages: mcp 2.3.0 (PyPI), @modelcontextprotocol/client 2.4.0 (npm)
# Guess: `tools/call` is one request, and a result is checked against the tool's output schema once the tools are known.
# Seen: the Python client looks for the schema in the first page of `tools/list` only. For a tool on a later page it sends a
#   `tools/list` after each call, finds nothing, and returns the result unchecked. The TypeScript client reads all pages when
#   asked to list, checks the result then, and checks nothing if nobody listed.
# Matters: a server that pages its tools answers twice as many requests, and a wrong result passes or fails depending on the page
#   that its tool is on. Put tools with an output schema on the first page, or do not page.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install @modelcontextprotocol/client@2.4.0
pip_install mcp==2.3.0

cat >server.mjs <<'JS'
// Two pages of one tool each; both tools return a word where their schema says integer.
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
const outputSchema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
const tool = (name) => ({ name, inputSchema: { type: 'object' }, outputSchema });
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  if (method.startsWith('tools/')) appendFileSync(process.argv[2], `${method} ${params?.name ?? params?.cursor ?? ''}\n`);
  const answers = {
    initialize: () => ({ protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } }),
    'tools/list': () => (params?.cursor ? { tools: [tool('second')] } : { tools: [tool('first')], nextCursor: 'two' }),
    'tools/call': () => ({ content: [], structuredContent: { n: 'word' } }),
  };
  const answer = answers[method] ? { result: answers[method]() } : { error: { code: -32601, message: 'unknown' } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n`);
});
JS
cat >client.py <<'PY'
import asyncio, sys
from mcp import Client, StdioServerParameters
async def main():
    async with Client(StdioServerParameters(command="node", args=["server.mjs", "python.txt"])) as client:
        await client.list_tools()
        for name in ["first", "second", "second", "second"]:
            try:
                await client.call_tool(name, {})
                print(name, "returned")
            except RuntimeError:
                print(name, "raised")
asyncio.run(main())
PY
cat >client.mjs <<'JS'
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
const client = new Client({ name: 'c', version: '1' });
await client.connect(new StdioClientTransport({ command: 'node', args: ['server.mjs', 'typescript.txt'] }));
const call = (name) => client.callTool({ name, arguments: {} }).then(() => 'returned', () => 'raised');
console.log('before a list', await call('second'));
await client.listTools();
for (const name of ['first', 'second', 'second']) console.log(name, await call(name));
await client.close();
JS
joined() { paste -sd, -; }
expect "Python, results" "first raised,second returned,second returned,second returned" "$(python client.py 2>/dev/null | joined)"
expect "Python, requests after its list" \
  "tools/call first,tools/call second,tools/list ,tools/call second,tools/list ,tools/call second,tools/list " "$(tail -n +2 python.txt | joined)"
expect "TypeScript, results" "before a list returned,first raised,second raised,second raised" "$(node client.mjs | joined)"
expect "TypeScript, requests" \
  "tools/call second,tools/list ,tools/list two,tools/call first,tools/call second,tools/call second" "$(joined <typescript.txt)"
finish
