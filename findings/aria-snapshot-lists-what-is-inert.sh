#!/usr/bin/env bash
# Packages: playwright-core 1.65.1 and dom-accessibility-api 0.7.1 (npm), esbuild 0.28.2 (npm), Chromium 156
# Guess: What is `inert`, or lies behind a modal dialog, is missing from Playwright's `ariaSnapshot()` and from `getByRole`, as it is from
#   the browser's tree.
# Seen: Playwright lists an inert button and everything behind a modal dialog as if it could be used, and `getByRole` finds it;
#   dom-accessibility-api (`isInaccessible`) calls it accessible too. Chromium's own tree has none of it. `aria-hidden` and `hidden` are
#   left out by all three.
# Matters: A model that reads the snapshot plans clicks on controls that nothing can reach, and a test "the page behind is unavailable"
#   cannot be written with `getByRole(…).toHaveCount(0)`. Filter by `element.closest('[inert]')` and by open `dialog:modal`, or read the
#   browser's tree.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install playwright-core@1.65.1 dom-accessibility-api@0.7.1 esbuild@0.28.2
echo "import { isInaccessible } from 'dom-accessibility-api'; window.isInaccessible = isInaccessible;" >library.js
node_modules/.bin/esbuild library.js --bundle --format=iife --outfile=bundle.js --log-level=error
cat >trees.mjs <<'EOF'
import { readFileSync } from 'node:fs';
import { chromium } from 'playwright-core';
const browser = await chromium.connectOverCDP(process.argv[2]);
const page = await browser.contexts()[0].newPage();
await page.setContent(`<button>Plain</button><div inert><button>Inert</button></div><div aria-hidden="true"><button>Hidden</button></div>
  <dialog><button>Inside</button></dialog>`);
await page.addScriptTag({ content: readFileSync('bundle.js', 'utf8') });
const session = await page.context().newCDPSession(page);
const names = ['Plain', 'Inert', 'Hidden', 'Inside'];
const list = (has) => names.filter(has).join(' ') || 'none';
for (const state of ['without a dialog', 'behind a dialog']) {
  if (state === 'behind a dialog') await page.evaluate(() => document.querySelector('dialog').showModal());
  const { nodes } = await session.send('Accessibility.getFullAXTree');
  const buttons = nodes.filter((node) => !node.ignored && node.role.value === 'button').map((node) => node.name.value);
  const snapshot = await page.locator('body').ariaSnapshot();
  const accessible = await page.evaluate(() => [...document.querySelectorAll('button')].filter((button) => !isInaccessible(button)).map((button) => button.textContent));
  console.log(`Chromium ${state}: ${list((name) => buttons.includes(name))}`);
  console.log(`Playwright ${state}: ${list((name) => snapshot.includes(`button "${name}"`))}`);
  console.log(`testing-library ${state}: ${list((name) => accessible.includes(name))}`);
}
process.exit();
EOF
chromium_start
node trees.mjs "$cdp" >seen.txt
seen() { sed -n "s/^$1: //p" seen.txt; }
expect "Chromium without a dialog" "Plain" "$(seen 'Chromium without a dialog')"
expect "Playwright without a dialog" "Plain Inert" "$(seen 'Playwright without a dialog')"
expect "testing-library without a dialog" "Plain Inert" "$(seen 'testing-library without a dialog')"
expect "Chromium behind a dialog" "Inside" "$(seen 'Chromium behind a dialog')"
expect "Playwright behind a dialog" "Plain Inert Inside" "$(seen 'Playwright behind a dialog')"
finish
