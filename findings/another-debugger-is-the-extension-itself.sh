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
// A new tab starts a worker that has stopped.
chrome.tabs.onUpdated.addListener(() => {});
EOF
done
cat >two.mjs <<'EOF'
import { connect, serve, wait } from './devtools.mjs';
const browser = await connect(process.argv[2]);
const page = await browser.open(`http://127.0.0.1:${await serve('the site')}/`);
const workers = {};
for (let n = 0; n < 600 && Object.keys(workers).length < 2; n++) {
  for (const { targetId } of await browser.targets('service_worker')) {
    const worker = await browser.attach(targetId);
    const name = await worker.value('chrome.runtime.getManifest().name');
    if (name === 'a' || name === 'b') workers[name] = worker.value;
  }
  await wait(100);
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
console.log(`agent: ${await page.value('navigator.userAgent')}`);
await b(`chrome.debugger.detach({ tabId: ${tab} })`);
console.log(`left: ${await page.value('navigator.userAgent')}`);
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
