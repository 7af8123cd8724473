#!/usr/bin/env bash
# Packages: playwright-core 1.65.1 (npm), Chromium 156
# Guess: `content-visibility: auto` leaves out only the drawing: the standard keeps what is off the screen for search and assistive technology, so the page's
#   `innerText` and DevTools' accessibility tree have it.
# Seen: Neither has it until it has been scrolled to once: `body.innerText`, also by Playwright's `innerText()`, ends where the visible part ends, and
#   `Accessibility.getFullAXTree` lacks headings, buttons and fields. `checkVisibility()` is true, `window.find` finds the words, `DOMSnapshot` and Playwright's
#   `ariaSnapshot` have them.
# Matters: Long conversations, documentation and lists use it, and an agent that reads the page by either way takes the first part for all. Walk the DOM as
#   `ariaSnapshot` does, or set `content-visibility: visible` on such elements before reading.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install playwright-core@1.65.1
cat >look.mjs <<'EOF'
import { chromium } from 'playwright-core';
import { serve } from './devtools.mjs';
const browser = await chromium.connectOverCDP(process.argv[2]);
const page = await browser.contexts()[0].newPage();
const session = await page.context().newCDPSession(page);
const far = '<section style="content-visibility: auto; contain-intrinsic-size: auto 100px"><h2>far heading</h2><button>far button</button></section>';
await page.goto(`http://127.0.0.1:${await serve(`<p>near</p><div style="height: 5000px"></div>${far}`)}/`);
const has = (text) => (/far heading/.test(text) && /far button/.test(text) ? 'all' : /far/.test(text) ? 'a part' : 'none');
async function look(when) {
  console.log(`innerText ${when}: ${has(await page.evaluate(() => document.body.innerText))}`);
  console.log(`playwright ${when}: ${has(await page.locator('body').innerText())}`);
  console.log(`tree ${when}: ${has((await session.send('Accessibility.getFullAXTree')).nodes.map(({ ignored, name }) => !ignored && name?.value).join())}`);
}
await look('before');
console.log(`visible: ${await page.evaluate(() => document.querySelector('button').checkVisibility())}`);
console.log(`aria: ${has(await page.locator('body').ariaSnapshot())}`);
console.log(`snapshot: ${has((await session.send('DOMSnapshot.captureSnapshot', { computedStyles: [] })).strings.join())}`);
await page.evaluate(() => scrollTo(0, 5000));
await page.waitForFunction(() => /far/.test(document.body.innerText));
await look('after');
process.exit();
EOF
chromium_start
node look.mjs "$cdp" >seen.txt
for way in innerText playwright tree; do
  expect "what is off the screen, in $way" none "$(seen "$way before")"
  expect "after scrolling to it, in $way" all "$(seen "$way after")"
done
expect "checkVisibility" true "$(seen visible)"
expect "Playwright's ariaSnapshot" all "$(seen aria)"
expect "DOMSnapshot" all "$(seen snapshot)"
finish
