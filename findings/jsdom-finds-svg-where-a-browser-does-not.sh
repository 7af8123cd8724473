#!/usr/bin/env bash
# Packages: jsdom 29.1.1, ws 8.23.0 (npm), Chromium 156
# Guess: `document.evaluate('//svg')` finds the same in jsdom as in a browser.
# Seen: In an HTML document a name in XPath means an element of HTML, so that Chromium finds no `<svg>` by `//svg`; jsdom finds it. The way that works in a browser,
#   `//*[local-name()="svg"]`, raises a TypeError in jsdom, as `name()` does. Written `local-name(.)`, it finds the element in both.
# Matters: A locator for an icon passes its test and finds nothing on the page, and the correct one fails its test. Write `//*[local-name(.)="svg"]`.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install jsdom@29.1.1 ws@8.23.0
cat >find.mjs <<'EOF'
import { JSDOM } from 'jsdom';
import { connect, serve } from './devtools.mjs';
const html = '<!doctype html><html><body><div><svg></svg></div></body></html>';
const browser = await connect(process.argv[2]);
const page = await browser.open(`http://127.0.0.1:${await serve(html)}/`);
const find = (document, xpath) => {
  const found = document.evaluate(xpath, document, null, 0);
  const names = [];
  for (let node = found.iterateNext(); node; node = found.iterateNext()) names.push(node.localName);
  return names.join(' ') || 'none';
};
const { document } = new JSDOM(html).window;
const paths = { div: '//div', svg: '//svg', own: '//*[local-name()="svg"]', given: '//*[local-name(.)="svg"]' };
for (const [name, xpath] of Object.entries(paths)) {
  console.log(`Chromium ${name}: ${await page.value(`(${find})(document, '${xpath}')`)}`);
  let found;
  try { found = find(document, xpath); } catch (error) { found = error.name; }
  console.log(`jsdom ${name}: ${found}`);
}
process.exit();
EOF
chromium_start
node find.mjs "$cdp" >seen.txt
for name in Chromium jsdom; do expect "$name, //div" div "$(seen "$name div")"; done
expect "Chromium, //svg" none "$(seen 'Chromium svg')"
expect "jsdom, //svg" svg "$(seen 'jsdom svg')"
expect 'Chromium, //*[local-name()="svg"]' svg "$(seen 'Chromium own')"
expect 'jsdom, //*[local-name()="svg"]' TypeError "$(seen 'jsdom own')"
for name in Chromium jsdom; do expect "$name, //*[local-name(.)=\"svg\"]" svg "$(seen "$name given")"; done
finish
