#!/usr/bin/env bash
# Packages: partial-json 0.1.7, best-effort-json-parser 1.5.1 (npm), jiter 0.19.0, pydantic-core 2.50.5 (PyPI)
# Guess: While JSON streams, a parser for incomplete JSON only adds: a key that is there stays, and grows.
# Seen: partial-json and jiter (in pydantic's `from_json` too) give `{"x": 19}` for `19`, `{}` for `19.` and `{"x": 19.5}` for `19.5`: the key goes away for one step. jiter
#   leaves out a text that has not ended and yet gives a number that may go on, so 1, 19 and 19.5 follow each other.
# Matters: A view that draws each step flickers, and code that takes a present key for a final one acts on 1 instead of 19.5. Take a
#   number as final when the next key, comma or bracket has come.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install partial-json@0.1.7 best-effort-json-parser@1.5.1
pip_install jiter==0.19.0 pydantic-core==2.50.5
cat >read.mjs <<'JS'
import bestEffort from 'best-effort-json-parser';
import { parse } from 'partial-json';
for (const [name, read] of Object.entries({ 'partial-json': (text) => parse(text), 'best-effort-json-parser': bestEffort.parse })) {
  console.log(`${name}: ${['1', '19', '19.', '19.5'].map((end) => JSON.stringify(read(`{"x": ${end}`))).join(' ')}`);
}
JS
cat >read.py <<'PY'
import json, jiter, pydantic_core
readers = {"jiter": lambda text: jiter.from_json(text.encode(), partial_mode=True), "pydantic-core": lambda text: pydantic_core.from_json(text, allow_partial=True)}
for name, read in readers.items():
    print(f"{name}:", *(json.dumps(read('{"x": ' + end), separators=(",", ":")) for end in ("1", "19", "19.", "19.5")))
    print(f"{name} text:", json.dumps(read('{"x": "19')))
PY
{ node read.mjs; python read.py; } >seen.txt
for name in partial-json jiter pydantic-core; do expect "$name, after 1, 19, 19. and 19.5" '{"x":1} {"x":19} {} {"x":19.5}' "$(seen "$name")"; done
for name in jiter pydantic-core; do expect "$name, a text that has not ended" '{}' "$(seen "$name text")"; done
expect "best-effort-json-parser" '{"x":1} {"x":19} {"x":19} {"x":19.5}' "$(seen best-effort-json-parser)"
finish
