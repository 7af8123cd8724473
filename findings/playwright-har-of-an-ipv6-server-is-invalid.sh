#!/usr/bin/env bash
# Packages: playwright-core 1.65.1, har-validator 5.1.5 (npm), Chromium 156
# Guess: Playwright's HAR files are valid HAR 1.2, whichever server answered.
# Seen: if the server has an IPv6 address, Playwright writes it in brackets (`"serverIPAddress": "[::1]"`), which is not an IPv6
#   address, and har-validator refuses the whole file. With the same server on IPv4 the file is valid.
# Matters: `localhost` resolves to ::1 first on many machines, so a check that passes on one machine fails on the next. Remove the
#   brackets, or serve on 127.0.0.1.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install playwright-core@1.65.1 har-validator@5.1.5
cat >record.mjs <<'JS'
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { har } from 'har-validator';
import { chromium } from 'playwright-core';
const browser = await chromium.connectOverCDP(process.argv[2]);
for (const [name, host, address] of [['ipv4', '127.0.0.1', '127.0.0.1'], ['ipv6', '::1', 'six.test']]) {
  const server = createServer((_request, response) => response.end('ok'));
  await new Promise((resolve, reject) => server.once('error', reject).listen(0, host, resolve));
  const context = await browser.newContext({ recordHar: { path: `${name}.har` } });
  await (await context.newPage()).goto(`http://${address}:${server.address().port}/`);
  await context.close();
  const recording = JSON.parse(readFileSync(`${name}.har`));
  const check = (recording) => har(recording).then(() => 'valid', () => 'invalid');
  console.log(`${name}: ${recording.log.entries[0].serverIPAddress}, ${await check(recording)}`);
  for (const entry of recording.log.entries) entry.serverIPAddress = host;
  console.log(`${name} corrected: ${await check(recording)}`);
}
process.exit();
JS
chromium_start --host-resolver-rules='MAP six.test [::1], MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'
node record.mjs "$cdp" >seen.txt || cannot "the machine has no IPv6 loopback, or the recording failed"
seen() { sed -n "s/^$1: //p" seen.txt; }
expect "a server on IPv4" "127.0.0.1, valid" "$(seen ipv4)"
expect "a server on IPv6" "[::1], invalid" "$(seen ipv6)"
expect "the same without the brackets" valid "$(seen "ipv6 corrected")"
finish
