#!/usr/bin/env bash
# Packages: Chromium 156, ws 8.23.0 (npm)
# Guess: Discarding a tab unloads its page and keeps the tab: a DevTools client keeps its target and session, and finds the page reloaded on
#   the next use.
# Seen: The session ends ("Render process gone.") and the target is destroyed, though the tab is still in the window. Another target with
#   the same address stands for it, and the extensions' tab id is another one too. Attaching to it works, but commands wait until somebody
#   activates the tab: attaching does not load it. Then the page loads without the init scripts and overrides of the first session.
# Matters: A client that keeps tabs by target id reports a tab as closed by its person while it is in front of them, and one that follows it
#   runs on without its user agent, scripts and interception. Match by the address when a target goes and another comes at once, activate
#   it, and set everything up again.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install ws@8.23.0
mkdir discarder
echo '{"manifest_version": 3, "name": "discarder", "version": "1", "permissions": ["tabs"], "host_permissions": ["<all_urls>"], "background": {"service_worker": "worker.js"}}' >discarder/manifest.json
echo "const find = () => chrome.tabs.query({ url: 'http://127.0.0.1/*' }).then(([tab]) => tab);" >discarder/worker.js
cat >discard.mjs <<'EOF'
import { createServer } from 'node:http';
import WebSocket from 'ws';
const { webSocketDebuggerUrl } = await (await fetch(`${process.argv[2]}/json/version`)).json();
const socket = new WebSocket(webSocketDebuggerUrl);
const replies = new Map();
const events = [];
let id = 0;
socket.on('message', (text) => {
  const message = JSON.parse(text);
  if (!message.id) return events.push(message);
  const { resolve, reject } = replies.get(message.id);
  message.error ? reject(new Error(message.error.message)) : resolve(message.result);
});
const send = (method, params = {}, sessionId) =>
  new Promise((resolve, reject) => {
    replies.set(++id, { resolve, reject });
    socket.send(JSON.stringify({ id, method, params, sessionId }));
  });
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const until = async (check) => {
  for (let n = 0; n < 200; n++, await wait(50)) {
    const found = await check();
    if (found) return found;
  }
  throw new Error(`never: ${check}`);
};
await new Promise((resolve) => socket.once('open', resolve));
const attach = async (targetId) => {
  const { sessionId } = await send('Target.attachToTarget', { targetId, flatten: true });
  const session = (method, params) => send(method, params, sessionId);
  session.id = sessionId;
  session.evaluate = async (expression) => (await session('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true })).result.value;
  return session;
};
const targets = async (type) => (await send('Target.getTargets')).targetInfos.filter((target) => target.type === type);
const site = createServer((_, response) => response.setHeader('content-type', 'text/html').end('<!doctype html>hello'));
await new Promise((resolve) => site.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${site.address().port}/`;
const worker = await attach((await until(() => targets('service_worker').then(([first]) => first))).targetId);
const { targetId } = await send('Target.createTarget', { url: 'about:blank' });
const page = await attach(targetId);
await page('Page.enable');
await page('Emulation.setUserAgentOverride', { userAgent: 'mine' });
await page('Page.addScriptToEvaluateOnNewDocument', { source: 'globalThis.mine = true' });
await page('Page.navigate', { url });
await until(() => events.some(({ method, sessionId }) => method === 'Page.loadEventFired' && sessionId === page.id));
const state = '[navigator.userAgent === "mine", globalThis.mine === true].join(" ")';
console.log(`before: ${await page.evaluate(state)}`);
await send('Target.createTarget', { url: 'about:blank' });
const tabBefore = await worker.evaluate('find().then(({ id }) => id)');
await worker.evaluate(`chrome.tabs.discard(${tabBefore}).then(() => true)`);
const reason = await until(() => events.find(({ method, sessionId }) => method === 'Inspector.detached' && sessionId === page.id));
console.log(`session: ${reason.params.reason}`);
const now = await until(() => targets('page').then((pages) => pages.find((target) => target.url === url && target.targetId !== targetId)));
const gone = await until(() => targets('page').then((pages) => pages.every((target) => target.targetId !== targetId)));
const tabNow = await worker.evaluate('find().then(({ id }) => id)');
console.log(`target: ${gone ? 'another' : 'the same'}, tab id: ${tabNow === tabBefore ? 'the same' : 'another'}`);
const again = await attach(now.targetId);
const evaluated = again.evaluate('document.readyState');
console.log(`attached: ${await Promise.race([evaluated, wait(3000).then(() => 'no reply in 3 s')])}, discarded ${await worker.evaluate('find().then(({ discarded }) => discarded)')}`);
await send('Target.activateTarget', { targetId: now.targetId });
await until(() => again.evaluate('document.readyState === "complete" && document.body?.textContent === "hello"'));
console.log(`activated: ${await again.evaluate(state)}`);
process.exit();
EOF
chromium_start --load-extension="$work/discarder" --disable-features=DisableLoadExtensionCommandLineSwitch
node discard.mjs "$cdp" >seen.txt
seen() { sed -n "s/^$1: //p" seen.txt; }
expect "user agent, init script before" "true true" "$(seen before)"
expect "the session" "Render process gone." "$(seen session)"
expect "the tab is then" "another, tab id: another" "$(seen target)"
expect "a command to the new target" "no reply in 3 s, discarded true" "$(seen attached)"
expect "user agent, init script once activated" "false false" "$(seen activated)"
finish
