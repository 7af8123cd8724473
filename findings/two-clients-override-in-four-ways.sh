#!/usr/bin/env bash
# Packages: chrome-remote-interface 0.34.0 (npm), Chromium 156 (Debian)
# Guess: when two DevTools clients of one page set the same emulation, the last one wins, and its end takes the emulation away.
# Seen: it depends on the command. Device metrics: the last one wins, and when it leaves, the emulation of the one that stays is gone as
#   well. Media features and extra headers: both apply, and each takes its own away. Offline: on as soon as either says so, whatever
#   the other says. Time zone and locale: the second client's command fails as long as the first is attached.
# Matters: a client that looks at a page for a moment can end the emulation of the one that works there, which gets no event, and
#   `setTimezoneOverride` fails for reasons outside your code. Read the value in the page instead of assuming it.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install chrome-remote-interface@0.34.0
chromium_start
cat >probe.mjs <<'JS'
import { createServer } from 'node:http';
import CDP from 'chrome-remote-interface';
const port = Number(new URL(process.argv[2]).port);
let headers;
const site = createServer((request, response) => {
  headers = request.headers;
  response.writeHead(200, { 'content-type': 'text/html' }).end('<title>page</title>');
});
await new Promise((resolve) => site.listen(0, '127.0.0.1', resolve));
const { id } = await CDP.New({ port, url: `http://127.0.0.1:${site.address().port}/` });
const pair = async () => [await CDP({ port, target: id }), await CDP({ port, target: id })];
const own = await CDP({ port, target: id });
const read = async (expression) => (await own.Runtime.evaluate({ expression, awaitPromise: true, returnByValue: true })).result.value;
while ((await read('document.title')) !== 'page') await new Promise((resolve) => setTimeout(resolve, 50));
const real = await read('innerWidth');

/** Prints what the page shows after A's command, after B's, after A's other value, and after B left. */
async function shows(what, expression, set) {
  const [a, b] = await pair();
  const seen = [];
  for (const step of [() => set.a(a), () => set.b(b), () => set.again?.(a), () => b.close()]) {
    const failed = await Promise.resolve(step()).then(() => '', () => ' (refused)');
    const value = await (typeof expression === 'function' ? expression() : read(expression));
    seen.push(`${value === real ? 'real' : value}${failed}`);
  }
  await a.close();
  console.log(what, seen.join(' | '));
}
const metrics = (width) => ({ Emulation }) => Emulation.setDeviceMetricsOverride({ width, height: 400, deviceScaleFactor: 1, mobile: false });
await shows('metrics', 'innerWidth', { a: metrics(500), b: metrics(600), again: metrics(510) });
await shows('released', 'innerWidth', { a: metrics(500), b: metrics(600) });
await shows('media', `['(prefers-color-scheme: dark)', '(prefers-reduced-motion: reduce)'].map((query) => +matchMedia(query).matches).join('')`, {
  a: ({ Emulation }) => Emulation.setEmulatedMedia({ features: [{ name: 'prefers-color-scheme', value: 'dark' }] }),
  b: ({ Emulation }) => Emulation.setEmulatedMedia({ features: [{ name: 'prefers-reduced-motion', value: 'reduce' }] }),
});
const zone = (timezoneId) => ({ Emulation }) => Emulation.setTimezoneOverride({ timezoneId });
await shows('zone', 'Intl.DateTimeFormat().resolvedOptions().timeZone', { a: zone('Asia/Tokyo'), b: zone('Europe/Paris'), again: zone('Asia/Seoul') });
const locale = (name) => ({ Emulation }) => Emulation.setLocaleOverride({ locale: name });
await shows('locale', 'Intl.DateTimeFormat().resolvedOptions().locale', { a: locale('ja-JP'), b: locale('fr-FR') });
const offline = (value) => async ({ Network }) => {
  await Network.enable();
  await Network.emulateNetworkConditions({ offline: value, latency: 0, downloadThroughput: -1, uploadThroughput: -1 });
};
await shows('offline', `fetch('/x').then(() => 'online', () => 'offline')`, { a: offline(true), b: offline(false), again: offline(false) });
const header = (name) => async ({ Network }) => {
  await Network.enable();
  await Network.setExtraHTTPHeaders({ headers: { [name]: '1' } });
};
const sent = async () => {
  await read(`fetch('/y').then(() => 0)`);
  return ['x-a', 'x-b'].filter((name) => headers[name]).join('+') || 'none';
};
await shows('headers', sent, { a: header('x-a'), b: header('x-b') });
process.exit(0);
JS
node probe.mjs "$cdp" >seen.txt
value() { sed -n "s#^$1 ##p" seen.txt; }
steps='after A, after B, after A again, after B left'
expect "device metrics: $steps" "500 | 600 | 510 | real" "$(value metrics)"
expect "device metrics, A sets once" "500 | 600 | 600 | real" "$(value released)"
expect "media features (dark, reduced motion)" "10 | 11 | 11 | 10" "$(value media)"
expect "time zone" "Asia/Tokyo | Asia/Tokyo (refused) | Asia/Seoul | Asia/Seoul" "$(value zone)"
expect "locale" "ja-JP | ja-JP (refused) | ja-JP | ja-JP" "$(value locale)"
expect "offline (A: yes, B: no, A: no)" "offline | offline | online | online" "$(value offline)"
expect "extra headers" "x-a | x-a+x-b | x-a+x-b | x-a" "$(value headers)"
finish
