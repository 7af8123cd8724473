#!/usr/bin/env bash
# Packages: playwright-core 1.65.1, dom-accessibility-api 0.7.1, axe-core 4.14.1, esbuild 0.28.2 (npm), Chromium 156
# Guess: A `<label for>` that is hidden names its field nowhere, or everywhere; Playwright's `getByRole` finds what a screen reader is told.
# Seen: Chromium's tree, dom-accessibility-api and axe give the field no name. Playwright gives it the text of the hidden label, by
#   `hidden` and by `display: none`, in `getByRole`, `ariaSnapshot` and `toHaveAccessibleName` alike.
# Matters: A test by role passes for a field that has no name, which an audit by axe then reports, and an agent that reads the snapshot sees a
#   name that no person sees. Hide labels by a class that keeps them in the tree, or use `aria-labelledby`, which all follow.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install playwright-core@1.65.1 dom-accessibility-api@0.7.1 axe-core@4.14.1 esbuild@0.28.2
echo "import { computeAccessibleName } from 'dom-accessibility-api'; import axe from 'axe-core'; Object.assign(window, { computeAccessibleName, axe });" >library.js
node_modules/.bin/esbuild library.js --bundle --format=iife --outfile=bundle.js --log-level=error
cat >names.mjs <<'EOS'
import { readFileSync } from 'node:fs';
import { chromium } from 'playwright-core';
const browser = await chromium.connectOverCDP(process.argv[2]);
const page = await browser.contexts()[0].newPage();
const session = await page.context().newCDPSession(page);
const forms = {
  shown: '<label for="it">Amount</label><input id="it">',
  hidden: '<label for="it" hidden>Amount</label><input id="it">',
  'display: none': '<label for="it" style="display: none">Amount</label><input id="it">',
  'aria-labelledby': '<span id="name" hidden>Amount</span><input id="it" aria-labelledby="name">',
};
for (const [form, html] of Object.entries(forms)) {
  await page.setContent(`<main>${html}</main>`);
  await page.addScriptTag({ content: readFileSync('bundle.js', 'utf8') });
  const { nodes } = await session.send('Accessibility.getFullAXTree');
  const field = nodes.find((node) => !node.ignored && node.role.value === 'textbox');
  const library = await page.evaluate(() => window.computeAccessibleName(document.querySelector('input')));
  const { violations } = await page.evaluate(() => window.axe.run(document, { runOnly: ['label'] }));
  const found = await page.getByRole('textbox', { name: 'Amount' }).count();
  const snapshot = (await page.locator('main').ariaSnapshot()).includes('textbox "Amount"');
  console.log(`Chromium ${form}: ${field.name.value || 'no name'}`);
  console.log(`dom-accessibility-api ${form}: ${library || 'no name'}`);
  console.log(`axe ${form}: ${violations.length ? 'no name' : 'Amount'}`);
  console.log(`Playwright ${form}: ${found && snapshot ? 'Amount' : 'no name'}`);
}
process.exit();
EOS
chromium_start
node names.mjs "$cdp" >seen.txt
for form in shown aria-labelledby; do
  for tool in Chromium dom-accessibility-api axe Playwright; do expect "$tool, $form" "Amount" "$(seen "$tool $form")"; done
done
for form in hidden 'display: none'; do
  for tool in Chromium dom-accessibility-api axe; do expect "$tool, $form" "no name" "$(seen "$tool $form")"; done
  expect "Playwright, $form" "Amount" "$(seen "Playwright $form")"
done
finish
