#!/usr/bin/env bash
# Packages: mitmproxy 11.0.2 (pip), playwright-core 1.65.1 (npm), Chromium 156
# Guess: A HAR recorded by Playwright opens in mitmproxy; at worst, entries that mean nothing to a proxy are skipped.
# Seen: Playwright records a page's fetch of its own blob: address as an entry like any other (a data: address it leaves out). mitmproxy
#   looks for a host in each address and gives up the whole file at the first one without: "Unable to read HAR file. Please provide a valid
#   HAR file".
# Matters: Recordings of pages with downloads, workers or image previews, which use blob: addresses all the time, look broken, and the
#   message does not say which entry it is. Who writes HAR files for other tools should leave out all but http, https, ws and wss.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install playwright-core@1.65.1
pip_install --no-binary=pyperclip mitmproxy==11.0.2
cat >record.mjs <<'EOF'
import { createServer } from 'node:http';
import { chromium } from 'playwright-core';
createServer((_, response) => response.setHeader('content-type', 'text/html').end('<!doctype html>')).listen(0, '127.0.0.1', async function () {
  const browser = await chromium.launch({ executablePath: process.argv[2], args: process.argv.slice(3) });
  for (const scheme of ['data', 'blob']) {
    const context = await browser.newContext({ recordHar: { path: `${scheme}.har` } });
    const page = await context.newPage();
    await page.goto(`http://127.0.0.1:${this.address().port}/`);
    const fetched = scheme === 'blob' && page.waitForResponse((response) => response.url().startsWith('blob:'));
    await page.evaluate((scheme) => {
      const url = scheme === 'data' ? 'data:text/plain,hi' : URL.createObjectURL(new Blob(['hi']));
      return fetch(url).then((response) => response.text());
    }, scheme);
    await fetched;
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
schemes() { python3 -c 'import json, sys; print(*[e["request"]["url"].split(":")[0] for e in json.load(open(sys.argv[1]))["log"]["entries"] if "favicon" not in e["request"]["url"]])' "$1"; }
reads() { mitmdump -n -r "$1" --set confdir="$work/conf" >"$1.log" 2>&1 && grep -q 'GET http://127.0.0.1' "$1.log" && ! grep -q 'Unable to read HAR' "$1.log" && echo yes || echo no; }
expect "recorded with a data: fetch" http "$(schemes data.har)"
expect "mitmproxy reads it" yes "$(reads data.har)"
expect "recorded with a blob: fetch" "http blob" "$(schemes blob.har)"
expect "mitmproxy reads it" no "$(reads blob.har)"
expect "its message names an entry" no "$(grep 'Unable to read HAR file' blob.har.log | grep -q 'blob:' && echo yes || echo no)"
finish
