#!/usr/bin/env bash
# Packages: ws 8.23.0 (npm), Chromium 156
# Guess: A pattern means the same in `Network.setBlockedURLs` as in `Fetch.enable`: it covers the whole address, `*` is any text and `?` one character.
# Seen: In the `urls` of `setBlockedURLs` it may stand anywhere in the address, as if a `*` were at both ends, and `?` is a question mark: "/ad" blocks /ads, /a/admin
#   and /page?from=/ad. `Fetch.enable` pauses nothing for it. In `urlPatterns`, which are of the web's URLPattern, a host without a port means port 80, and the
#   first one that matches decides, so that an exception must come first.
# Matters: A list of addresses to block that worked as interception patterns blocks more, and an exception at the end of the list is none. Give whole
#   addresses with `urlPatterns`, `*://*:*/ad` for any host, and exceptions first.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install ws@8.23.0
cat >look.mjs <<'EOF'
import { connect, serve } from './devtools.mjs';
const browser = await connect(process.argv[2]);
const page = await browser.open(`http://127.0.0.1:${await serve('page')}/`);
await page('Network.enable');
const paths = ['/ad', '/ads', '/a/admin', '/page?from=/ad', '/other'];
const failed = async () => {
  const answers = await Promise.all(paths.map((path) => page.value(`fetch('${path}').then(() => 'loaded', () => 'failed')`)));
  return paths.filter((_, index) => answers[index] === 'failed').join(' ') || 'none';
};
const blocked = async (params) => {
  await page('Network.setBlockedURLs', params);
  return failed();
};
console.log(`urls: ${await blocked({ urls: ['/ad'] })}`);
console.log(`question: ${await blocked({ urls: ['/a?s'] })}`);
await page('Network.setBlockedURLs', { urls: [] });
await page('Fetch.enable', { patterns: [{ urlPattern: '/ad' }] });
console.log(`fetch: ${await failed()}`);
await page('Fetch.disable');
const all = { urlPattern: '*://*:*/*', block: true };
const but = { urlPattern: '*://*:*/other', block: false };
console.log(`exact: ${await blocked({ urlPatterns: [{ urlPattern: '*://*:*/ad', block: true }] })}`);
console.log(`no port: ${await blocked({ urlPatterns: [{ urlPattern: '*://*/ad', block: true }] })}`);
console.log(`exception last: ${await blocked({ urlPatterns: [all, but] })}`);
console.log(`exception first: ${await blocked({ urlPatterns: [but, all] })}`);
process.exit();
EOF
chromium_start
node look.mjs "$cdp" >seen.txt
expect 'setBlockedURLs, urls: ["/ad"]' "/ad /ads /a/admin /page?from=/ad" "$(seen urls)"
expect 'setBlockedURLs, urls: ["/a?s"]' none "$(seen question)"
expect 'Fetch.enable, "/ad"' none "$(seen fetch)"
expect 'urlPatterns, *://*:*/ad' "/ad" "$(seen exact)"
expect 'urlPatterns, *://*/ad on another port than 80' none "$(seen 'no port')"
expect 'urlPatterns, all, then an exception' "/ad /ads /a/admin /page?from=/ad /other" "$(seen 'exception last')"
expect 'urlPatterns, the exception first' "/ad /ads /a/admin /page?from=/ad" "$(seen 'exception first')"
finish
