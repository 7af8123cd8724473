#!/usr/bin/env bash
# Packages: @material/web 2.5.0, dom-accessibility-api 0.7.1, esbuild 0.28.2 and playwright-core 1.65.1 (npm), Chromium 156
# Guess: `<label><md-checkbox></md-checkbox> Terms</label>`, the way of labelling that Material Web documents, gives a checkbox named
#   "Terms".
# Seen: A click on the label toggles it, and dom-accessibility-api (testing-library's names) says "Terms", but in Chromium's accessibility
#   tree the checkbox has no name: the label names the host, and the role is on an input inside its shadow root. md-switch is the same.
#   md-radio, which puts the role on the host by ElementInternals, is named by the same label.
# Matters: Screen readers and agents that read the browser's tree meet "checkbox, not checked" without a name, `getByRole('checkbox', { name
#   })` finds nothing, and tests with testing-library stay green. Give these elements an aria-label, and test names in the browser's own
#   tree.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install @material/web@2.5.0 dom-accessibility-api@0.7.1 esbuild@0.28.2 playwright-core@1.65.1
cat >page.js <<'EOF'
import '@material/web/checkbox/checkbox.js';
import '@material/web/radio/radio.js';
import '@material/web/switch/switch.js';
import { computeAccessibleName } from 'dom-accessibility-api';
window.testingName = computeAccessibleName;
EOF
node_modules/.bin/esbuild page.js --bundle --format=iife --outfile=bundle.js --log-level=error
cat >names.mjs <<'EOF'
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { chromium } from 'playwright-core';
const bundle = readFileSync('bundle.js');
const body = ['checkbox', 'switch', 'radio'].map((kind) => `<label><md-${kind} id="${kind}"></md-${kind}> Terms</label>`).join('');
createServer((request, response) => {
  const isScript = request.url === '/bundle.js';
  response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
  response.end(isScript ? bundle : `<!doctype html>${body}<script src="/bundle.js"></script>`);
}).listen(0, '127.0.0.1', async function () {
  const browser = await chromium.connectOverCDP(process.argv[2]);
  const page = await browser.contexts()[0].newPage();
  await page.goto(`http://127.0.0.1:${this.address().port}/`);
  await page.waitForFunction(() => Promise.all([...document.querySelectorAll('label > *')].map((element) => element.updateComplete)));
  const session = await page.context().newCDPSession(page);
  const { nodes } = await session.send('Accessibility.getFullAXTree');
  for (const kind of ['checkbox', 'switch', 'radio']) {
    const node = nodes.find((node) => !node.ignored && node.role.value === kind);
    const tested = await page.evaluate((kind) => testingName(document.getElementById(kind)).trim(), kind);
    const before = await page.evaluate((kind) => document.getElementById(kind)[kind === 'switch' ? 'selected' : 'checked'], kind);
    await page.locator('label', { has: page.locator(`#${kind}`) }).click({ position: { x: 60, y: 10 } });
    const after = await page.evaluate((kind) => document.getElementById(kind)[kind === 'switch' ? 'selected' : 'checked'], kind);
    console.log(`${kind}: Chromium "${node?.name?.value}", testing-library "${tested}", a click on the label: ${before} ${after}`);
  }
  process.exit();
});
EOF
chromium_start
node names.mjs "$cdp" >seen.txt
for kind in checkbox switch; do
  expect "$kind" 'Chromium "", testing-library "Terms", a click on the label: false true' "$(sed -n "s/^$kind: //p" seen.txt)"
done
expect radio 'Chromium "Terms", testing-library "Terms", a click on the label: false true' "$(sed -n 's/^radio: //p' seen.txt)"
finish
