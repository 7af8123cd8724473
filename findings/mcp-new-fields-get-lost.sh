#!/usr/bin/env bash
# Packages: @modelcontextprotocol/sdk 1.32.2 and client 2.4.0 (npm), mcp 1.30.0 and 2.3.0 (PyPI)
# Guess: results and content blocks are open objects in the schema, so a client ignores fields that it does not know and passes them on.
# Seen: mcp 1 passes all of them on, mcp 2 none. The TypeScript clients pass on those at the top of a result, but not those of a content
#   block or of an embedded resource. `_meta` arrives at every level in all four.
# Matters: an extension of one's own, or a field of the next protocol version, works in a test with one SDK and silently
#   vanishes in another, also in proxies built on it. Put it into `_meta`.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install @modelcontextprotocol/sdk@1.32.2 @modelcontextprotocol/client@2.4.0
for version in 1.30.0 2.3.0; do
  rm -rf venv
  pip_install mcp==$version
  mv venv "venv-$version"
done

cat >server.mjs <<'JS'
import { createInterface } from 'node:readline';
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const marked = (at, value) => ({ ...value, [`own_${at}`]: 1, _meta: { [`meta_${at}`]: 1 } });
const result = marked('top', {
  content: [
    marked('block', { type: 'text', text: 'x' }),
    { type: 'resource', resource: marked('resource', { uri: 'file:///x', text: 'x' }) },
  ],
});
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (id === undefined) return;
  const answers = {
    initialize: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } },
    'tools/list': { tools: [{ name: 'marked', inputSchema: { type: 'object' } }] },
    'tools/call': result,
  };
  send(answers[method] ? { id, result: answers[method] } : { id, error: { code: -32601, message: 'unknown' } });
});
JS
cat >client.mjs <<'JS'
const old = process.argv[2] === 'old';
const { Client } = await import(old ? '@modelcontextprotocol/sdk/client/index.js' : '@modelcontextprotocol/client');
const { StdioClientTransport } = await import(old ? '@modelcontextprotocol/sdk/client/stdio.js' : '@modelcontextprotocol/client/stdio');
const client = new Client({ name: 'c', version: '1' });
await client.connect(new StdioClientTransport({ command: 'node', args: ['server.mjs'] }));
console.log(JSON.stringify(await client.callTool({ name: 'marked', arguments: {} })));
await client.close();
JS
cat >old.py <<'PY'
import asyncio
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
async def main():
    async with stdio_client(StdioServerParameters(command="node", args=["server.mjs"])) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        print((await session.call_tool("marked", {})).model_dump_json(by_alias=True))
asyncio.run(main())
PY
cat >new.py <<'PY'
import asyncio
from mcp import Client, StdioServerParameters
async def main():
    async with Client(StdioServerParameters(command="node", args=["server.mjs"])) as client:
        print((await client.call_tool("marked", {})).model_dump_json(by_alias=True))
asyncio.run(main())
PY
marks() { grep -oE '(own|meta)_(top|block|resource)' | sort -u | paste -sd' ' -; }
metas='meta_block meta_resource meta_top'
expect "mcp 1.30.0" "$metas own_block own_resource own_top" "$(venv-1.30.0/bin/python old.py | marks)"
expect "mcp 2.3.0" "$metas" "$(venv-2.3.0/bin/python new.py | marks)"
expect "@modelcontextprotocol/sdk 1.32.2" "$metas own_top" "$(node client.mjs old | marks)"
expect "@modelcontextprotocol/client 2.4.0" "$metas own_top" "$(node client.mjs new | marks)"
finish
