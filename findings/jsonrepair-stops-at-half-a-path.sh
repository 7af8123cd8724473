#!/usr/bin/env bash
# Packages: jsonrepair 3.15.0, partial-json 0.1.7 (npm), json-repair 0.64.6 (PyPI)
# Guess: A library that repairs truncated JSON closes the string in which the text ends, whatever its last character is.
# Seen: jsonrepair raises "Object key expected" if a value of an object ends with a slash, as `{"path": "src/` and `{"url": "https:/` do, or goes on behind a blank
#   with a bracket (`{"code": "fn() {`). In a list the slash becomes an item of its own. A letter more, and it is repaired. partial-json and json-repair close the string.
# Matters: A stream of paths, addresses or code that is repaired at each step fails at some steps, and a reply that was cut off there is lost. Keep the
#   last good value on an error, or use a parser for incomplete JSON.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install jsonrepair@3.15.0 partial-json@0.1.7
pip_install json-repair==0.64.6
cat >read.mjs <<'JS'
import { jsonrepair } from 'jsonrepair';
import { parse } from 'partial-json';
const texts = { letter: '{"path": "src/a', slash: '{"path": "src/', scheme: '{"url": "https:/', two: '{"url": "https://', list: '["src/', code: '{"code": "fn() {' };
for (const [name, text] of Object.entries(texts)) {
  let repaired;
  try { repaired = JSON.stringify(JSON.parse(jsonrepair(text))); } catch (error) { repaired = error.message.replace(/ at position.*/, ''); }
  console.log(`${name}: ${repaired}`);
  console.log(`partial-json ${name}: ${JSON.stringify(parse(text))}`);
}
JS
node read.mjs >seen.txt
expect "jsonrepair, cut behind a letter" '{"path":"src/a"}' "$(seen letter)"
expect "jsonrepair, cut behind a slash" 'Object key expected' "$(seen slash)"
expect "jsonrepair, cut behind https:/" 'Object key expected' "$(seen scheme)"
expect "jsonrepair, cut behind https://" '{"url":"https://"}' "$(seen two)"
expect "jsonrepair, a list cut behind a slash" '["src","/"]' "$(seen list)"
expect "jsonrepair, code cut behind a bracket" 'Unexpected character "{"' "$(seen code)"
expect "partial-json, cut behind a slash" '{"path":"src/"}' "$(seen 'partial-json slash')"
expect "partial-json, code" '{"code":"fn() {"}' "$(seen 'partial-json code')"
expect "json-repair, cut behind a slash" "{'path': 'src/'}" "$(python -c 'import json_repair; print(json_repair.loads("{\"path\": \"src/"))')"
finish
