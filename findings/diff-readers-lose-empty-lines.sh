#!/usr/bin/env bash
# Packages: gitdiff-parser 0.3.1, parse-diff 0.12.0, diff 9.0.0 (npm), whatthepatch 1.0.7, unidiff 1.0.1 (PyPI), git
# Guess: Readers of git's diffs count an empty line of the context also if git leaves out its blank (`diff.suppressBlankEmpty`; GNU diff has
#   `--suppress-blank-empty`): POSIX allows both forms.
# Seen: gitdiff-parser and whatthepatch drop such lines, so that each later line of the hunk has a number that is too low, and whatthepatch
#   refuses to apply the diff. parse-diff, diff and unidiff read it right.
# Matters: A setting of the person, which no repository shows, moves review comments and coverage marks to other lines. Run git with
#   `-c diff.suppressBlankEmpty=false`.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

need git
npm_install gitdiff-parser@0.3.1 parse-diff@0.12.0 diff@9.0.0
pip_install whatthepatch==1.0.7 unidiff==1.0.1
git init -q project
printf '%s\n' one '' three four >project/a.txt
git -C project add .
printf '%s\n' one '' three FOUR >project/a.txt
git -C project diff >plain.diff
git -C project -c diff.suppressBlankEmpty=true diff >short.diff
expect "lines in which the two diffs differ" "1" "$(diff plain.diff short.diff | grep -c '^<')"
cat >read.mjs <<'JS'
import { readFileSync } from 'node:fs';
import { applyPatch } from 'diff';
import gitdiff from 'gitdiff-parser';
import parseDiff from 'parse-diff';
const parser = gitdiff.default ?? gitdiff;
for (const form of ['plain', 'short']) {
  const patch = readFileSync(`${form}.diff`, 'utf8');
  console.log(`gitdiff-parser ${form}: ${parser.parse(patch)[0].hunks[0].changes.find(({ type }) => type === 'delete').lineNumber}`);
  console.log(`parse-diff ${form}: ${parseDiff(patch)[0].chunks[0].changes.find(({ type }) => type === 'del').ln}`);
  console.log(`diff ${form}: ${applyPatch('one\n\nthree\nfour\n', patch) === 'one\n\nthree\nFOUR\n' ? 'applied' : 'refused'}`);
}
JS
cat >read.py <<'PY'
import unidiff, whatthepatch
for form in "plain", "short":
    patch = open(f"{form}.diff").read()
    found = next(iter(whatthepatch.parse_patch(patch)))
    print(f"whatthepatch {form}: {next(change.old for change in found.changes if change.new is None)}")
    try:
        whatthepatch.apply_diff(found, "one\n\nthree\nfour\n")
        print(f"whatthepatch applies {form}: applied")
    except whatthepatch.exceptions.HunkApplyException:
        print(f"whatthepatch applies {form}: refused")
    print(f"unidiff {form}: {next(line.source_line_no for line in unidiff.PatchSet(patch)[0][0] if line.is_removed)}")
PY
node read.mjs >seen.txt
python read.py >>seen.txt
for reader in gitdiff-parser parse-diff whatthepatch unidiff; do expect "$reader, plain" "4" "$(seen "$reader plain")"; done
expect "whatthepatch applies the plain diff" "applied" "$(seen 'whatthepatch applies plain')"
for reader in parse-diff unidiff; do expect "$reader, short" "4" "$(seen "$reader short")"; done
for reader in gitdiff-parser whatthepatch; do expect "$reader, short" "3" "$(seen "$reader short")"; done
expect "whatthepatch applies the short diff" "refused" "$(seen 'whatthepatch applies short')"
expect "diff applies the short diff" "applied" "$(seen 'diff short')"
finish
