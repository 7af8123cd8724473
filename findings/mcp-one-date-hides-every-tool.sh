#!/usr/bin/env bash
# Packages: @modelcontextprotocol/server 2.4.0, zod 4.6.7 (npm)
# Guess: a tool whose zod schema has no JSON schema (`z.coerce.date()`, say) is refused when it is registered, or is left out
#   of `tools/list`.
# Seen: it is registered without a word, and it can be called. But `tools/list` fails as a whole with -32603, for every other
#   tool of the server as well.
# Matters: one tool behind a flag or of a plug-in makes all tools vanish, and clients show a server without tools. List the tools
#   once at start, or in a test with every flag on.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install @modelcontextprotocol/server@2.4.0 zod@4.6.7

cat >server.mjs <<'JS'
import { McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod';
const server = new McpServer({ name: 's', version: '1' });
const day = process.argv[2] === 'text' ? z.string().transform((text) => new Date(text)) : z.coerce.date();
server.registerTool('plain', {}, async () => ({ content: [{ type: 'text', text: 'plain' }] }));
server.registerTool('dated', { inputSchema: z.object({ day }) }, async ({ day }) => ({
  content: [{ type: 'text', text: day.toISOString().slice(0, 10) }],
}));
await server.connect(new StdioServerTransport());
JS
cat >ask.mjs <<'JS'
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
const server = spawn('node', ['server.mjs', process.argv[2]], { stdio: ['pipe', 'pipe', 'inherit'] });
const send = (id, method, params) => server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
const answers = [];
createInterface({ input: server.stdout }).on('line', (line) => {
  const { id, result, error } = JSON.parse(line);
  if (id === 0) {
    send(1, 'tools/call', { name: 'dated', arguments: { day: '2026-01-02' } });
    send(2, 'tools/list', {});
    return;
  }
  answers[id] = error ? `error ${error.code}` : (result.tools?.map((tool) => tool.name).join(' ') ?? result.content[0].text);
  if (answers[1] && answers[2]) console.log(answers.slice(1).join(', ')), server.kill();
});
send(0, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } });
JS
expect "z.coerce.date(): call, tools/list" '2026-01-02, error -32603' "$(node ask.mjs date)"
expect "a string that becomes a date: call, tools/list" '2026-01-02, plain dated' "$(node ask.mjs text)"
finish
