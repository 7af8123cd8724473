#!/usr/bin/env bash
# Packages: claude-agent-acp 0.101.0, codex-acp 2.6.0, @google/gemini-cli 0.61.0, opencode-ai 1.18.33, @qwen-code/qwen-code 0.24.4 (npm)
# Guess: If a tool's result has `structuredContent` and `content` with other text and an image, the model gets the text and the image, as the
#   protocol wants `content` to be enough for everyone; some agents add the structure.
# Seen: Codex gives its model the structure alone: neither text nor image. Claude Code gives the structure and the image without the text.
#   Gemini and opencode give `content` alone, and Gemini's model gets an empty answer if there is only a structure. qwen gives all.
# Matters: A screenshot tool that adds a structure (its size, say) shows no picture to Codex. Return pictures and words for the model without
#   `structuredContent`, or say in the structure all that the text says.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

agents claude codex gemini opencode qwen
cat >tools.mjs <<'JS'
const data = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const outputSchema = { type: 'object', properties: { said: { type: 'string' } } };
const structuredContent = { said: 'STRUCTURE' };
const content = [{ type: 'text', text: 'WORDS' }, { type: 'image', mimeType: 'image/png', data }];
export default [
  { name: 'picture', answer: () => ({ content }) },
  { name: 'all', outputSchema, answer: () => ({ content, structuredContent }) },
  { name: 'structure', outputSchema, answer: () => ({ content: [], structuredContent }) },
];
JS
probe <<'JS'
for (const name of ['claude', 'codex', 'gemini', 'opencode', 'qwen']) {
  const fake = await model(`requests.${name}`);
  const program = await session(name, fake, [mcpServer()]);
  // These have to be told that the model sees.
  if (name === 'opencode') {
    await program.ask('session/set_config_option', { sessionId: program.sessionId, configId: 'model', value: 'fake/sees' });
  }
  await program.prompt('hello');
  for (const tool of ['picture', 'all', 'structure']) {
    const result = await program.call(tool);
    const parts = { words: 'WORDS', image: 'iVBORw0KGgo', structure: 'STRUCTURE' };
    const got = Object.keys(parts).filter((part) => result.includes(parts[part]));
    // qwen's model is not known to see: a note stands where the image was.
    if (result.includes('[image: image/png]')) got.push('a note of the image');
    console.log(`${name} ${tool}: ${got.join(', ') || 'nothing'}`);
  }
  await program.stop();
  fake.stop();
}
process.exit();
JS
expect "Claude, without a structure" "words, image" "$(seen 'claude picture')"
expect "Codex, without a structure" "words, image" "$(seen 'codex picture')"
expect "Claude, with it" "image, structure" "$(seen 'claude all')"
expect "Codex, with it" "structure" "$(seen 'codex all')"
expect "Gemini, with it" "words, image" "$(seen 'gemini all')"
expect "opencode, with it" "words, image" "$(seen 'opencode all')"
expect "qwen, with it" "words, structure, a note of the image" "$(seen 'qwen all')"
expect "Gemini, a structure alone" "nothing" "$(seen 'gemini structure')"
expect "the others, a structure alone" "structure structure structure structure" \
  "$(seen 'claude structure') $(seen 'codex structure') $(seen 'opencode structure') $(seen 'qwen structure')"
finish
