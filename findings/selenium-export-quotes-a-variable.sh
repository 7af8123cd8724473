#!/usr/bin/env bash
# Packages: side-code-export, @seleniumhq/code-export-javascript-mocha, -java-junit, -python-pytest, -ruby-rspec and -csharp-xunit 4.0.13 (npm)
# Guess: `Dear ${name}` in a command is exported as a text that is joined with the variable.
# Seen: the access to the variable stands within the text's own quotes, as in `"Dear vars["name"]"`, in all five languages: the
#   file is no code. A second variable in the same text stays as `${...}`. `${name}` alone is exported well, in JavaScript at least as
#   `vars["name"]`.
# Matters: one greeting or address with a variable in the middle makes a whole exported suite unusable. Build the text in a step of its
#   own (`executeScript | return "Dear " + ${name} | text`), and use `${text}`.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

export_to=(javascript-mocha java-junit python-pytest ruby-rspec csharp-xunit)
packages=("${export_to[@]/#/@seleniumhq/code-export-}")
npm_install side-code-export@4.0.13 "${packages[@]/%/@4.0.13}"
cp "$here/side.mjs" .
commands='["open", "/"], ["store", "Ann", "name"], ["store", "Bo", "other"], ["type", "id=field"'
for way in alone within; do
  text='${name}'; [ "$way" = alone ] || text='Dear ${name} and ${other}'
  node side.mjs http://127.0.0.1:8000 <<<"{\"greets\": [$commands, \"$text\"]]}" >"$way.side"
  mkdir "$way"
  for format in "${export_to[@]}"; do node_modules/.bin/side-code-export "$work/node_modules/@seleniumhq/code-export-$format" "$work/$way.side" "$work/$way" >>export.log; done
  mv "$way"/*.js "$way.cjs"
  if node --check "$way.cjs" 2>/dev/null; then echo "$way: code"; else echo "$way: no code"; fi
done >seen.txt
typed() { grep -ihoE "send_?keys\(.*\)" $1 | head -n 1 | sed 's/^[^(]*//'; }
expect "JavaScript, the variable alone" '(vars["name"])' "$(typed alone.cjs)"
expect "JavaScript with the variable alone" code "$(seen alone)"
expect "JavaScript with the variable in a text" "no code" "$(seen within)"
expect "JavaScript, in a text" '("Dear vars["name"] and ${other}")' "$(typed within.cjs)"
expect "Java" '("Dear vars.get("name").toString() and ${other}")' "$(typed 'within/*.java')"
expect "Python" '("Dear self.vars["name"] and ${other}")' "$(typed 'within/*.py')"
expect "Ruby" "('Dear @vars['name'] and \${other}')" "$(typed 'within/*.rb')"
expect "C#" '("Dear vars["name"].ToString() and ${other}")' "$(typed 'within/*.cs')"
finish
