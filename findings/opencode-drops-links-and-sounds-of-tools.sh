#!/usr/bin/env bash
# Packages: opencode-ai 1.18.33, claude-agent-acp 0.101.0, codex-acp 2.6.0, @google/gemini-cli 0.61.0, @qwen-code/qwen-code 0.24.4 (npm)
# Guess: Of a tool's result with a `resource_link` or an `audio` block, each agent gives its model at least the address, or a note that there was a
#   sound.
# Seen: Claude Code, Codex, Gemini and qwen do. opencode gives its model the text beside them and nothing else, as if the block had not been
#   there; a result that is only a link arrives empty.
# Matters: "The file is at …" as a link is how large results are handed over, and the model of opencode never learns of it, nor that it
#   missed something. Put the address into a text block too.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

agents claude codex gemini opencode qwen
cat >tools.mjs <<'JS'
const text = { type: 'text', text: 'WORDS' };
const link = { type: 'resource_link', uri: 'test://files/REPORT', name: 'report', mimeType: 'text/plain' };
// A sound of 8 samples.
const header = [82, 73, 70, 70, 44, 0, 0, 0, 87, 65, 86, 69, 102, 109, 116, 32, 16, 0, 0, 0, 1, 0, 1, 0, 64, 31, 0, 0, 64, 31, 0, 0, 1, 0, 8, 0];
const samples = [100, 97, 116, 97, 8, 0, 0, 0, 128, 128, 128, 128, 128, 128, 128, 128];
const audio = { type: 'audio', mimeType: 'audio/wav', data: Buffer.from([...header, ...samples]).toString('base64') };
export default [
  { name: 'linked', answer: () => ({ content: [text, link] }) },
  { name: 'bare', answer: () => ({ content: [link] }) },
  { name: 'heard', answer: () => ({ content: [text, audio] }) },
];
JS
probe <<'JS'
for (const name of ['claude', 'codex', 'gemini', 'opencode', 'qwen']) {
  const fake = await model(`requests.${name}`);
  const program = await session(name, fake, [mcpServer()]);
  await program.prompt('hello');
  const [linked, bare, heard] = [await program.call('linked'), await program.call('bare'), await program.call('heard')];
  const told = (result) => `${result.includes('WORDS') ? 'words' : 'no words'}, ${result.includes('test://files/REPORT') ? 'address' : 'no address'}`;
  console.log(`${name} linked: ${told(linked)}`);
  console.log(`${name} bare: ${told(bare)}`);
  console.log(`${name} heard: ${/audio/i.test(heard.slice(0, 800)) ? 'a note' : 'no note'}`);
  await program.stop();
  fake.stop();
}
process.exit();
JS
for agent in claude codex gemini qwen; do
  expect "$agent, text and a link; a link" "words, address; no words, address" "$(seen "$agent linked"); $(seen "$agent bare")"
  expect "$agent, a sound" "a note" "$(seen "$agent heard")"
done
expect "opencode, text and a link" "words, no address" "$(seen 'opencode linked')"
expect "opencode, a link" "no words, no address" "$(seen 'opencode bare')"
expect "opencode, a sound" "no note" "$(seen 'opencode heard')"
finish
