#!/usr/bin/env bash
# Packages: jsonc-parser 3.3.1, comment-json 5.0.0 (npm)
# Guess: `modify`, by which editors change settings files, leaves a comment behind a value with that value.
# Seen: a new property goes between the last value and the comment behind it, so that the comment now explains the new property. Removing the
#   last property also removes the comment of the one before it, and gives that one the comment of the removed. An appended array element
#   takes its neighbour's comment as well. comment-json keeps them all where they were.
# Matters: After an edit by a program, "// do not raise: see the incident" stands behind another setting. Write comments on the line above
#   the property, which `modify` leaves alone when it adds.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install jsonc-parser@3.3.1 comment-json@5.0.0
cat >edit.mjs <<'JS'
import { parse, stringify } from 'comment-json';
import jsonc from 'jsonc-parser';
const { applyEdits, modify } = jsonc;
const show = (name, text) => console.log(`${name}: ${text.split('\n').map((line) => line.trim()).filter(Boolean).join(' ')}`);
const text = '{\n  "a": 1, // about a\n  "b": 2 // about b\n}\n';
const list = '{\n  "a": [\n    1, // one\n    2 // two\n  ]\n}\n';
const formattingOptions = { insertSpaces: true, tabSize: 2 };
const edit = (from, path, value) => applyEdits(from, modify(from, path, value, { formattingOptions }));
show('jsonc-parser, added', edit(text, ['c'], 3));
show('jsonc-parser, removed', edit(text, ['b'], undefined));
show('jsonc-parser, appended', edit(list, ['a', -1], 3));
show('jsonc-parser, changed', edit(text, ['b'], 9));
const byComment = (from, change) => { const value = parse(from); change(value); return stringify(value, null, 2); };
show('comment-json, added', byComment(text, (value) => { value.c = 3; }));
show('comment-json, removed', byComment(text, (value) => { delete value.b; }));
show('comment-json, appended', byComment(list, (value) => { value.a.push(3); }));
JS
node edit.mjs >seen.txt
expect "jsonc-parser, c added" '{ "a": 1, // about a "b": 2, "c": 3 // about b }' "$(seen 'jsonc-parser, added')"
expect "jsonc-parser, b removed" '{ "a": 1 // about b }' "$(seen 'jsonc-parser, removed')"
expect "jsonc-parser, 3 appended" '{ "a": [ 1, // one 2, 3 // two ] }' "$(seen 'jsonc-parser, appended')"
expect "jsonc-parser, b changed" '{ "a": 1, // about a "b": 9 // about b }' "$(seen 'jsonc-parser, changed')"
expect "comment-json, c added" '{ "a": 1, // about a "b": 2, // about b "c": 3 }' "$(seen 'comment-json, added')"
expect "comment-json, b removed" '{ "a": 1 // about a }' "$(seen 'comment-json, removed')"
expect "comment-json, 3 appended" '{ "a": [ 1, // one 2, // two 3 ] }' "$(seen 'comment-json, appended')"
finish
