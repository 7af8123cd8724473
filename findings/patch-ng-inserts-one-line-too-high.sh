#!/usr/bin/env bash
# Packages: patch-ng 1.19.1, whatthepatch 1.0.7 (PyPI), diff 9.0.0 (npm), GNU patch 2.7, git
# Guess: A diff without context (`diff -U0`) gives the same text in each library: a hunk `@@ -2,0 +3 @@` adds its lines after line 2.
# Seen: patch-ng adds them before line 2, and reports success. GNU patch, `git apply --unidiff-zero`, diff (npm) and whatthepatch add them
#   after it. With one line of context all agree.
# Matters: Diffs without context are what blame tools, formatters and linters write ("changed lines only"); applied by patch-ng, an import or
#   a setting ends up one line too high, in another block. Ask for at least one line of context.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

need patch git diff
pip_install patch-ng==1.19.1 whatthepatch==1.0.7
npm_install diff@9.0.0
printf '%s\n' one two three four >old.txt
printf '%s\n' one two NEW three four >new.txt
cat >apply.py <<'PY'
import pathlib, sys
import patch_ng, whatthepatch
library, patch = sys.argv[1], pathlib.Path(sys.argv[2]).read_text()
if library == "whatthepatch":
    print(*whatthepatch.apply_diff(next(iter(whatthepatch.parse_patch(patch))), pathlib.Path("old.txt").read_text()))
else:
    pathlib.Path("tree").mkdir(exist_ok=True)
    pathlib.Path("tree/a.txt").write_text(pathlib.Path("old.txt").read_text())
    done = patch_ng.fromstring(patch.encode()).apply(root="tree")
    print(*pathlib.Path("tree/a.txt").read_text().split(), "" if done else "(failed)")
PY
cat >apply.mjs <<'JS'
import { readFileSync } from 'node:fs';
import { applyPatch } from 'diff';
console.log(applyPatch(readFileSync('old.txt', 'utf8'), readFileSync(process.argv[2], 'utf8')).trim().replaceAll('\n', ' '));
JS
for context in 0 1; do
  diff -U"$context" --label a/a.txt --label b/a.txt old.txt new.txt >"$context.diff" || true
  wanted="one two NEW three four"
  cp old.txt a.txt
  patch -s -p1 <"$context.diff"
  expect "GNU patch, -U$context" "$wanted" "$(paste -sd' ' a.txt)"
  cp old.txt a.txt
  git apply --unidiff-zero "$context.diff"
  expect "git apply, -U$context" "$wanted" "$(paste -sd' ' a.txt)"
  expect "diff (npm), -U$context" "$wanted" "$(node apply.mjs "$context.diff")"
  expect "whatthepatch, -U$context" "$wanted" "$(python apply.py whatthepatch "$context.diff")"
  [ "$context" = 1 ] || wanted="one NEW two three four"
  expect "patch-ng, -U$context" "$wanted " "$(python apply.py patch-ng "$context.diff")"
done
finish
