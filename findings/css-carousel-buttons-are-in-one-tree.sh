#!/usr/bin/env bash
# Packages: playwright-core 1.65.1 (npm), Chromium 156
# Guess: The buttons and markers that CSS gives a carousel (`::scroll-button`, `::scroll-marker`) are controls with a role and a name, so that a locator by role finds
#   them as a screen reader does.
# Seen: Chromium's tree has a button "Next item" and a link for each marker, and a click at its box scrolls. Playwright's snapshot and `getByRole` have none, and no selector
#   reaches them, as they are no elements. DevTools gives the node's box from its `backendDOMNodeId`.
# Matters: A test or agent that works by roles or selectors can neither press nor see what a person uses. Take the box from DevTools' tree and click there, or
#   scroll the container.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install playwright-core@1.65.1
cat >look.mjs <<'EOF'
import { chromium } from 'playwright-core';
import { serve, until } from './devtools.mjs';
const browser = await chromium.connectOverCDP(process.argv[2]);
const page = await browser.contexts()[0].newPage();
const session = await page.context().newCDPSession(page);
await page.goto(`http://127.0.0.1:${await serve(`<style>
  main { width: 200px; height: 100px; overflow-x: scroll; white-space: nowrap; scroll-marker-group: after }
  main > p { display: inline-block; width: 200px }
  main > p::scroll-marker { content: "o" / "To the item"; display: inline-block; width: 20px }
  main::scroll-button(right) { content: ">" / "Next item" }
</style><main><p>one</p><p>two</p><p>three</p></main>`)}/`);
const { nodes } = await session.send('Accessibility.getFullAXTree');
const named = (name) => nodes.filter((node) => !node.ignored && node.name?.value === name);
const [button] = named('Next item');
console.log(`tree: ${button.role.value}, and ${named('To the item').length} times ${named('To the item')[0].role.value}`);
console.log(`playwright: ${await page.getByRole('button').count()} and ${await page.getByRole('link').count()}`);
console.log(`snapshot: ${(await page.locator('body').ariaSnapshot()).includes('item') ? 'has' : 'lacks'} them`);
const { model } = await session.send('DOM.getBoxModel', { backendNodeId: button.backendDOMNodeId });
await page.mouse.click(model.content[0] + 4, model.content[1] + 4);
console.log(`click: ${await until(() => page.evaluate(() => document.querySelector('main').scrollLeft > 50 && 'scrolled'))}`);
process.exit();
EOF
chromium_start
node look.mjs "$cdp" >seen.txt
expect "Chromium's tree" "button, and 3 times link" "$(seen tree)"
expect "Playwright's getByRole, buttons and links" "0 and 0" "$(seen playwright)"
expect "Playwright's ariaSnapshot" "lacks them" "$(seen snapshot)"
expect "a click at the box that DevTools gives" scrolled "$(seen click)"
finish
