#!/usr/bin/env bash
# Packages: playwright-core 1.65.1 (npm), Chromium 156
# Guess: A mock of a document (`page.route`, or `Fetch.enable` in DevTools) answers every request for it, whoever starts it.
# Seen: If the page names the address in speculation rules, Chromium prefetches it past the mock, and the click that follows is answered
#   from that prefetch: neither the prefetch nor the navigation is paused, and the real document appears. "prerender" rules do the same,
#   since a prerender that DevTools stops leaves its prefetch behind. `page.goto` to the same address does not use the prefetch and gets the
#   mock.
# Matters: Sites get speculation rules from their CMS or CDN without a line of code, and from then on a test that clicks such a link meets
#   the real server, while one that navigates by `goto` still meets the mock. Start the browser under test with preloading turned off, or
#   remove the rules from the page.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install playwright-core@1.65.1
cat >mocks.mjs <<'EOF'
import { createServer } from 'node:http';
import { chromium } from 'playwright-core';
const requested = [];
createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://localhost');
  const rules = { [searchParams.get('rules')]: [{ urls: ['/next'], eagerness: 'immediate' }] };
  const start = `<!doctype html><title>start</title><script type="speculationrules">${JSON.stringify(rules)}</script><a href="/next">Next</a>`;
  if (pathname === '/next') requested.push(request.headers['sec-purpose'] ?? 'navigation');
  response.setHeader('content-type', 'text/html').end(pathname === '/next' ? '<!doctype html><title>real</title>' : start);
}).listen(0, '127.0.0.1', async function () {
  const site = `http://127.0.0.1:${this.address().port}`;
  const browser = await chromium.connectOverCDP(process.argv[2]);
  const visit = async (rules, leave) => {
    requested.length = 0;
    const page = await browser.contexts()[0].newPage();
    await page.route('**/next', (route) => route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>mock</title>' }));
    await page.goto(`${site}/start?rules=${rules}`);
    while (rules !== 'none' && requested.length === 0) await page.waitForTimeout(50);
    await page.waitForTimeout(500);
    await leave(page);
    await page.waitForURL('**/next');
    const seen = `${await page.title()}, requests: ${requested.join(' ') || 'none'}`;
    await page.close();
    return seen;
  };
  const click = (page) => page.getByRole('link').click();
  console.log(`none: ${await visit('none', click)}`);
  console.log(`prefetch: ${await visit('prefetch', click)}`);
  console.log(`prerender: ${await visit('prerender', click)}`);
  console.log(`goto: ${await visit('prefetch', (page) => page.goto(`${site}/next`))}`);
  process.exit();
});
EOF
chromium_start
node mocks.mjs "$cdp" >seen.txt
seen() { sed -n "s/^$1: //p" seen.txt; }
expect "no rules, a click" "mock, requests: none" "$(seen none)"
expect "prefetch rules, a click" "real, requests: prefetch" "$(seen prefetch)"
expect "prerender rules, a click" "real, requests: prefetch;prerender" "$(seen prerender)"
expect "prefetch rules, goto" "mock, requests: prefetch" "$(seen goto)"
finish
