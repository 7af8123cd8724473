#!/usr/bin/env bash
# Packages: playwright-core 1.65.1 (npm), Chromium 156
# Guess: The accessible name of `<button style="text-transform: uppercase">Save</button>` is "Save": capitals made by CSS are looks, not
#   text.
# Seen: In Chromium's accessibility tree it is "SAVE" (and "Save All" for `capitalize` on "save all"), as for a name taken from a label's
#   text, while a name from `aria-label` is left as written. Playwright computes "Save" from the text, so its exact locator by the browser's
#   own name matches nothing.
# Matters: Names that were read by DevTools or a screen reader and stored (recordings, agents' notes, exported tests) fail as exact names in
#   Playwright and testing-library, and change when a style sheet does. Compare names without regard to case, or store the text.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install playwright-core@1.65.1
cat >names.mjs <<'EOF'
import { chromium } from 'playwright-core';
const browser = await chromium.connectOverCDP(process.argv[2]);
const page = await browser.contexts()[0].newPage();
await page.setContent(`<style>.up { text-transform: uppercase } .each { text-transform: capitalize }</style>
  <button class="up">Save</button><button class="each">save all</button><button class="up" aria-label="Close it">x</button>
  <label class="up" for="city">City</label><input id="city">`);
const session = await page.context().newCDPSession(page);
const { nodes } = await session.send('Accessibility.getFullAXTree');
for (const [role, text] of [['button', 'Save'], ['button', 'save all'], ['button', 'Close it'], ['textbox', 'City']]) {
  const { name } = nodes.find((node) => !node.ignored && node.role.value === role && node.name.value.toLowerCase() === text.toLowerCase());
  const count = (name) => page.getByRole(role, { name, exact: true }).count();
  console.log(`${text}: Chromium "${name.value}", Playwright finds ${await count(name.value)} by that and ${await count(text)} by the text`);
}
process.exit();
EOF
chromium_start
node names.mjs "$cdp" >seen.txt
seen() { sed -n "s/^$1: //p" seen.txt; }
expect "uppercase" 'Chromium "SAVE", Playwright finds 0 by that and 1 by the text' "$(seen Save)"
expect "capitalize" 'Chromium "Save All", Playwright finds 0 by that and 1 by the text' "$(seen 'save all')"
expect "uppercase with an aria-label" 'Chromium "Close it", Playwright finds 1 by that and 1 by the text' "$(seen 'Close it')"
expect "a field by its uppercase label" 'Chromium "CITY", Playwright finds 0 by that and 1 by the text' "$(seen City)"
finish
