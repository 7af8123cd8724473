#!/usr/bin/env bash
# Packages: ws 8.23.0 (npm), Chromium 156
# Guess: In the patterns of `Fetch.enable` a `?` stands for exactly one character: so says the protocol's own text.
# Seen: It stands for one character or none: `*/item?` pauses /item too, and `*/item?id=1` pauses /itemid=1 and /itemXid=1. Written `\?` it is a question mark.
# Matters: An interceptor for addresses with a query changes or fails other requests. In JSON it takes two backslashes: `"*/item\\?id=1"`.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install ws@8.23.0
cat >look.mjs <<'EOF'
import { connect, serve } from './devtools.mjs';
const browser = await connect(process.argv[2]);
const port = await serve('page');
const page = await browser.open(`http://127.0.0.1:${port}/`);
const patterns = { end: '*/item?', query: '*/item?id=1', escaped: '*/item\\?id=1' };
const paths = ['/item', '/items', '/items2', '/itemid=1', '/itemXid=1', '/item?id=1'];
for (const [name, urlPattern] of Object.entries(patterns)) {
  await page('Fetch.enable', { patterns: [{ urlPattern }] });
  const start = browser.events.length;
  const all = Promise.all(paths.map((path) => page.value(`fetch('${path}').then(() => 'loaded', () => 'failed')`)));
  const paused = () => browser.events.slice(start).filter(({ method }) => method === 'Fetch.requestPaused');
  const seen = new Set();
  // Each paused request is failed, so that the page itself says which ones were paused.
  const timer = setInterval(() => {
    for (const { params } of paused()) {
      if (!seen.has(params.requestId)) page('Fetch.failRequest', { requestId: params.requestId, errorReason: 'Failed' });
      seen.add(params.requestId);
    }
  }, 20);
  const answers = await all;
  clearInterval(timer);
  await page('Fetch.disable');
  console.log(`${name}: ${paths.filter((_, index) => answers[index] === 'failed').join(' ')}`);
}
process.exit();
EOF
chromium_start
node look.mjs "$cdp" >seen.txt
expect "paused by */item?" "/item /items" "$(seen end)"
expect "paused by */item?id=1" "/itemid=1 /itemXid=1 /item?id=1" "$(seen query)"
expect "paused by */item\\?id=1" "/item?id=1" "$(seen escaped)"
finish
