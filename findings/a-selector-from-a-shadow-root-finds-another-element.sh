#!/usr/bin/env bash
# Packages: @medv/finder 4.0.2, css-selector-generator 3.9.4, @cypress/unique-selector 2.2.0, unique-selector 0.5.0, esbuild 0.28.2, ws 8.23.0
#   (npm), Chromium 156
# Guess: Asked for an element in an open shadow root, a selector library raises an error, or returns a selector that finds nothing from
#   the document.
# Seen: Three of four return one without a word about the root. In the document finder's selects another paragraph, alone, Cypress's selects
#   several elements, and css-selector-generator's selects the body, and nothing within the root itself. unique-selector returns null.
# Matters: A recorder stores the selector, and the replay clicks something else on the page and goes on. Look at `element.getRootNode()`
#   first, and test the selector with `querySelectorAll` of that root.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install @medv/finder@4.0.2 css-selector-generator@3.9.4 @cypress/unique-selector@2.2.0 unique-selector@0.5.0 esbuild@0.28.2 ws@8.23.0
cat >libraries.js <<'JS'
import { finder } from '@medv/finder';
import cypress from '@cypress/unique-selector';
import { getCssSelector } from 'css-selector-generator';
import unique from 'unique-selector';
window.libraries = { finder, 'css-selector-generator': getCssSelector, cypress: cypress.default ?? cypress, 'unique-selector': unique.default ?? unique };
JS
node_modules/.bin/esbuild libraries.js --bundle --format=iife --outfile=bundle.js --log-level=error
cat >select.mjs <<'JS'
import { readFileSync } from 'node:fs';
import { connect, serve } from './devtools.mjs';
const browser = await connect(process.argv[2]);
const page = await browser.open(`http://127.0.0.1:${await serve('<main><p>One<p>Two</main><div id="host"></div>')}/`);
await page.value("host.attachShadow({ mode: 'open' }).innerHTML = '<p>Three</p><p>Four</p>'; 0");
await page.value(`${readFileSync('bundle.js', 'utf8')}; 0`);
const found = `(root, selector) => {
  if (!selector) return selector;
  const all = [...root.querySelectorAll(selector)];
  const [first] = all;
  return all.length > 1 ? 'several' : !first ? 'nothing' : first === document.body ? 'body' : first.textContent;
}`;
for (const name of ['finder', 'css-selector-generator', 'cypress', 'unique-selector']) {
  for (const [where, element] of [['document', "document.querySelectorAll('p')[1]"], ['shadow root', "host.shadowRoot.querySelectorAll('p')[1]"]]) {
    const [here, there] = await page.value(`(() => {
      const element = ${element}, found = ${found}, selector = libraries['${name}'](element);
      return [found(element.getRootNode(), selector), found(document, selector)];
    })()`);
    console.log(`${name} ${where}: ${here}`);
    console.log(`${name} ${where} from the document: ${there}`);
  }
}
process.exit();
JS
chromium_start
node select.mjs "$cdp" >seen.txt
for name in finder css-selector-generator cypress unique-selector; do
  expect "$name, an element of the document" Two "$(seen "$name document")"
done
expect "finder, within the shadow root" Four "$(seen 'finder shadow root')"
expect "finder, from the document" Two "$(seen 'finder shadow root from the document')"
expect "css-selector-generator, within the shadow root" nothing "$(seen 'css-selector-generator shadow root')"
expect "css-selector-generator, from the document" body "$(seen 'css-selector-generator shadow root from the document')"
expect "Cypress's, within the shadow root" Four "$(seen 'cypress shadow root')"
expect "Cypress's, from the document" several "$(seen 'cypress shadow root from the document')"
expect "unique-selector" null "$(seen 'unique-selector shadow root')"
finish
