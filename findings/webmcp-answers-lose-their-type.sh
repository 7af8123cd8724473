#!/usr/bin/env bash
# Packages: ws 8.23.0 (npm), Chromium 156
# Guess: A WebMCP tool's answer reaches the caller with its type: text as text, JSON as JSON, and nothing as null or a missing `output`.
# Seen: Chromium serializes everything but strings, sends strings as they are, and DevTools parses what it can. Text that reads as JSON
#   ("007" does not, "42", "null" and "[1]" do) arrives in `WebMCP.toolResponded` as a number, null or a list, and a tool that returns
#   nothing answers with the word "undefined".
# Matters: A client of `WebMCP.invokeTool` cannot tell the text "42" from the number 42, nor "no answer" from the word "undefined". A tool
#   that means text should answer with an object around it, and a client should not decide by the type of `output`.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install ws@8.23.0
cat >answers.mjs <<'EOF'
import { connect, serve, until } from './devtools.mjs';
const browser = await connect(process.argv[2]);
const page = await browser.open(`http://localhost:${await serve('')}/`);
const { frameTree } = await page('Page.getFrameTree');
await page('WebMCP.enable');
const answers = { number: 42, text: '42', padded: '007', textNull: 'null', textList: '[1]', wrapped: { text: '42' }, nothing: undefined };
for (const [name, answer] of Object.entries(answers)) {
  await page.value(`document.modelContext.registerTool({ name: '${name}', description: 'Answers', execute: () => (${JSON.stringify(answer)}) })`);
  const { invocationId } = await page('WebMCP.invokeTool', { frameId: frameTree.frame.id, toolName: name, input: {} });
  const responded = await until(() => browser.events.find(({ method, params }) => method === 'WebMCP.toolResponded' && params.invocationId === invocationId));
  console.log(`${name}: ${JSON.stringify(responded.params.output)}`);
}
process.exit();
EOF
chromium_start --enable-features=WebMCPTesting
node answers.mjs "$cdp" >answers.txt
answer() { sed -n "s/^$1: //p" answers.txt; }
expect "the number 42" 42 "$(answer number)"
expect 'the text "42"' 42 "$(answer text)"
expect 'the text "007"' '"007"' "$(answer padded)"
expect 'the text "null"' null "$(answer textNull)"
expect 'the text "[1]"' "[1]" "$(answer textList)"
expect 'an object around the text' '{"text":"42"}' "$(answer wrapped)"
expect "nothing" '"undefined"' "$(answer nothing)"
finish
