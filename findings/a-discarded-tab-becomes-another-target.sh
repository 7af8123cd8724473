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
import { connect, serve, until, wait } from './devtools.mjs';
const browser = await connect(process.argv[2]);
const url = `http://127.0.0.1:${await serve('hello')}/`;
const worker = await browser.attach((await until(() => browser.targets('service_worker').then(([first]) => first))).targetId);
const page = await browser.open('about:blank');
const { targetId } = page;
await page('Page.enable');
await page('Emulation.setUserAgentOverride', { userAgent: 'mine' });
await page('Page.addScriptToEvaluateOnNewDocument', { source: 'globalThis.mine = true' });
await page('Page.navigate', { url });
await page.event('Page.loadEventFired');
const state = '[navigator.userAgent === "mine", globalThis.mine === true].join(" ")';
console.log(`before: ${await page.value(state)}`);
await browser.send('Target.createTarget', { url: 'about:blank' });
const tabBefore = await worker.value('find().then(({ id }) => id)');
await worker.value(`chrome.tabs.discard(${tabBefore}).then(() => true)`);
console.log(`session: ${(await page.event('Inspector.detached')).reason}`);
const now = await until(() => browser.targets('page').then((pages) => pages.find((target) => target.url === url && target.targetId !== targetId)));
const gone = await until(() => browser.targets('page').then((pages) => pages.every((target) => target.targetId !== targetId)));
const tabNow = await worker.value('find().then(({ id }) => id)');
console.log(`target: ${gone ? 'another' : 'the same'}, tab id: ${tabNow === tabBefore ? 'the same' : 'another'}`);
const again = await browser.attach(now.targetId);
const evaluated = again.value('document.readyState');
console.log(`attached: ${await Promise.race([evaluated, wait(3000).then(() => 'no reply in 3 s')])}, discarded ${await worker.value('find().then(({ discarded }) => discarded)')}`);
await browser.send('Target.activateTarget', { targetId: now.targetId });
await until(() => again.value('document.readyState === "complete" && document.body?.textContent === "hello"'));
console.log(`activated: ${await again.value(state)}`);
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
