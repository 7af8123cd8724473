#!/usr/bin/env bash
# Packages: ws 8.23.0 (npm), Chromium 156
# Guess: An extension's offscreen document is hidden, as a tab in the background is: `visibilityState` says so, and timers are slowed down.
# Seen: it is "visible", its timers run at full speed, and yet `requestAnimationFrame` never calls back: the document is 0 by 0 pixels and
#   draws no frame. A page in a tab in front of others gets both.
# Matters: Code that checks for "hidden" before it waits for a frame, as libraries for charts, canvas, transitions and tests do, waits for
#   ever. Use timers or a worker's loop in an offscreen document, and an OffscreenCanvas to draw.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install ws@8.23.0
mkdir extension
echo '{"manifest_version": 3, "name": "off", "version": "1", "permissions": ["offscreen"], "background": {"service_worker": "worker.js"}}' >extension/manifest.json
echo "const make = () => chrome.offscreen.createDocument({ url: 'off.html', reasons: ['DOM_PARSER'], justification: 'a finding' });" >extension/worker.js
echo '<!doctype html><title>off</title><p>text' >extension/off.html
cat >look.mjs <<'EOF'
import { connect, serve, until } from './devtools.mjs';
const browser = await connect(process.argv[2]);
const find = async (end) => (await browser.send('Target.getTargets')).targetInfos.find(({ url }) => url.endsWith(end))?.targetId;
const worker = await browser.attach(await until(() => find('/worker.js')));
await until(() => worker.value('typeof make === "function"'));
await worker.value('make()');
const offscreen = await browser.attach(await until(() => find('/off.html')));
const tab = await browser.open(`http://127.0.0.1:${await serve('<p>text')}/`);
const ticks = `new Promise((resolve) => {
  let count = 0;
  setInterval(() => ++count === 30 && resolve('run at full speed'), 20);
  setTimeout(resolve, 15000, 'are slowed down');
})`;
const frame = `new Promise((resolve) => {
  requestAnimationFrame(() => resolve('come'));
  setTimeout(resolve, 5000, 'do not come in 5 s');
})`;
for (const [name, session] of Object.entries({ tab, offscreen })) {
  const [visible, timers, frames] = [await session.value('document.visibilityState'), await session.value(ticks), await session.value(frame)];
  console.log(`${name}: ${visible}, timers ${timers}, frames ${frames}`);
}
console.log(`size: ${await offscreen.value('`${innerWidth}x${innerHeight}`')}`);
process.exit();
EOF
chromium_start --load-extension="$work/extension" --disable-features=DisableLoadExtensionCommandLineSwitch
node look.mjs "$cdp" >seen.txt
seen() { sed -n "s/^$1: //p" seen.txt; }
expect "a tab in front" "visible, timers run at full speed, frames come" "$(seen tab)"
expect "an offscreen document" "visible, timers run at full speed, frames do not come in 5 s" "$(seen offscreen)"
expect "its size" 0x0 "$(seen size)"
finish
