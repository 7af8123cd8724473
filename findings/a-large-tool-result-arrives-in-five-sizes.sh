#!/usr/bin/env bash
# Packages: claude-agent-acp 0.101.0, codex-acp 2.6.0, @google/gemini-cli 0.61.0, opencode-ai 1.18.33, @qwen-code/qwen-code 0.24.4 (npm)
# Guess: A tool result of 300,000 characters is cut at some limit of the same order in each agent, and its beginning and end survive.
# Seen: Claude Code's model gets 2,000 characters of it and the name of a file, Codex's 12,000 (beginning and end), opencode's 50,000 and
#   qwen's 200,000 (with a file too), Gemini's all of it. The end survives in Codex, qwen and Gemini only; Claude Code's file is the JSON of the
#   blocks, not the text.
# Matters: A server that fits its answers to one agent is wrong by a factor of 100 in another. Page long results with a cursor, and put
#   what matters into the first 2,000 characters.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

agents claude codex gemini opencode qwen
cat >tools.mjs <<'JS'
const lines = Array.from({ length: 6000 }, (_, number) => `Line ${number} of an answer that is long and has many words`);
export default [{ name: 'long', answer: () => ({ content: [{ type: 'text', text: `BEGIN\n${lines.join('\n')}\nFINISH` }] }) }];
JS
probe <<'JS'
const words = 'of an answer that is long and has many words';
for (const name of ['claude', 'codex', 'gemini', 'opencode', 'qwen']) {
  const fake = await model(`requests.${name}`);
  const program = await session(name, fake, [mcpServer()]);
  await program.prompt('hello');
  const result = await program.call('long');
  const count = (result.match(/Line \d+ of/g) ?? []).length;
  const size = count > 5990 ? 'all' : count > 3000 ? 'most' : count > 800 ? 'a sixth' : count > 150 ? 'a thirtieth' : 'a hundredth';
  console.log(`${name}: ${size}, ${result.includes('FINISH') ? 'with' : 'without'} the end, ${/saved to|artifact|file/i.test(result.replaceAll(words, '')) ? 'a file' : 'no file'}`);
  await program.stop();
  fake.stop();
}
process.exit();
JS
expect "Claude" "a hundredth, without the end, a file" "$(seen claude)"
expect "Codex" "a thirtieth, with the end, no file" "$(seen codex)"
expect "opencode" "a sixth, without the end, a file" "$(seen opencode)"
expect "qwen" "most, with the end, a file" "$(seen qwen)"
expect "Gemini" "all, with the end, no file" "$(seen gemini)"
finish
