#!/usr/bin/env bash
# Packages: @modelcontextprotocol/client and server 2.4.0 (npm), mcp 2.3.0 (PyPI)
# Guess: a client that finds out which protocol a stdio server speaks asks the process that it then uses.
# Seen: with `versionNegotiation: { mode: 'auto' }` the TypeScript client starts the server's command twice: it asks one process
#   for its version, ends it, and starts a second one to work with. The Python client probes and works on one process.
# Matters: a stdio server that takes a lock, a port or a device, migrates a store or opens a window when it starts does so twice,
#   within milliseconds. Such work belongs after the first request that needs it.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install @modelcontextprotocol/client@2.4.0 @modelcontextprotocol/server@2.4.0 zod@4.6.7
pip_install mcp==2.3.0

cat >server.mjs <<'JS'
import { appendFileSync } from 'node:fs';
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
appendFileSync(process.argv[2], 'started\n');
serveStdio(() => new McpServer({ name: 's', version: '1' }));
JS
cat >client.mjs <<'JS'
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
const [mode, file] = process.argv.slice(2);
const client = new Client({ name: 'c', version: '1' }, { versionNegotiation: { mode } });
await client.connect(new StdioClientTransport({ command: 'node', args: ['server.mjs', file], stderr: 'ignore' }));
await client.close();
JS
cat >client.py <<'PY'
import asyncio, sys
from mcp import Client, StdioServerParameters
async def main():
    async with Client(StdioServerParameters(command="node", args=["server.mjs", sys.argv[1]])):
        pass
asyncio.run(main())
PY
node client.mjs legacy legacy.txt
node client.mjs auto auto.txt
python client.py python.txt
count() { grep -c started "$1"; }
expect "starts for one connection, TypeScript, mode legacy" 1 "$(count legacy.txt)"
expect "starts for one connection, TypeScript, mode auto" 2 "$(count auto.txt)"
expect "starts for one connection, Python, mode auto" 1 "$(count python.txt)"
finish
