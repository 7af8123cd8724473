#!/usr/bin/env bash
# Packages: jsonrepair 3.15.0, partial-json 0.1.7, best-effort-json-parser 1.5.1 (npm), json-repair 0.64.6, jiter 0.19.0 (PyPI)
# Guess: A library that completes JSON while it streams knows that `fal` can only become `false`, and gives that or leaves the key out.
# Seen: jsonrepair and json-repair make the text "fal" of it, which counts as true; one letter later it is the boolean. `tr` and `nu` are texts too, and
#   behind a lone `-` stands a 0 or "". partial-json and best-effort-json-parser give the boolean, jiter leaves the key out.
# Matters: A UI or agent that acts on the arguments of a tool call as they come sees `{ dryRun: "fal" }`, and then `false`. Check
#   types on each step, or parse what is not complete with a parser made for that.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install jsonrepair@3.15.0 partial-json@0.1.7 best-effort-json-parser@1.5.1
pip_install json-repair==0.64.6 jiter==0.19.0
cat >read.mjs <<'JS'
import bestEffort from 'best-effort-json-parser';
import { jsonrepair } from 'jsonrepair';
import { parse } from 'partial-json';
const readers = { jsonrepair: (text) => JSON.parse(jsonrepair(text)), 'partial-json': (text) => parse(text), 'best-effort-json-parser': bestEffort.parse };
for (const [name, read] of Object.entries(readers)) for (const end of ['fal', 'false', 'nu', '-']) console.log(`${name} ${end}: ${JSON.stringify(read(`{"a": ${end}`))}`);
JS
cat >read.py <<'PY'
import json, jiter, json_repair
for name, read in {"json-repair": json_repair.loads, "jiter": lambda text: jiter.from_json(text.encode(), partial_mode=True)}.items():
    for end in ("fal", "false", "nu", "-"):
        print(f"{name} {end}:", json.dumps(read('{"a": ' + end), separators=(",", ":")))
PY
{ node read.mjs; python read.py; } >seen.txt
for name in jsonrepair json-repair; do
  expect "$name, fal" '{"a":"fal"}' "$(seen "$name fal")"
  expect "$name, false" '{"a":false}' "$(seen "$name false")"
  expect "$name, nu" '{"a":"nu"}' "$(seen "$name nu")"
done
expect "jsonrepair, -" '{"a":0}' "$(seen 'jsonrepair -')"
expect "json-repair, -" '{"a":""}' "$(seen 'json-repair -')"
for name in partial-json best-effort-json-parser; do expect "$name, fal" '{"a":false}' "$(seen "$name fal")"; done
expect "jiter, fal" '{}' "$(seen 'jiter fal')"
finish
