#!/usr/bin/env bash
# Packages: @modelcontextprotocol/sdk 1.32.2, @modelcontextprotocol/server 2.4.0 (npm), mcp 1.30.0 and 2.3.0 (PyPI)
# Guess: protocol 2025-03-26 says that receivers must take JSON-RPC batches. A server that agrees to speak it answers a batch, or at
#   least with an error (-32600).
# Seen: all four agree to 2025-03-26 over stdio and none ever answers either request of a batch, with a result or an error; the
#   requests after it are answered. mcp 1 sends a log line "Internal Server Error" without an id.
# Matters: a client or proxy that batches waits until its own time limit, and nothing says why. Do not batch whatever version was
#   agreed on; a server that wants to be kind has to answer arrays itself, before the SDK reads them.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install @modelcontextprotocol/sdk@1.32.2 @modelcontextprotocol/server@2.4.0 zod@4.6.7
for version in 1.30.0 2.3.0; do
  rm -rf venv
  pip_install mcp==$version
  mv venv "venv-$version"
done

cat >old.mjs <<'JS'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
await new McpServer({ name: 's', version: '1' }).connect(new StdioServerTransport());
JS
cat >new.mjs <<'JS'
import { McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
await new McpServer({ name: 's', version: '1' }).connect(new StdioServerTransport());
JS
printf 'from mcp.server.fastmcp import FastMCP\nFastMCP("s").run()\n' >old.py
printf 'from mcp.server import MCPServer\nMCPServer("s").run()\n' >new.py
cat >ask.mjs <<'JS'
// Sends a batch of two pings, then five single ones, each after the answer to the one before: time enough for the batch.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
const [command, file] = process.argv.slice(2);
const server = spawn(command, [file], { stdio: ['pipe', 'pipe', 'ignore'] });
const send = (message) => server.stdin.write(`${JSON.stringify(message)}\n`);
const ping = (id) => ({ jsonrpc: '2.0', id, method: 'ping' });
const answered = [];
let version;
createInterface({ input: server.stdout }).on('line', (line) => {
  for (const { id, result } of [JSON.parse(line)].flat()) {
    if (id === undefined) continue;
    answered.push(id);
    if (id === 0) {
      version = result.protocolVersion;
      send({ jsonrpc: '2.0', method: 'notifications/initialized' });
      send([ping(90), ping(91)]);
      send(ping(1));
    } else if (id < 5) setTimeout(send, 200, ping(id + 1));
    else if (id === 5) console.log(version, answered.join(' ')), server.kill();
  }
});
const clientInfo = { name: 'c', version: '1' };
send({ jsonrpc: '2.0', id: 0, method: 'initialize', params: { protocolVersion: '2025-03-26', capabilities: {}, clientInfo } });
JS
wanted='2025-03-26 0 1 2 3 4 5'
expect "@modelcontextprotocol/sdk, ids answered" "$wanted" "$(node ask.mjs node old.mjs)"
expect "@modelcontextprotocol/server, ids answered" "$wanted" "$(node ask.mjs node new.mjs)"
expect "mcp 1.30.0, ids answered" "$wanted" "$(node ask.mjs venv-1.30.0/bin/python old.py)"
expect "mcp 2.3.0, ids answered" "$wanted" "$(node ask.mjs venv-2.3.0/bin/python new.py)"
finish
