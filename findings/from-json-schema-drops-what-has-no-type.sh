#!/usr/bin/env bash
# Packages: zod 4.6.7, json-schema-to-zod 2.8.1, ajv 8.20.0 (npm)
# Guess: `z.fromJSONSchema`, which throws for keywords that it does not support (`not`, `if`), takes over all others.
# Seen: two kinds of rules become "anything goes", without an error. A schema without `type` is one: `{maximum: 3}`, `{items: …}`. `required` is the
#   other, for keys that are not in `properties` of the same object: of the usual `anyOf: [{required: ['id']}, {required: ['name']}]` nothing
#   is left, with a `type` in each part too. json-schema-to-zod drops a schema without `type` as well. ajv applies each of them.
# Matters: A tool's rule "give an id or a name" is gone in a client that turns schemas into zod, and so in what its model is shown. Repeat
#   `type` and `properties` in each part of `anyOf`, and compare `z.toJSONSchema` of the result with the source.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install zod@4.6.7 json-schema-to-zod@2.8.1 ajv@8.20.0
cat >check.mjs <<'JS'
import Ajv from 'ajv/dist/2020.js';
import { jsonSchemaToZod } from 'json-schema-to-zod';
import { z } from 'zod';
const object = { type: 'object', properties: { id: { type: 'integer' }, name: { type: 'string' } } };
const either = (extra) => ({ ...object, anyOf: [{ ...extra, required: ['id'] }, { ...extra, required: ['name'] }] });
const schemas = { 'any of': either({}), 'any of, with types': either({ type: 'object' }), 'any of, with properties': either(object), maximum: { maximum: 3 }, items: { items: { type: 'string' } } };
for (const [name, schema] of Object.entries(schemas)) {
  const { $schema, ...back } = z.toJSONSchema(z.fromJSONSchema(schema));
  const parts = back.anyOf ?? back.allOf?.[1].anyOf;
  const required = parts && parts.map((part) => (part.required ?? ['nothing']).join()).join(', ');
  console.log(`zod ${name}: ${required ? `one of ${required}` : JSON.stringify(back)}`);
  console.log(`ajv ${name}: ${new Ajv({ strict: false }).validate(schema, { maximum: 5, items: [1] }[name] ?? {}) ? 'taken' : 'refused'}`);
}
console.log(`json-schema-to-zod maximum: ${jsonSchemaToZod({ maximum: 3 })}`);
console.log(`json-schema-to-zod with a type: ${jsonSchemaToZod({ type: 'number', maximum: 3 })}`);
try { z.fromJSONSchema({ not: { type: 'string' } }); } catch { console.log('zod not: throws'); }
JS
node check.mjs >seen.txt
expect "zod, any of" "one of nothing, nothing" "$(seen 'zod any of')"
expect "zod, any of, each part with a type" "one of nothing, nothing" "$(seen 'zod any of, with types')"
expect "zod, any of, each part with type and properties" "one of id, name" "$(seen 'zod any of, with properties')"
expect "zod, {maximum: 3}" "{}" "$(seen 'zod maximum')"
expect "zod, {items: …}" "{}" "$(seen 'zod items')"
expect "zod, not" "throws" "$(seen 'zod not')"
expect "json-schema-to-zod, {maximum: 3}" "z.any()" "$(seen 'json-schema-to-zod maximum')"
expect "json-schema-to-zod, with a type" "z.number().lte(3)" "$(seen 'json-schema-to-zod with a type')"
for name in 'any of' 'any of, with types' 'any of, with properties' maximum items; do expect "ajv, what does not fit $name" "refused" "$(seen "ajv $name")"; done
finish
