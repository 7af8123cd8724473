#!/usr/bin/env bash
# Packages: @google/gemini-cli 0.61.0, opencode-ai 1.18.33 (npm)
# Guess: An agent calls an MCP tool with arguments of the tool's own schema; what it adds for itself it takes out again.
# Seen: Gemini CLI adds `wait_for_previous` to the schema of each tool before its model sees it, also where the server said
#   `additionalProperties: false`, and sends the argument on to the server.
# Matters: A server that checks its arguments strictly refuses calls of Gemini that set it. Ignore this one name, or all unknown arguments.
#   And a tool that has an argument of this name gets the agent's meaning.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

agents gemini opencode
cat >tools.mjs <<'JS'
const inputSchema = { type: 'object', properties: { address: { type: 'string' } }, additionalProperties: false };
export default [{ name: 'open', inputSchema, answer: () => ({ content: [{ type: 'text', text: 'opened' }] }) }];
JS
probe <<'JS'
import { readFileSync, rmSync } from 'node:fs';
for (const name of ['gemini', 'opencode']) {
  rmSync('mcp.log', { force: true });
  const fake = await model(`requests.${name}`);
  const program = await session(name, fake, [mcpServer()]);
  await program.prompt('hello');
  await program.call('open', { address: 'a', wait_for_previous: true });
  const tools = fake.requests().flatMap(({ body }) => body.tools ?? []).flatMap((tool) => tool.functionDeclarations ?? [tool.function ?? tool]);
  const schema = tools.find((tool) => /srv_open$/.test(tool.name));
  const { properties, additionalProperties } = schema.parametersJsonSchema ?? schema.parameters;
  const sent = readFileSync('mcp.log', 'utf8').split('\n').filter((line) => line.includes('tools/call')).map((line) => JSON.parse(line));
  console.log(`${name} schema: ${Object.keys(properties).join(', ')}; additional ${additionalProperties}`);
  console.log(`${name} sends: ${sent.map(({ params }) => Object.keys(params.arguments).join(', ')).join('; ') || 'no call'}`);
  await program.stop();
  fake.stop();
}
process.exit();
JS
expect "opencode, the schema before the model" "address; additional false" "$(seen 'opencode schema')"
expect "Gemini, the schema before the model" "address, wait_for_previous; additional false" "$(seen 'gemini schema')"
expect "Gemini, what the server gets" "address, wait_for_previous" "$(seen 'gemini sends')"
finish
