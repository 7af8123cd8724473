#!/usr/bin/env bash
# Packages: Chromium 156, ws 8.23.0 (npm)
# Guess: `chrome.debugger.attach` to a tab that another extension debugs fails: "Another debugger is already attached to the tab".
# Seen: Two extensions attach to one tab without an error, each with its own overrides: the later user agent counts, and when its extension
#   detaches, the earlier one is in force again. Only an extension's own second attach fails, with the words about another debugger.
# Matters: The message means "you are attached already" (from before the service worker's last stop, or by a second caller), so telling the
#   person to stop another tool is wrong, and detaching and attaching again is right. And being attached does not mean being alone: check
#   that what you set is in force.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install ws@8.23.0
for letter in a b; do
  mkdir "$letter"
  printf '{"manifest_version": 3, "name": "%s", "version": "1", "permissions": ["debugger", "tabs"], "host_permissions": ["<all_urls>"], "background": {"service_worker": "worker.js"}}' \
    "$letter" >"$letter/manifest.json"
  cat >"$letter/worker.js" <<'EOF'
const attach = (tabId) => chrome.debugger.attach({ tabId }, '1.3').then(() => 'attached', (error) => error.message.replace(/\d+/, 'N'));
const send = (tabId, method, params) => chrome.debugger.sendCommand({ tabId }, method, params);
EOF
done
cat >two.mjs <<'EOF'
import { createServer } from 'node:http';
import WebSocket from 'ws';
const { webSocketDebuggerUrl } = await (await fetch(`${process.argv[2]}/json/version`)).json();
const socket = new WebSocket(webSocketDebuggerUrl);
const replies = new Map();
let id = 0;
socket.on('message', (text) => {
  const { id, result, error } = JSON.parse(text);
  if (id) error ? replies.get(id).reject(new Error(error.message)) : replies.get(id).resolve(result);
});
const send = (method, params = {}, sessionId) =>
  new Promise((resolve, reject) => {
    replies.set(++id, { resolve, reject });
    socket.send(JSON.stringify({ id, method, params, sessionId }));
  });
await new Promise((resolve) => socket.once('open', resolve));
const evaluator = async (targetId) => {
  const { sessionId } = await send('Target.attachToTarget', { targetId, flatten: true });
  return async (expression) => {
    const { result, exceptionDetails } = await send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true }, sessionId);
    return exceptionDetails ? exceptionDetails.exception.description : result.value;
  };
};
const site = createServer((_, response) => response.setHeader('content-type', 'text/html').end('the site'));
await new Promise((resolve) => site.listen(0, '127.0.0.1', resolve));
const page = await evaluator((await send('Target.createTarget', { url: `http://127.0.0.1:${site.address().port}/` })).targetId);
const workers = {};
for (let n = 0; n < 100 && Object.keys(workers).length < 2; n++) {
  const { targetInfos } = await send('Target.getTargets');
  for (const { targetId } of targetInfos.filter(({ type }) => type === 'service_worker')) {
    const worker = await evaluator(targetId);
    const name = await worker('chrome.runtime.getManifest().name');
    if (name === 'a' || name === 'b') workers[name] = worker;
  }
  await new Promise((resolve) => setTimeout(resolve, 100));
}
const { a, b } = workers;
let tab;
while (!tab) tab = await a("chrome.tabs.query({ url: 'http://127.0.0.1/*' }).then(([tab]) => tab?.id)");
console.log(`first: ${await a(`attach(${tab})`)}`);
console.log(`second: ${await b(`attach(${tab})`)}`);
console.log(`again: ${await a(`attach(${tab})`)}`);
const agent = (name) => `send(${tab}, 'Emulation.setUserAgentOverride', { userAgent: 'agent ${name}' })`;
await a(agent('a'));
await b(agent('b'));
console.log(`agent: ${await page('navigator.userAgent')}`);
await b(`chrome.debugger.detach({ tabId: ${tab} })`);
console.log(`left: ${await page('navigator.userAgent')}`);
process.exit();
EOF
chromium_start --load-extension="$work/a,$work/b" --disable-features=DisableLoadExtensionCommandLineSwitch
node two.mjs "$cdp" >seen.txt
seen() { sed -n "s/^$1: //p" seen.txt; }
expect "extension a attaches" attached "$(seen first)"
expect "extension b attaches too" attached "$(seen second)"
expect "extension a attaches again" "Another debugger is already attached to the tab with id: N." "$(seen again)"
expect "both set a user agent" "agent b" "$(seen agent)"
expect "after b has detached" "agent a" "$(seen left)"
finish
