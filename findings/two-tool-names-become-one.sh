#!/usr/bin/env bash
# Packages: claude-agent-acp 0.101.0, codex-acp 2.6.0, @google/gemini-cli 0.61.0, opencode-ai 1.18.33 (npm)
# Guess: Names with a dot, which MCP allows, are kept or made unique: a server's tools `page.read` and `page_read` are both offered.
# Seen: Gemini keeps both, and Codex gives both another name, with a suffix. In Claude Code and opencode both become `page_read`, without a
#   word, and one of them is out of reach: Claude Code then calls the one that was listed first, opencode the last.
# Matters: A model that asks for `page_read` gets an act of `page.read` in one agent and not in the other. Use letters, digits, "_" and "-" alone, and
#   compare your tools' names after replacing everything else.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

agents claude codex gemini opencode
cat >tools.mjs <<'JS'
const tool = (name, text) => ({ name, answer: () => ({ content: [{ type: 'text', text }] }) });
export default [tool('page.read', 'DOT'), tool('page_read', 'UNDERSCORE'), tool('page.write', 'WRITE')];
JS
probe <<'JS'
const names = ({ body }) => (body.tools ?? []).flatMap((tool) => tool.functionDeclarations ?? tool.tools ?? [tool.function ?? tool])
  .map(({ name }) => name);
for (const name of ['claude', 'codex', 'gemini', 'opencode']) {
  const fake = await model(`requests.${name}`);
  const program = await session(name, fake, [mcpServer()]);
  await program.prompt('hello');
  const offered = new Set(fake.requests().flatMap(names).filter((tool) => /page.read/.test(tool)));
  console.log(`${name} offers: ${offered.size}`);
  const got = (result) => ['DOT', 'UNDERSCORE'].find((text) => result.includes(text)) ?? 'no such tool';
  console.log(`${name} underscore: ${got(await program.call('page_read'))}`);
  console.log(`${name} dot: ${got(await program.call('page.read'))}`);
  await program.stop();
  fake.stop();
}
process.exit();
JS
expect "Gemini: offered, page_read, page.read" "2, UNDERSCORE, DOT" "$(seen 'gemini offers'), $(seen 'gemini underscore'), $(seen 'gemini dot')"
expect "Codex: offered, page_read, page.read" "2, no such tool, no such tool" \
  "$(seen 'codex offers'), $(seen 'codex underscore'), $(seen 'codex dot')"
expect "opencode: offered, page_read, page.read" "1, UNDERSCORE, no such tool" \
  "$(seen 'opencode offers'), $(seen 'opencode underscore'), $(seen 'opencode dot')"
# Claude Code lists the tools of servers only when its model searches.
expect "Claude: page_read, page.read" "DOT, no such tool" "$(seen 'claude underscore'), $(seen 'claude dot')"
finish
