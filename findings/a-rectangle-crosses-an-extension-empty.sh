#!/usr/bin/env bash
# Packages: ws 8.23.0 (npm), Chromium 156
# Guess: What crosses an extension's borders crosses as JSON: `element.getBoundingClientRect()` is its numbers and a Date its text, in each of the APIs.
# Seen: In messages it is so. Results and arguments of `scripting.executeScript`, and all areas of `chrome.storage`, ignore `toJSON`: a rectangle and a Date arrive
#   as `{}`. They also sort the keys of each object by name. A message keeps their order.
# Matters: Code that measures elements works over messages and gets `undefined` over `executeScript`; a Date that was stored is lost for good. Call
#   `.toJSON()` first, and rely on no order.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install ws@8.23.0
mkdir extension
cat >extension/manifest.json <<'JSON'
{
  "manifest_version": 3, "name": "e", "version": "1", "permissions": ["scripting", "storage"], "host_permissions": ["http://127.0.0.1/*"],
  "background": { "service_worker": "worker.js" }, "content_scripts": [{ "matches": ["http://127.0.0.1/*"], "js": ["content.js"] }]
}
JSON
cat >extension/worker.js <<'JS'
const tabId = async () => (await chrome.tabs.query({ url: 'http://127.0.0.1/*' }))[0].id;
const run = async (func, ...args) => JSON.stringify((await chrome.scripting.executeScript({ target: { tabId: await tabId() }, func, args }))[0].result);
const ask = async (what) => JSON.stringify(await chrome.tabs.sendMessage(await tabId(), what));
async function store(area, value) {
  await chrome.storage[area].set({ value });
  return JSON.stringify((await chrome.storage[area].get('value')).value);
}
JS
cat >extension/content.js <<'JS'
const values = { rectangle: new DOMRect(1, 2, 3, 4), date: new Date(0), order: { b: 1, a: 2 } };
chrome.runtime.onMessage.addListener((what, sender, answer) => answer(values[what]));
JS
cat >look.mjs <<'EOF'
import { connect, serve, until } from './devtools.mjs';
const browser = await connect(process.argv[2]);
const find = async () => (await browser.targets('service_worker')).find(({ url }) => url.endsWith('/worker.js'))?.targetId;
const worker = await browser.attach(await until(find));
await until(() => worker.value('typeof store === "function"'));
await browser.open(`http://127.0.0.1:${await serve('<p>text')}/`);
for (const [name, value] of Object.entries({ rectangle: 'new DOMRect(1, 2, 3, 4)', date: 'new Date(0)', order: '({ b: 1, a: 2 })' })) {
  console.log(`message ${name}: ${await worker.value(`ask('${name}')`)}`);
  console.log(`result ${name}: ${await worker.value(`run(() => ${value})`)}`);
  console.log(`argument ${name}: ${await worker.value(`run((value) => JSON.stringify(value), ${value})`)}`);
  for (const area of ['local', 'session']) console.log(`${area} ${name}: ${await worker.value(`store('${area}', ${value})`)}`);
}
process.exit();
EOF
chromium_start --load-extension="$work/extension" --disable-features=DisableLoadExtensionCommandLineSwitch
node look.mjs "$cdp" >seen.txt
expect "a rectangle in a message" '{"x":1,"y":2,"width":3,"height":4,"top":2,"right":4,"bottom":6,"left":1}' "$(seen 'message rectangle')"
expect "a Date in a message" '"1970-01-01T00:00:00.000Z"' "$(seen 'message date')"
expect "the order of keys in a message" '{"b":1,"a":2}' "$(seen 'message order')"
for way in result local session; do
  for what in rectangle date; do expect "a $what as $way" '{}' "$(seen "$way $what")"; done
  expect "the order of keys, $way" '{"a":2,"b":1}' "$(seen "$way order")"
done
expect "a Date as an argument of executeScript" '"{}"' "$(seen 'argument date')"
finish
