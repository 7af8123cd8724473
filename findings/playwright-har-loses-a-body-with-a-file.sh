#!/usr/bin/env bash
# Packages: playwright-core 1.65.1, har-validator 5.1.5 (npm), Chromium 156
# Guess: A HAR by Playwright has the body of each request that the page sent; of an upload at least the fields of text, or `bodySize` -1
#   for "not known".
# Seen: if any part of the body is a `Blob` or `File`, there is no `postData` at all, also not for the fields of text beside it or for a Blob of
#   JSON, and `bodySize` is 0, as for a request that sent nothing. Bytes that are not text give a `postData` whose text is empty, with the right size.
#   The file is valid HAR.
# Matters: A replay or a test made of the file sends empty uploads, and a check of "what did the page send" finds nothing. Take the
#   `content-length` header as the sign, and record uploads at the server or in a proxy.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install playwright-core@1.65.1 har-validator@5.1.5
cat >record.mjs <<'JS'
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { har } from 'har-validator';
import { chromium } from 'playwright-core';
const received = {};
const server = createServer(async (request, response) => {
  let size = 0;
  for await (const part of request) size += part.length;
  received[request.url] = size;
  response.setHeader('content-type', 'text/html').end('<!doctype html>');
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const browser = await chromium.connectOverCDP(process.argv[2]);
const context = await browser.newContext({ recordHar: { path: 'record.har' } });
const page = await context.newPage();
await page.goto(`http://127.0.0.1:${server.address().port}/`);
await page.evaluate(async () => {
  const post = async (path, body) => (await fetch(path, { method: 'POST', body })).text();
  const form = new FormData();
  form.append('name', 'value');
  await post('/fields', form);
  form.append('file', new File(['some text'], 'a.txt'));
  await post('/fields-and-file', form);
  await post('/json-blob', new Blob(['{"a":1}'], { type: 'application/json' }));
  await post('/bytes', new Uint8Array([0, 255, 254, 10]));
});
await context.close();
const recording = JSON.parse(readFileSync('record.har'));
for (const { request } of recording.log.entries.filter(({ request }) => request.method === 'POST')) {
  const path = new URL(request.url).pathname;
  const body = !request.postData ? 'no postData' : request.postData.text ? 'text' : 'empty text';
  const size = request.bodySize === received[path] ? 'the size sent' : `size ${request.bodySize}`;
  console.log(`${path.slice(1)}: ${body}, ${size}${received[path] ? '' : ', nothing sent'}`);
}
console.log(`valid: ${await har(recording).then(() => true, () => false)}`);
process.exit();
JS
chromium_start
node record.mjs "$cdp" >seen.txt
seen() { sed -n "s/^$1: //p" seen.txt; }
expect "a form of text fields" "text, the size sent" "$(seen fields)"
expect "the same form with a file" "no postData, size 0" "$(seen fields-and-file)"
expect "a Blob of JSON" "no postData, size 0" "$(seen json-blob)"
expect "bytes" "empty text, the size sent" "$(seen bytes)"
expect "valid HAR" true "$(seen valid)"
finish
