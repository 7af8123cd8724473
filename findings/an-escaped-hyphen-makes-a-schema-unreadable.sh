#!/usr/bin/env bash
# Packages: pydantic 2.14.4, jsonschema 4.26.0, jsonschema-rs 0.61.2 (PyPI), ajv 8.20.0, @cfworker/json-schema 4.1.6, zod 4.6.7 (npm)
# Guess: A `pattern` that Python's `re.escape` makes of an ordinary word is understood by every JSON Schema validator.
# Seen: of "x-ray" it makes `x\-ray`, which pydantic puts into the schema. ajv and @cfworker/json-schema throw "Invalid escape": they compile
#   patterns with the flag `u`, under which only syntax characters may be escaped, and the whole schema is lost, not this check alone.
#   Python's jsonschema, jsonschema-rs and zod's `fromJSONSchema` take it. The other way round, a named group of JavaScript, `(?<n>…)`,
#   makes jsonschema raise a bare `re.error`, and look-ahead is refused by pydantic.
# Matters: One tool with such a pattern makes a client that compiles all schemas at once lose every tool. Use the common part of the dialects:
#   no needless escapes, no named groups, no look-around; test each schema with ajv.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

pip_install pydantic==2.14.4 jsonschema==4.26.0 jsonschema-rs==0.61.2
npm_install ajv@8.20.0 @cfworker/json-schema@4.1.6 zod@4.6.7
cat >check.py <<'PY'
import json, re
from typing import Annotated
import jsonschema, jsonschema_rs, pydantic
class Part(pydantic.BaseModel):
    code: Annotated[str, pydantic.Field(pattern=re.escape("x-ray"))]
schema, part = Part.model_json_schema(), {"code": "x-ray"}
Part.model_validate(part)
json.dump(schema, open("schema.json", "w"))
print(f"pattern: {schema['properties']['code']['pattern']}")
def show(name, check):
    try:
        print(f"{name}: {'valid' if check() is not False else 'invalid'}")
    except Exception as problem:
        print(f"{name}: {type(problem).__name__}")
show("jsonschema", lambda: jsonschema.Draft202012Validator(schema).is_valid(part))
show("jsonschema-rs", lambda: jsonschema_rs.validator_for(schema).is_valid(part))
group = {"pattern": "^(?<n>x)$"}
show("jsonschema, a named group", lambda: jsonschema.Draft202012Validator(group).is_valid("x"))
show("jsonschema-rs, a named group", lambda: jsonschema_rs.validator_for(group).is_valid("x"))
show("pydantic, a look-ahead", lambda: pydantic.TypeAdapter(Annotated[str, pydantic.Field(pattern="^(?!y)x$")]).validate_python("x"))
PY
cat >check.mjs <<'JS'
import { readFileSync } from 'node:fs';
import { Validator } from '@cfworker/json-schema';
import Ajv from 'ajv/dist/2020.js';
import { z } from 'zod';
const schema = JSON.parse(readFileSync('schema.json', 'utf8'));
const part = { code: 'x-ray' };
const show = (name, check) => {
  let seen;
  try { seen = check() ? 'valid' : 'invalid'; } catch (problem) { seen = /Invalid escape/.test(problem.message) ? 'Invalid escape' : problem.name; }
  console.log(`${name}: ${seen}`);
};
show('ajv', () => new Ajv().compile(schema)(part));
show('ajv without the flag u', () => new Ajv({ unicodeRegExp: false }).compile(schema)(part));
show('@cfworker/json-schema', () => new Validator(schema).validate(part).valid);
show('zod', () => z.fromJSONSchema(schema).safeParse(part).success);
show('ajv, a named group', () => new Ajv().compile({ type: 'string', pattern: '^(?<n>x)$' })('x'));
JS
python check.py >seen.txt
node check.mjs >>seen.txt
expect "pydantic's pattern" 'x\-ray' "$(seen pattern)"
for library in ajv @cfworker/json-schema; do expect "$library" "Invalid escape" "$(seen "$library")"; done
for library in jsonschema jsonschema-rs zod 'ajv without the flag u'; do expect "$library" "valid" "$(seen "$library")"; done
expect "a named group: ajv, jsonschema-rs, jsonschema" "valid, valid, error" \
  "$(seen 'ajv, a named group'), $(seen 'jsonschema-rs, a named group'), $(seen 'jsonschema, a named group')"
expect "a look-ahead: pydantic" "SchemaError" "$(seen 'pydantic, a look-ahead')"
finish
