#!/usr/bin/env bash
# Packages: ruamel.yaml 0.19.1, tomlkit 0.15.2 (PyPI), yaml 2.9.1 (npm)
# Guess: Deleting the last key of a section leaves the comment of the next section; if a comment goes with the key, it is the one above it.
# Seen: the other way round: ruamel.yaml deletes the comment below, which introduces the next section, and leaves the one above, which now
#   speaks of nothing. tomlkit leaves both when a key is deleted, but replacing a whole table deletes the next table's comment. yaml (npm)
#   deletes the comment above and keeps the one below.
# Matters: A program that turns a setting off removes the warning above the next one. Compare the comments of both texts after an edit, or
#   cut the lines yourself.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

pip_install tomlkit==0.15.2 ruamel.yaml==0.19.1
npm_install yaml@2.9.1
printf '%s\n' 'a:' '  x: 1' '  # about y' '  y: 2' '' '# about b' 'b: 3' >a.yaml
printf '%s\n' '[a]' 'x = 1' '# about y' 'y = 2' '' '# about b' '[b]' 'z = 3' >a.toml
cat >edit.py <<'PY'
import io
import tomlkit
from ruamel.yaml import YAML
def show(name, text):
    print(f"{name}: {' / '.join(line.strip() for line in text.splitlines() if line)}")
editor, out = YAML(), io.StringIO()
document = editor.load(open("a.yaml"))
del document["a"]["y"]
editor.dump(document, out)
show("ruamel.yaml", out.getvalue())
document = tomlkit.parse(open("a.toml").read())
del document["a"]["y"]
show("tomlkit, a key deleted", tomlkit.dumps(document))
document = tomlkit.parse(open("a.toml").read())
document["a"] = {"x": 5}
show("tomlkit, a table replaced", tomlkit.dumps(document))
PY
cat >edit.mjs <<'JS'
import { readFileSync } from 'node:fs';
import { parseDocument } from 'yaml';
const document = parseDocument(readFileSync('a.yaml', 'utf8'));
document.deleteIn(['a', 'y']);
console.log(`yaml: ${String(document).split('\n').filter(Boolean).map((line) => line.trim()).join(' / ')}`);
JS
python edit.py >seen.txt
node edit.mjs >>seen.txt
expect "ruamel.yaml" "a: / x: 1 / # about y / b: 3" "$(seen ruamel.yaml)"
expect "tomlkit, a key deleted" "[a] / x = 1 / # about y / # about b / [b] / z = 3" "$(seen 'tomlkit, a key deleted')"
expect "tomlkit, a table replaced" "[a] / x = 5 / [b] / z = 3" "$(seen 'tomlkit, a table replaced')"
expect "yaml" "a: / x: 1 / # about b / b: 3" "$(seen yaml)"
finish
