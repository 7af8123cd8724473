#!/usr/bin/env bash
# Packages: @qwen-code/qwen-code 0.24.4, @google/gemini-cli 0.61.0, claude-agent-acp 0.101.0, opencode-ai 1.18.33 (npm)
# Guess: an agent that offers `roots` to an MCP server names the session's folder, `cwd` of `session/new`.
# Seen: Claude, Gemini and opencode do. qwen names the folder in which its own process was started, for every session, while it starts the
#   server within the session's folder.
# Matters: a server that keeps to its roots, as the protocol asks, refuses the project's files and allows others. Start qwen in the session's
#   folder, one process a folder.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

agents claude gemini opencode qwen
cat >tools.mjs <<JS
import { writeFileSync } from 'node:fs';
const answer = async (_, ask) => {
  const { result, error } = await ask('roots/list');
  writeFileSync('$work/started-in', process.cwd());
  return { content: [{ type: 'text', text: JSON.stringify(result ?? error) }] };
};
export default [{ name: 'where', answer }];
JS
probe <<'JS'
import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
const short = (uri) => (uri.endsWith('/project') ? 'the session' : uri === `file://${process.cwd()}` ? 'the process' : basename(uri));
for (const name of ['claude', 'gemini', 'opencode', 'qwen']) {
  writeFileSync('mcp.log', '');
  const fake = await model();
  const program = await session(name, fake, [mcpServer()]);
  await program.call('where');
  await program.stop();
  fake.stop();
  const messages = readFileSync('mcp.log', 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line));
  const { result } = messages.find(({ id }) => id === 'ask-0') ?? {};
  console.log(`${name} starts it in: ${short(`file://${readFileSync('started-in', 'utf8')}`)}`);
  console.log(`${name}: ${result?.roots.map(({ uri }) => short(uri)).join(', ')}`);
}
process.exit();
JS
for name in claude gemini opencode; do expect "$name: the root" "the session" "$(seen "$name")"; done
expect "qwen: the server's own folder" "the session" "$(seen 'qwen starts it in')"
expect "qwen: the root" "the process" "$(seen qwen)"
finish
