#!/usr/bin/env bash
# Packages: codex-acp 2.6.0, @google/gemini-cli 0.61.0, opencode-ai 1.18.33 (npm)
# Guess: A tool's `inputSchema` reaches the model as the server wrote it, or is refused where the API knows less.
# Seen: Codex removes `minimum`, `maximum`, `pattern`, `format`, `default` and `examples`, turns `const` into an `enum` of text, and keeps `$ref`,
#   `oneOf` and lists of types. opencode and Gemini keep the limits. No one says so.
# Matters: Codex's model does not know that a page has at most 100 rows or what a date looks like, and learns it from errors. Say limits and
#   formats in `description` as well, which stays.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

agents codex gemini opencode
cat >tools.mjs <<'JS'
const properties = {
  rows: { type: 'integer', minimum: 1, maximum: 100, default: 20, description: 'How many rows' },
  day: { type: 'string', format: 'date', pattern: '^2', examples: ['2026-01-02'] },
  kind: { const: 'list' },
  filter: { type: ['string', 'null'] },
  at: { $ref: '#/$defs/point' },
};
const $defs = { point: { type: 'object', properties: { x: { type: 'number' } } } };
const inputSchema = { type: 'object', properties, $defs, oneOf: [{ required: ['rows'] }, { required: ['day'] }] };
export default [{ name: 'rows', inputSchema, answer: () => ({ content: [] }) }];
JS
probe <<'JS'
for (const name of ['codex', 'gemini', 'opencode']) {
  const fake = await model(`requests.${name}`);
  const program = await session(name, fake, [mcpServer()]);
  await program.prompt('hello');
  const tools = fake.requests().flatMap(({ body }) => body.tools ?? []).flatMap((tool) => tool.functionDeclarations ?? tool.tools ?? [tool.function ?? tool]);
  const found = tools.find((tool) => /(^|srv_)rows$/.test(tool.name));
  const schema = JSON.stringify(found.parametersJsonSchema ?? found.parameters);
  const has = (...words) => words.filter((word) => schema.includes(`"${word}":`)).join(' ') || 'none';
  console.log(`${name} limits: ${has('minimum', 'maximum', 'pattern', 'format', 'default', 'examples')}`);
  console.log(`${name} rest: ${has('const', 'enum', '$ref', 'oneOf', 'description')}`);
  await program.stop();
  fake.stop();
}
process.exit();
JS
expect "opencode, limits" "minimum maximum pattern format default examples" "$(seen 'opencode limits')"
expect "Gemini, limits" "minimum maximum pattern format default examples" "$(seen 'gemini limits')"
expect "Codex, limits" none "$(seen 'codex limits')"
expect "Codex, the rest" 'enum $ref oneOf description' "$(seen 'codex rest')"
finish
