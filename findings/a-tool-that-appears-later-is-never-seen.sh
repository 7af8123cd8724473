#!/usr/bin/env bash
# Packages: codex-acp 2.6.0, @qwen-code/qwen-code 0.24.4, @google/gemini-cli 0.61.0, opencode-ai 1.18.33, claude-agent-acp 0.101.0 (npm)
# Guess: Agents of today list the tools again when a server that offers `listChanged` says that they changed, if not at once then before the next
#   prompt.
# Seen: Claude Code, Gemini and opencode do. Codex and qwen never ask again in that session; a call of the new tool fails in the agent.
# Matters: "First sign in, then the other tools appear" leaves these two without tools. List all tools from the start, and let those that are
#   not ready answer with what is missing.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

agents claude codex gemini opencode qwen
cat >tools.mjs <<'JS'
const tool = (name, text, more) => ({ name, answer: () => ({ content: [{ type: 'text', text }] }), ...more });
export default [tool('first', 'FIRST', { after: [tool('second', 'SECOND')] })];
JS
probe <<'JS'
import { readFileSync, rmSync } from 'node:fs';
for (const name of ['claude', 'codex', 'gemini', 'opencode', 'qwen']) {
  rmSync('mcp.log', { force: true });
  const fake = await model(`requests.${name}`);
  const program = await session(name, fake, [mcpServer()]);
  await program.prompt('hello');
  const first = (await program.call('first')).includes('FIRST') ? 'called' : 'not called';
  // A prompt between the two, so that no one is asked too early.
  await program.prompt('hello again');
  const second = (await program.call('second')).includes('SECOND') ? 'called' : 'not called';
  const lists = readFileSync('mcp.log', 'utf8').split('\n').filter((line) => line.includes('"tools/list"')).length;
  console.log(`${name}: ${first}, ${second}, ${lists > 1 ? 'listed again' : 'listed once'}`);
  await program.stop();
  fake.stop();
}
process.exit();
JS
for agent in claude gemini opencode; do expect "$agent: first, second" "called, called, listed again" "$(seen "$agent")"; done
for agent in codex qwen; do expect "$agent: first, second" "called, not called, listed once" "$(seen "$agent")"; done
finish
