#!/usr/bin/env bash
# Packages: pydantic 2.14.4, jsonschema 4.26.0, fastjsonschema 2.22.3, jsonschema-rs 0.61.2 (PyPI), ajv 8.20.0, @cfworker/json-schema 4.1.6,
#   zod 4.6.7 (npm)
# Guess: What a model class takes, its own JSON Schema takes: 19.99 for a price that is a multiple of 0.01.
# Seen: pydantic and zod take it and write `multipleOf: 0.01`. ajv and Python's jsonschema refuse 19.99, 4.02 and 0.07 by that schema, and take
#   19.5; fastjsonschema, jsonschema-rs and @cfworker/json-schema take them all. A Decimal makes jsonschema raise a TypeError.
# Matters: A tool whose model class accepts a price is refused by a client that checks the arguments or the answer with ajv, for some prices only.
#   Write `multipleOf: 1` for cents, or a pattern for text; in ajv, set `multipleOfPrecision`.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

pip_install pydantic==2.14.4 jsonschema==4.26.0 fastjsonschema==2.22.3 jsonschema-rs==0.61.2
npm_install ajv@8.20.0 @cfworker/json-schema@4.1.6 zod@4.6.7
cat >check.py <<'PY'
import json
from decimal import Decimal
from typing import Annotated
import fastjsonschema, jsonschema, jsonschema_rs
from pydantic import Field, TypeAdapter
price = TypeAdapter(Annotated[float, Field(multiple_of=0.01)])
schema = price.json_schema()
json.dump(schema, open("schema.json", "w"))
def holds(check):
    try:
        return check() is not False
    except (fastjsonschema.JsonSchemaValueException, ValueError):
        return False
checks = {
    "pydantic": price.validate_python,
    "jsonschema": jsonschema.Draft202012Validator(schema).is_valid,
    "fastjsonschema": fastjsonschema.compile(schema),
    "jsonschema-rs": jsonschema_rs.validator_for(schema).is_valid,
}
for name, check in checks.items():
    print(f"{name}: {' '.join(str(n) for n in (19.99, 4.02, 0.07, 19.5) if holds(lambda: check(n)))}")
try:
    checks["jsonschema"](Decimal("19.99"))
except TypeError:
    print("Decimal: TypeError")
PY
cat >check.mjs <<'JS'
import { readFileSync } from 'node:fs';
import { Validator } from '@cfworker/json-schema';
import Ajv from 'ajv/dist/2020.js';
import { z } from 'zod';
const schema = JSON.parse(readFileSync('schema.json', 'utf8'));
const price = z.number().multipleOf(0.01);
const show = (name, check) => console.log(`${name}: ${[19.99, 4.02, 0.07, 19.5].filter(check).join(' ')}`);
show('ajv', new Ajv().compile(schema));
show('ajv with multipleOfPrecision', new Ajv({ multipleOfPrecision: 6 }).compile(schema));
show('ajv, schema by zod', new Ajv().compile(z.toJSONSchema(price)));
show('@cfworker/json-schema', (n) => new Validator(schema).validate(n).valid);
show('zod', (n) => price.safeParse(n).success);
JS
python check.py >seen.txt
node check.mjs >>seen.txt
for library in pydantic zod fastjsonschema jsonschema-rs @cfworker/json-schema 'ajv with multipleOfPrecision'; do
  expect "$library takes" "19.99 4.02 0.07 19.5" "$(seen "$library")"
done
for library in ajv jsonschema 'ajv, schema by zod'; do expect "$library takes" "19.5" "$(seen "$library")"; done
expect "jsonschema and a Decimal" "TypeError" "$(seen Decimal)"
finish
