#!/usr/bin/env bash
# Packages: diff 9.0.0 (npm), GNU diff and patch
# Guess: A patch that `createTwoFilesPatch` makes with `ignoreWhitespace` applies to the old text, as one by `diff -w` does.
# Seen: it does not: unchanged lines are written as the new text has them, removed ones as the old text has them, so the context is found
#   in neither file. `applyPatch` returns false for either text. GNU diff takes its context from the old file.
# Matters: A tool that shows an edit without its changes of blanks cannot use the same patch to make the edit. Make two patches.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

need diff patch
npm_install diff@9.0.0
printf '    %s\n' one two three >old.txt
printf '%s\n' one TWO three >new.txt
cat >patch.mjs <<'JS'
import { readFileSync } from 'node:fs';
import { applyPatch, createTwoFilesPatch } from 'diff';
const [old, next, gnu] = ['old.txt', 'new.txt', 'gnu.diff'].map((file) => readFileSync(file, 'utf8'));
const patch = createTwoFilesPatch('old.txt', 'old.txt', old, next, '', '', { ignoreWhitespace: true });
const result = (text) => (text === false ? 'refused' : 'applied');
const lines = (text) => text.split('\n').filter((line) => /^[ +-](?![+-])/.test(line)).map((line) => line.replaceAll(' ', '.')).join(' ');
console.log(`lines: ${lines(patch)}`);
console.log(`lines of GNU diff: ${lines(gnu)}`);
console.log(`own, to the old text: ${result(applyPatch(old, patch))}`);
console.log(`own, to the new text: ${result(applyPatch(next, patch))}`);
console.log(`GNU's, to the old text: ${result(applyPatch(old, gnu))}`);
console.log(`without the option: ${result(applyPatch(old, createTwoFilesPatch('a', 'a', old, next)))}`);
JS
diff -uw --label old.txt --label old.txt old.txt new.txt >gnu.diff || true
node patch.mjs >seen.txt
expect "its lines, with blanks as dots" ".one -....two +TWO .three" "$(seen lines)"
expect "GNU diff's" ".....one -....two +TWO .....three" "$(seen 'lines of GNU diff')"
expect "own patch, to the old text" "refused" "$(seen 'own, to the old text')"
expect "own patch, to the new text" "refused" "$(seen 'own, to the new text')"
expect "GNU's patch, to the old text" "applied" "$(seen "GNU's, to the old text")"
expect "own patch without the option" "applied" "$(seen 'without the option')"
finish
