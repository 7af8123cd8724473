#!/usr/bin/env bash
# Packages: side-code-export, @seleniumhq/code-export-python-pytest and -javascript-mocha 4.0.13 (npm)
# Guess: the Python that is exported can be run by pytest, be it ugly.
# Seen: no exported file parses, not even of a flow that only opens a page: `setup_method` and `teardown_method` stand at the left edge below
#   the `class` line, and so does every command of more than one line. The JavaScript of the same flow parses.
# Matters: a pipeline that exports for pytest has to indent the file anew, and what was lost is what belongs to an `if` or a loop: only a
#   person can say. Export JavaScript, Java or C#, whose blocks have braces.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

need python3
npm_install side-code-export@4.0.13 @seleniumhq/code-export-python-pytest@4.0.13 @seleniumhq/code-export-javascript-mocha@4.0.13
cp "$here/side.mjs" .
flows=('["open", "/"]' '["open", "/"], ["store", "2", "n"], ["if", "${n} > 1"], ["click", "id=go"], ["end"], ["click", "id=stop"]')
for n in 0 1; do
  node side.mjs http://127.0.0.1:8000 <<<"{\"flow\": [${flows[n]}]}" >"$n.side"
  mkdir "$n"
  for format in python-pytest javascript-mocha; do
    node_modules/.bin/side-code-export "$work/node_modules/@seleniumhq/code-export-$format" "$work/$n.side" "$work/$n" >>export.log
  done
  mv "$n"/*.js "$n.cjs"
  expect "flow $n in JavaScript" parses "$(node --check "$n.cjs" 2>/dev/null && echo parses)"
  expect "flow $n in Python" IndentationError "$(python3 -c 'import ast, sys; ast.parse(open(sys.argv[1]).read())' "$n"/*.py 2>&1 | grep -oE '^[A-Za-z]+Error')"
done
expect "the line of the setup" "def setup_method(self, method):" "$(grep setup_method 0/*.py)"
expect "the body of the condition" '(self.driver.find_element(By.ID, "go").click())' "($(grep '"go"' 1/*.py))"
finish
