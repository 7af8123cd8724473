#!/usr/bin/env bash
# Packages: playwright-core 1.65.1 (npm), Chromium 156
# Guess: A page that fetches an address which redirects sees the same under `routeFromHAR` as when it was recorded: `redirected`, and the
#   final address.
# Seen: Playwright follows the redirect inside the HAR and fulfils the first request with the last answer. The page gets status and body of
#   the target, but `response.redirected` is false and `response.url` is the address that it asked for.
# Matters: Code that recognizes an expired session by `response.redirected` or by the login page's address, or that resolves links against
#   `response.url`, takes the other branch in replay. Such a test passes or fails for the wrong reason; use a real server for it.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install playwright-core@1.65.1
cat >replay.mjs <<'EOF'
import { createServer } from 'node:http';
import { chromium } from 'playwright-core';
createServer((request, response) => {
  if (request.url === '/account') response.writeHead(302, { location: '/login' }).end();
  else response.setHeader('content-type', 'text/html').end(request.url === '/login' ? 'log in' : '<!doctype html><link rel=icon href=data:,>');
}).listen(0, '127.0.0.1', async function () {
  const browser = await chromium.connectOverCDP(process.argv[2]);
  const site = `http://127.0.0.1:${this.address().port}/`;
  const visit = async (context) => {
    const page = await context.newPage();
    await page.goto(site);
    const seen = await page.evaluate(async () => {
      const response = await fetch('/account');
      return `${response.status} "${await response.text()}" redirected ${response.redirected} ${new URL(response.url).pathname}`;
    });
    await context.close();
    return seen;
  };
  console.log(`recorded: ${await visit(await browser.newContext({ recordHar: { path: 'site.har' } }))}`);
  const context = await browser.newContext();
  await context.routeFromHAR('site.har', { notFound: 'abort' });
  console.log(`replayed: ${await visit(context)}`);
  process.exit();
});
EOF
chromium_start
node replay.mjs "$cdp" >seen.txt
expect recorded '200 "log in" redirected true /login' "$(sed -n 's/^recorded: //p' seen.txt)"
expect replayed '200 "log in" redirected false /account' "$(sed -n 's/^replayed: //p' seen.txt)"
finish
