#!/usr/bin/env bash
# Packages: tomlkit 0.15.2, ruamel.yaml 0.19.1 (PyPI), yaml 2.9.1 (npm)
# Guess: A library that keeps comments puts a new key at the end of its section, above the comment that introduces the next section.
# Seen: tomlkit and ruamel.yaml count that comment among the first section, and write the new key below it: `# about b`, then the key of
#   a, then `[b]`. yaml (npm) puts the key above the comment.
# Matters: After each edit by a program the comments of a config file speak of the wrong keys: "# never change this" now stands above
#   another line. Set the key before the last one of its section, or move the comment yourself.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

pip_install tomlkit==0.15.2 ruamel.yaml==0.19.1
npm_install yaml@2.9.1
printf '%s\n' '[a]' 'x = 1' '' '# about b' '[b]' 'y = 2' >a.toml
printf '%s\n' 'a:' '  x: 1' '' '# about b' 'b:' '  y: 2' >a.yaml
printf '%s\n' 'a:' '- x' '' '# about b' 'b: 2' >list.yaml
cat >edit.py <<'PY'
import io
import tomlkit
from ruamel.yaml import YAML
def show(name, text):
    print(f"{name}: {' / '.join(' '.join(line.split()) for line in text.splitlines() if line)}")
document = tomlkit.parse(open("a.toml").read())
document["a"]["new"] = 3
show("tomlkit", tomlkit.dumps(document))
def yaml(file, edit):
    editor, out = YAML(), io.StringIO()
    document = editor.load(open(file))
    edit(document["a"])
    editor.dump(document, out)
    return out.getvalue()
show("ruamel.yaml", yaml("a.yaml", lambda section: section.update({"new": 3})))
show("ruamel.yaml, list", yaml("list.yaml", lambda section: section.append("new")))
PY
cat >edit.mjs <<'JS'
import { readFileSync } from 'node:fs';
import { parseDocument } from 'yaml';
const show = (name, text) => console.log(`${name}: ${String(text).split('\n').filter(Boolean).map((line) => line.trim()).join(' / ')}`);
const map = parseDocument(readFileSync('a.yaml', 'utf8'));
map.setIn(['a', 'new'], 3);
show('yaml', map);
const list = parseDocument(readFileSync('list.yaml', 'utf8'));
list.addIn(['a'], 'new');
show('yaml, list', list);
JS
python edit.py >seen.txt
node edit.mjs >>seen.txt
expect "tomlkit" "[a] / x = 1 / # about b / new = 3 / [b] / y = 2" "$(seen tomlkit)"
expect "ruamel.yaml" "a: / x: 1 / # about b / new: 3 / b: / y: 2" "$(seen ruamel.yaml)"
expect "ruamel.yaml, a list" "a: / - x / # about b / - new / b: 2" "$(seen 'ruamel.yaml, list')"
expect "yaml" "a: / x: 1 / new: 3 / # about b / b: / y: 2" "$(seen yaml)"
expect "yaml, a list" "a: / - x / - new / # about b / b: 2" "$(seen 'yaml, list')"
finish
