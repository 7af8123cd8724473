#!/usr/bin/env bash
# Packages: playwright-core 1.65.1 (npm), Chromium 156
# Guess: In a HAR of Playwright, a response from the browser's cache has `bodySize` 0, as the HAR format says, or -1 for unknown.
# Seen: `bodySize` is what was transferred minus the size of the headers. From the cache nothing was transferred, so it is minus the
#   headers' size: about -100. `compression` is as much too large, although nothing is compressed. Five fetches, four of them from the
#   cache, sum up to less than nothing.
# Matters: Page weights, budgets and charts that sum these fields and leave out only -1 are too small, the more so the better the cache
#   works. Treat every `bodySize` below 0 as unknown, or use `_transferSize`, which is right.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install playwright-core@1.65.1
cat >record.mjs <<'EOF'
import { createServer } from 'node:http';
import { chromium } from 'playwright-core';
createServer((request, response) => {
  if (request.url === '/data') response.writeHead(200, { 'content-type': 'text/plain', 'cache-control': 'max-age=600', 'content-length': 4 }).end('data');
  else response.writeHead(200, { 'content-type': 'text/html', 'content-length': 40 }).end('<!doctype html><link rel=icon href=data:>'.slice(0, 40));
}).listen(0, '127.0.0.1', async function () {
  const browser = await chromium.launch({ executablePath: process.argv[2], args: process.argv.slice(3) });
  for (const times of [1, 5]) {
    const context = await browser.newContext({ recordHar: { path: `${times}.har` } });
    const page = await context.newPage();
    await page.goto(`http://127.0.0.1:${this.address().port}/`);
    for (let n = 0; n < times; n++) await page.evaluate(() => fetch('/data').then((response) => response.text()));
    await context.close();
  }
  await browser.close();
  process.exit();
});
EOF
program=$(command -v chromium) || cannot "Chromium is missing (Debian: apt-get install chromium)"
"$program" --version 2>/dev/null
sandbox=(); [ "$(id -u)" -ne 0 ] || sandbox=(--no-sandbox)
node record.mjs "$program" --no-first-run --disable-background-networking --disable-component-update --disable-sync --disable-quic ${sandbox[@]+"${sandbox[@]}"}
cat >sizes.mjs <<'EOF'
import { readFileSync } from 'node:fs';
const { entries } = JSON.parse(readFileSync(process.argv[2])).log;
const data = entries.filter(({ request }) => request.url.endsWith('/data')).map(({ response }) => response);
const { bodySize, content, _transferSize } = data.at(-1);
const sum = data.reduce((sum, response) => sum + response.bodySize, 0);
const sign = (size) => (size < -1 ? 'below -1' : size);
console.log(
  `${data.length} fetches, the last: size ${content.size}, bodySize ${sign(bodySize)}, compression ${content.compression > 0 ? 'yes' : 'no'},`,
  `transferred ${_transferSize > 0 ? 'yes' : 'no'}; sum of bodySize ${sign(sum)}`,
);
EOF
expect "once" "1 fetches, the last: size 4, bodySize 4, compression no, transferred yes; sum of bodySize 4" "$(node sizes.mjs 1.har)"
expect "five times, four from the cache" "5 fetches, the last: size 4, bodySize below -1, compression yes, transferred no; sum of bodySize below -1" "$(node sizes.mjs 5.har)"
finish
