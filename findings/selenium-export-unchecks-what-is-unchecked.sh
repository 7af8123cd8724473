#!/usr/bin/env bash
# Packages: side-code-export, @seleniumhq/code-export-python-pytest and -javascript-mocha 4.0.13 (npm)
# Guess: `uncheck` is exported to Python as a click on a box that is ticked, and on no other, as `check` clicks one that is not.
# Seen: the condition is `if element.is_selected:`, without the call. A method is always true, so the box is clicked in any case, and one that
#   was empty is ticked. `check` calls the method, and the JavaScript code calls it in both.
# Matters: "leave the newsletter off" subscribes, and nothing fails. (The Python file has to be indented by hand before it runs at all, see
#   selenium-export-writes-python-that-does-not-parse; add the parentheses on the way.)
set -euo pipefail
. "$(dirname "$0")/lib.sh"

need python3
npm_install side-code-export@4.0.13 @seleniumhq/code-export-python-pytest@4.0.13 @seleniumhq/code-export-javascript-mocha@4.0.13
cp "$here/side.mjs" .
for command in check uncheck; do
  node side.mjs http://127.0.0.1:8000 <<<"{\"box\": [[\"open\", \"/\"], [\"$command\", \"id=box\"]]}" >"$command.side"
  mkdir "$command"
  for format in python-pytest javascript-mocha; do
    node_modules/.bin/side-code-export "$work/node_modules/@seleniumhq/code-export-$format" "$work/$command.side" "$work/$command" >>export.log
  done
done
# Runs the exported condition on a box that is ticked or not, and prints whether it is ticked afterwards.
cat >run.py <<'PY'
import re, sys

class Box:
    def __init__(self, ticked): self.ticked = ticked
    def is_selected(self): return self.ticked
    def click(self): self.ticked = not self.ticked

line = next(line.strip() for line in open(sys.argv[1]) if re.search(r'if element\.is_selected', line))
element = Box(sys.argv[2] == 'ticked')
exec(line)
print('ticked' if element.ticked else 'empty')
PY
for before in ticked empty; do
  expect "check, a box that is $before" ticked "$(python3 run.py check/*.py "$before")"
done
expect "uncheck, a box that is ticked" empty "$(python3 run.py uncheck/*.py ticked)"
expect "uncheck, a box that is empty" ticked "$(python3 run.py uncheck/*.py empty)"
expect "uncheck in JavaScript" "if (await element.isSelected())" "$(grep -oE 'if \(.*isSelected\(\)\)' uncheck/*.js)"
finish
