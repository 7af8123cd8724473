#!/usr/bin/env bash
# Packages: @modelcontextprotocol/client and server 2.4.0 (npm), mcp 2.3.0 (PyPI)
# Guess: the second major versions implement protocol 2026-07-28, so a client and a server of them, connected over stdio as
#   their first examples do, speak it.
# Seen: the TypeScript pair speaks 2025-11-25. Its client sends `initialize` unless it is given `versionNegotiation`, and its server
#   refuses 2026-07-28 when connected to a `StdioServerTransport`; only `serveStdio` offers it. The Python pair speaks 2026-07-28.
# Matters: raising the packages changes no byte on the wire. Whoever tests "our server against the v2 SDKs" tests the old
#   protocol in TypeScript and the new one in Python; both need both settings.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install @modelcontextprotocol/client@2.4.0 @modelcontextprotocol/server@2.4.0 zod@4.6.7
pip_install mcp==2.3.0

cat >plain.mjs <<'JS'
import { McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
await new McpServer({ name: 's', version: '1' }).connect(new StdioServerTransport());
JS
cat >served.mjs <<'JS'
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
serveStdio(() => new McpServer({ name: 's', version: '1' }));
JS
cat >server.py <<'PY'
from mcp.server import MCPServer
MCPServer("s").run()
PY
cat >client.mjs <<'JS'
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
const [mode, command, ...args] = process.argv.slice(2);
const client = new Client({ name: 'c', version: '1' }, mode === 'plain' ? {} : { versionNegotiation: { mode } });
await client.connect(new StdioClientTransport({ command, args, stderr: 'ignore' }), { timeout: 300000 });
console.log(client.getNegotiatedProtocolVersion());
await client.close();
JS
cat >client.py <<'PY'
import asyncio, sys
from mcp import Client, StdioServerParameters
async def main():
    async with Client(StdioServerParameters(command=sys.argv[1], args=sys.argv[2:])) as client:
        print(client.protocol_version)
asyncio.run(main())
PY
python=$(command -v python)
expect "TypeScript client, TypeScript server" 2025-11-25 "$(node client.mjs plain node plain.mjs)"
expect "TypeScript client, server with serveStdio" 2025-11-25 "$(node client.mjs plain node served.mjs)"
expect "TypeScript client with mode auto, TypeScript server" 2025-11-25 "$(node client.mjs auto node plain.mjs)"
expect "TypeScript client with mode auto, server with serveStdio" 2026-07-28 "$(node client.mjs auto node served.mjs)"
expect "TypeScript client, Python server" 2025-11-25 "$(node client.mjs plain "$python" server.py)"
expect "Python client, Python server" 2026-07-28 "$(python client.py "$python" server.py 2>/dev/null)"
expect "Python client, server with serveStdio" 2026-07-28 "$(python client.py node served.mjs)"
finish
