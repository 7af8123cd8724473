#!/usr/bin/env bash
# Packages: @modelcontextprotocol/sdk 1.32.2 and @modelcontextprotocol/client 2.4.0 (npm), mcp 2.3.0 (PyPI)
# Guess: with `resetTimeoutOnProgress: true` a call lives as long as the server reports progress more often than the timeout.
# Seen: alone, the option does nothing: the client sends a progress token only if the call also has an `onprogress` callback, so the
#   server has nothing to report to, and the call times out. The Python client has no such option: a progress callback is called,
#   and the call still times out.
# Matters: long calls fail at the default of 60 seconds although their author "turned on" the reset. Pass an `onprogress` that does
#   nothing; in Python, set a timeout for the whole call.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install @modelcontextprotocol/sdk@1.32.2 @modelcontextprotocol/client@2.4.0
pip_install mcp==2.3.0

cat >server.mjs <<'JS'
// One tool that takes 3 s and reports progress every 0.25 s if the request has a token.
import { createInterface } from 'node:readline';
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const done = (result) => send({ id, result });
  if (method === 'initialize')
    return done({ protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } });
  if (method === 'tools/list') return done({ tools: [{ name: 'slow', inputSchema: { type: 'object' } }] });
  if (method !== 'tools/call') return send({ id, error: { code: -32601, message: 'unknown' } });
  const progressToken = params._meta?.progressToken;
  let progress = 0;
  const timer = setInterval(() => {
    progress += 1;
    if (progressToken !== undefined) send({ method: 'notifications/progress', params: { progressToken, progress } });
    if (progress === 12) clearInterval(timer), done({ content: [{ type: 'text', text: 'done' }] });
  }, 250);
});
JS
cat >client.mjs <<'JS'
const [release, ...wanted] = process.argv.slice(2);
const old = release === 'old';
const { Client } = await import(old ? '@modelcontextprotocol/sdk/client/index.js' : '@modelcontextprotocol/client');
const { StdioClientTransport } = await import(old ? '@modelcontextprotocol/sdk/client/stdio.js' : '@modelcontextprotocol/client/stdio');
const client = new Client({ name: 'c', version: '1' });
await client.connect(new StdioClientTransport({ command: 'node', args: ['server.mjs'] }));
const options = { timeout: 1500 };
if (wanted.includes('reset')) options.resetTimeoutOnProgress = true;
if (wanted.includes('callback')) options.onprogress = () => {};
const call = { name: 'slow', arguments: {} };
const seen = (old ? client.callTool(call, undefined, options) : client.callTool(call, options)).then(() => 'done', () => 'timed out');
console.log(await seen);
await client.close();
JS
cat >client.py <<'PY'
import asyncio
from mcp import Client, MCPError, StdioServerParameters
reports = []
async def progress(*report):
    reports.append(report)
async def main():
    async with Client(StdioServerParameters(command="node", args=["server.mjs"])) as client:
        try:
            await client.call_tool("slow", {}, read_timeout_seconds=1.5, progress_callback=progress)
            print("done")
        except MCPError:
            print("timed out", "after reports" if reports else "without a report")
asyncio.run(main())
PY
for release in old new; do
  expect "TypeScript, $release, the option alone" "timed out" "$(node client.mjs $release reset)"
  expect "TypeScript, $release, a callback alone" "timed out" "$(node client.mjs $release callback)"
  expect "TypeScript, $release, both" "done" "$(node client.mjs $release reset callback)"
done
expect "Python, a callback" "timed out after reports" "$(python client.py 2>/dev/null)"
finish
