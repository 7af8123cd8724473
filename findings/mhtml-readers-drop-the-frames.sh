#!/usr/bin/env bash
# Packages: unmhtml 0.4.0 (pip), mhtml2html 3.0.0, mhtml-to-html 2.1.0 and jsdom 29.1.1 (npm), playwright-core 1.65.1 (npm), Chromium 156
# Guess: A converter that turns Chromium's MHTML (`Page.captureSnapshot`) into one HTML file keeps the frames, as it keeps the pictures:
#   both are parts.
# Seen: Two of three lose every frame without an error. A picture's part has its address as Content-Location, a frame's part has only a
#   Content-ID, and the page says `cid:frame-…`: mhtml2html leaves that address as it is, where no browser finds anything, and unmhtml
#   empties it. mhtml-to-html keeps the frame.
# Matters: Archives look complete, since text and pictures of the page itself are there, and lack the embedded form, document or consent.
#   Keep the MHTML beside what was made of it, and search the result for a word of a frame before trusting a converter.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install mhtml2html@3.0.0 mhtml-to-html@2.1.0 jsdom@29.1.1 playwright-core@1.65.1
pip_install unmhtml==0.4.0
cat >save.mjs <<'EOF'
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { chromium } from 'playwright-core';
const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');
const html = '<!doctype html><p>text of the page</p><img src="/dot.png"><iframe src="/frame"></iframe>';
createServer(({ url }, response) => {
  response.setHeader('content-type', url === '/dot.png' ? 'image/png' : 'text/html');
  response.end(url === '/dot.png' ? png : url === '/frame' ? '<!doctype html><p>text of the frame</p>' : html);
}).listen(0, '127.0.0.1', async function () {
  const browser = await chromium.connectOverCDP(process.argv[2]);
  const page = await browser.contexts()[0].newPage();
  await page.goto(`http://127.0.0.1:${this.address().port}/`);
  const session = await page.context().newCDPSession(page);
  writeFileSync('page.mhtml', (await session.send('Page.captureSnapshot')).data);
  process.exit();
});
EOF
cat >convert.cjs <<'EOF'
const { readFileSync, writeFileSync } = require('node:fs');
const { JSDOM } = require('jsdom');
const { convert } = require('mhtml2html');
const page = convert(readFileSync('page.mhtml', 'utf8'), { parseDOM: (html) => new JSDOM(html) });
writeFileSync('mhtml2html.html', page.serialize());
EOF
cat >convert.py <<'EOF'
import unmhtml
with open("page.mhtml", "rb") as source, open("unmhtml.html", "w") as target:
    target.write(unmhtml.to_standalone_html(unmhtml.load_mhtml(source.read())))
EOF
chromium_start
node save.mjs "$cdp"
node convert.cjs
python3 convert.py
node node_modules/mhtml-to-html/mhtml-to-html-node.js page.mhtml --output mhtml-to-html.html >convert.log 2>&1 || cannot "mhtml-to-html: $(tail -n 1 convert.log)"
has() { grep -q "$2" "$1" && echo yes || echo no; }
state() { echo "page $(has "$1" 'text of the page'), picture $(has "$1" 'data:image/png'), frame $(has "$1" 'text of the frame')"; }
expect "the MHTML's parts" "2 text/html, 1 image/png" "$(grep -c '^Content-Type: text/html' page.mhtml) text/html, $(grep -c '^Content-Type: image/png' page.mhtml) image/png"
expect mhtml2html "page yes, picture yes, frame no" "$(state mhtml2html.html)"
expect unmhtml "page yes, picture yes, frame no" "$(state unmhtml.html)"
expect mhtml-to-html "page yes, picture yes, frame yes" "$(state mhtml-to-html.html)"
finish
