#!/usr/bin/env bash
# Packages: yaml 2.9.1 (npm), ruamel.yaml 0.19.1, PyYAML 6.0.4 (PyPI)
# Guess: After `parseDocument`, one `set` and `toString`, which keeps comments and quotes, the values that nobody touched are written as they
#   were read.
# Seen: numbers are written anew: `0755` becomes `755`, `010` becomes `10`, `12e3` becomes `1.2e+4`, and a number of 20 digits is rounded.
#   `1_000`, `0o755` and `1.10` are kept. ruamel.yaml keeps them all.
# Matters: The file's other readers follow YAML 1.1 (PyYAML here), where `0755` is the file mode rwxr-xr-x and `755` is not: an edit of a
#   name changes a permission, and an id loses its last digits. Read with `intAsBigInt: true` for the long numbers, and quote the others.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install yaml@2.9.1
pip_install ruamel.yaml==0.19.1 pyyaml==6.0.4
cat >a.yaml <<'YAML'
name: old # the only one that changes
mode: 0755
code: 010
rate: 12e3
id: 12345678901234567890
price: 1.10
octal: 0o755
many: 1_000
YAML
cat >edit.mjs <<'JS'
import { readFileSync, writeFileSync } from 'node:fs';
import { parseDocument } from 'yaml';
const document = parseDocument(readFileSync('a.yaml', 'utf8'));
document.set('name', 'new');
writeFileSync('by-yaml.yaml', String(document));
const exact = parseDocument(readFileSync('a.yaml', 'utf8'), { intAsBigInt: true });
exact.set('name', 'new');
writeFileSync('by-bigint.yaml', String(exact));
JS
cat >edit.py <<'PY'
from ruamel.yaml import YAML
editor = YAML()
document = editor.load(open("a.yaml"))
document["name"] = "new"
editor.dump(document, open("by-ruamel.yaml", "w"))
PY
node edit.mjs
python edit.py
values() { sed -n 's/^\('"$2"'\): //p' "$1" | paste -sd' ' -; }
mode() { python -c 'import sys, yaml; print(oct(yaml.safe_load(open(sys.argv[1]))["mode"]))' "$1"; }
expect "yaml: mode, code, rate" "755 10 1.2e+4" "$(values by-yaml.yaml 'mode\|code\|rate')"
expect "yaml: id" "12345678901234567000" "$(values by-yaml.yaml id)"
expect "yaml with intAsBigInt: id" "12345678901234567890" "$(values by-bigint.yaml id)"
expect "yaml: price, octal, many" "1.10 0o755 1_000" "$(values by-yaml.yaml 'price\|octal\|many')"
expect "yaml: the comment" "1" "$(grep -c '# the only one that changes' by-yaml.yaml)"
expect "ruamel.yaml: lines that changed" "name" "$(diff a.yaml by-ruamel.yaml | sed -n 's/^< \([a-z]*\):.*/\1/p' | paste -sd' ' -)"
expect "PyYAML's mode before, after yaml" "0o755 0o1363" "$(mode a.yaml) $(mode by-yaml.yaml)"
finish
