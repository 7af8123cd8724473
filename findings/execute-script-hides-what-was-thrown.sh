#!/usr/bin/env bash
# Packages: ws 8.23.0 (npm), Chromium 156
# Guess: `chrome.scripting.executeScript` is rejected if the function throws, or says so in the frame's result, as Firefox does with `error`.
# Seen: It succeeds, and the result of that frame is null: the same as for a function that returns nothing, NaN, a BigInt or a function. A rejected promise is null too.
#   `chrome.tabs.sendMessage` is rejected with the message of an error that the listener throws, or that its promise is rejected with.
# Matters: An extension that takes null for "nothing found" hides its own faults. Catch in the function, and return `{ error }` or `{ value }`.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install ws@8.23.0
mkdir extension
cat >extension/manifest.json <<'JSON'
{
  "manifest_version": 3, "name": "e", "version": "1", "permissions": ["scripting"], "host_permissions": ["http://127.0.0.1/*"],
  "background": { "service_worker": "worker.js" }, "content_scripts": [{ "matches": ["http://127.0.0.1/*"], "js": ["content.js"] }]
}
JSON
cat >extension/worker.js <<'JS'
async function run(func) {
  const [tab] = await chrome.tabs.query({ url: 'http://127.0.0.1/*' });
  const shown = (answer) => `${Object.keys(answer).filter((key) => key !== 'documentId' && key !== 'frameId').join()} ${JSON.stringify(answer.result)}`;
  return chrome.scripting.executeScript({ target: { tabId: tab.id }, func }).then(([answer]) => shown(answer), (error) => `rejected: ${error.message}`);
}
async function ask(how) {
  const [tab] = await chrome.tabs.query({ url: 'http://127.0.0.1/*' });
  return chrome.tabs.sendMessage(tab.id, how).catch((error) => `rejected: ${error.message}`);
}
JS
cat >extension/content.js <<'JS'
chrome.runtime.onMessage.addListener((how) => {
  if (how === 'throw') throw new Error('boom');
  return Promise.reject(new Error('boom'));
});
JS
cat >look.mjs <<'EOF'
import { connect, serve, until } from './devtools.mjs';
const browser = await connect(process.argv[2]);
const find = async () => (await browser.targets('service_worker')).find(({ url }) => url.endsWith('/worker.js'))?.targetId;
const worker = await browser.attach(await until(find));
await until(() => worker.value('typeof ask === "function"'));
await browser.open(`http://127.0.0.1:${await serve('<p>text')}/`);
const functions = {
  value: '() => 7', nothing: '() => {}', thrown: '() => { throw new Error("boom"); }', rejected: 'async () => { throw new Error("boom"); }', nan: '() => NaN',
  bigint: '() => 5n',
};
for (const [name, func] of Object.entries(functions)) console.log(`${name}: ${await worker.value(`run(${func})`)}`);
for (const how of ['throw', 'reject']) console.log(`message ${how}: ${await worker.value(`ask('${how}')`)}`);
process.exit();
EOF
chromium_start --load-extension="$work/extension" --disable-features=DisableLoadExtensionCommandLineSwitch
node look.mjs "$cdp" >seen.txt
expect "a function that returns 7" "result 7" "$(seen value)"
expect "one that returns nothing" "result null" "$(seen nothing)"
expect "one that throws" "result null" "$(seen thrown)"
expect "one whose promise is rejected" "result null" "$(seen rejected)"
expect "one that returns NaN" "result null" "$(seen nan)"
expect "one that returns a BigInt" "result null" "$(seen bigint)"
for how in throw reject; do expect "sendMessage to a listener that does so ($how)" "rejected: boom" "$(seen "message $how")"; done
finish
