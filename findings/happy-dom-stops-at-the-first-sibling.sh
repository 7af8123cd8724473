#!/usr/bin/env bash
# Packages: happy-dom 21.0.4, jsdom 29.1.1, linkedom 0.18.15 (npm)
# Guess: `#a ~ li` finds all later siblings in any engine.
# Seen: happy-dom finds the first of them alone, if what is left of the `~` matches one element. `li ~ li` finds all, as each item is once the first one behind
#   another. jsdom and linkedom find all for both.
# Matters: A test that counts what follows a heading, or checks that no later row has a class, passes with the wrong elements. Walk
#   `nextElementSibling`, or choose another DOM for such tests.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install happy-dom@21.0.4 jsdom@29.1.1 linkedom@0.18.15
cat >find.mjs <<'JS'
import { Window } from 'happy-dom';
import { JSDOM } from 'jsdom';
import { parseHTML } from 'linkedom';
const html = '<!doctype html><html><body><ul><li id="a"></li><li id="b"></li><li id="c" class="last"></li></ul></body></html>';
const happy = new Window();
happy.document.write(html);
const documents = { 'happy-dom': happy.document, jsdom: new JSDOM(html).window.document, linkedom: parseHTML(html).document };
for (const [name, document] of Object.entries(documents)) {
  const selectors = { 'one ~ li': '#a ~ li', 'li ~ li': 'li ~ li', 'one ~ .last': '#a ~ .last' };
  for (const [what, css] of Object.entries(selectors)) console.log(`${name} ${what}: ${[...document.querySelectorAll(css)].map(({ id }) => id).join(' ') || 'none'}`);
}
process.exit();
JS
node find.mjs >seen.txt
expect "happy-dom, #a ~ li" b "$(seen 'happy-dom one ~ li')"
expect "happy-dom, li ~ li" "b c" "$(seen 'happy-dom li ~ li')"
expect "happy-dom, #a ~ .last" "c" "$(seen 'happy-dom one ~ .last')"
for name in jsdom linkedom; do
  for css in 'one ~ li' 'li ~ li'; do expect "$name, $css" "b c" "$(seen "$name $css")"; done
  expect "$name, #a ~ .last" "c" "$(seen "$name one ~ .last")"
done
finish
