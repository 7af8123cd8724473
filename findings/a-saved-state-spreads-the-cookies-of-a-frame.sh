#!/usr/bin/env bash
# Packages: playwright-core 1.65.1 (npm), Chromium 156
# Guess: The cookies of an `<iframe credentialless>` live in a store of their own that ends with the page, so that a saved state leaves them out, or marks them as
#   partitioned, as it marks those of CHIPS.
# Seen: `Storage.getCookies` and Playwright's `storageState()` list them like any other cookie, without a partition. The page itself never sends them, and
#   `Network.getCookies` does not list them; but in a context that the state was restored into, all pages of the site do. The only sign is in DevTools: a
#   `partitionKeyOpaque` that is false, which other cookies do not have at all.
# Matters: A session that was restored is another one than was saved: what was set for an anonymous frame becomes the page's own cookie and may replace it. Leave out
#   cookies with `partitionKeyOpaque` and without `partitionKey`.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install playwright-core@1.65.1
cat >look.mjs <<'EOF'
import { chromium } from 'playwright-core';
import { serve, until } from './devtools.mjs';
const browser = await chromium.connectOverCDP(process.argv[2]);
const sent = {};
const base = `http://127.0.0.1:${await serve(({ pathname, search }, request, response) => {
  if (pathname === '/frame') response.setHeader('set-cookie', 'anonymous=1; Path=/');
  if (pathname === '/see') sent[search.slice(1)] = request.headers.cookie ?? 'nothing';
  return pathname === '/' ? '<iframe credentialless src="/frame"></iframe>' : 'page';
})}`;
const context = await browser.newContext();
const page = await context.newPage();
await page.goto(base);
const state = await until(async () => {
  const { cookies, origins } = await context.storageState();
  return cookies.length > 0 && { cookies, origins };
});
console.log(`state: ${state.cookies.map(({ name, partitionKey }) => `${name} in ${partitionKey ?? 'no partition'}`).join()}`);
const session = await context.newCDPSession(page);
const root = await browser.newBrowserCDPSession();
async function cookieOf(session) {
  const { browserContextId } = (await session.send('Target.getTargetInfo')).targetInfo;
  return (await root.send('Storage.getCookies', { browserContextId })).cookies.find(({ name }) => name === 'anonymous');
}
const raw = await cookieOf(session);
console.log(`sign: ${raw.partitionKeyOpaque}, ${raw.partitionKey ?? 'no partition'}`);
console.log(`network: ${(await session.send('Network.getCookies')).cookies.length}`);
await page.goto(`${base}/see?saved`);
const restored = await browser.newContext({ storageState: state });
const after = await restored.newPage();
await after.goto(`${base}/see?restored`);
const own = await cookieOf(await restored.newCDPSession(after));
console.log(`own: ${own.partitionKeyOpaque}`);
for (const [name, cookies] of Object.entries(sent)) console.log(`sent ${name}: ${cookies}`);
process.exit();
EOF
chromium_start
node look.mjs "$cdp" >seen.txt
expect "storageState" "anonymous in no partition" "$(seen state)"
expect "partitionKeyOpaque and partitionKey in Storage.getCookies" "false, no partition" "$(seen sign)"
expect "partitionKeyOpaque of the restored cookie" undefined "$(seen own)"
expect "Network.getCookies of the page" 0 "$(seen network)"
expect "what the page sends" nothing "$(seen 'sent saved')"
expect "what a page sends after the state was restored" anonymous=1 "$(seen 'sent restored')"
finish
