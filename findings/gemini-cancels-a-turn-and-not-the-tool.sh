#!/usr/bin/env bash
# Packages: @google/gemini-cli 0.61.0, claude-agent-acp 0.101.0, codex-acp 2.6.0, opencode-ai 1.18.33, @qwen-code/qwen-code 0.24.4 (npm)
# Guess: `session/cancel` during a tool call of an MCP server ends the turn, and the server gets `notifications/cancelled` for that call.
# Seen: in Claude, Codex, opencode and qwen it does. Gemini ends the turn as `cancelled` and calls the tool `failed`, but the server never
#   hears of it.
# Matters: the tool works on after the person pressed Stop: a flow goes on clicking, a download goes on. A server behind Gemini needs a way of
#   its own to be stopped, and a client that shows "stopped" there says too much.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

agents claude codex gemini opencode qwen
cat >tools.mjs <<'JS'
export default [{ name: 'slow', answer: () => undefined }, { name: 'quick', answer: () => ({ content: [{ type: 'text', text: 'done' }] }) }];
JS
probe <<'JS'
import { readFileSync, writeFileSync } from 'node:fs';
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const messages = () => readFileSync('mcp.log', 'utf8').split('\n').slice(0, -1).map((line) => JSON.parse(line));
const called = (tool) => messages().find(({ method, params }) => method === 'tools/call' && params.name === tool);
const cancelled = (id) => messages().some(({ method, params }) => method === 'notifications/cancelled' && params.requestId === id);
for (const name of ['claude', 'codex', 'gemini', 'opencode', 'qwen']) {
  writeFileSync('mcp.log', '');
  const fake = await model();
  const program = await session(name, fake, [mcpServer()]);
  const slow = program.call('slow');
  for (let n = 0; n < 600 && !called('slow'); n++) await wait(100);
  program.notify('session/cancel', { sessionId: program.sessionId });
  await slow;
  // A whole turn with another call, so that the server has had every message of the first.
  await program.call('quick');
  for (let n = 0; n < 20 && !cancelled(called('slow').id); n++) await wait(100);
  console.log(`${name}: ${called('quick') ? (cancelled(called('slow').id) ? 'told' : 'not told') : 'no second call'}`);
  await program.stop();
  fake.stop();
}
process.exit();
JS
for name in claude codex opencode qwen; do expect "$name: the server" told "$(seen "$name")"; done
expect "gemini: the server" "not told" "$(seen gemini)"
finish
