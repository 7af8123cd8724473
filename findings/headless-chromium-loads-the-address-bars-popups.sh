#!/usr/bin/env bash
# Packages: Chromium 156, ws 8.23.0 (npm)
# Guess: A headless Chromium draws no window, so what belongs to the window alone, such as the popup under the address bar, is not loaded.
# Seen: Right after its start it loads two pages for that popup (chrome://omnibox-popup.top-chrome/ and one for its AI mode) in a renderer of
#   their own; `Target.getTargets` lists them with the type "browser_ui". With the features WebUIOmniboxPopup and WebUIOmniboxAimPopup
#   disabled, all renderers together take less than a third of the processor time in the first seconds.
# Matters: Whoever starts a browser per test or per task pays for this each time: about half of all processor time of a start, and the
#   memory of two pages. The flags that lists of "flags for tools" name do not turn it off, and `--disable-features` counts only once.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install ws@8.23.0
cat >pages.mjs <<'EOF'
import { connect, until, wait } from './devtools.mjs';
const browser = await connect(process.argv[2]);
const all = async () => (await browser.send('Target.getTargets')).targetInfos;
const popups = async () => (await all()).filter(({ url }) => url.startsWith('chrome://omnibox-popup'));
if (process.argv[3] === 'wanted') await until(async () => (await popups()).length >= 2);
await wait(5000);
const found = await popups();
const { processInfo } = await browser.send('SystemInfo.getProcessInfo');
console.log(`pages: ${found.map(({ type, url }) => `${type} ${url}`).sort().join(', ') || 'none'}`);
console.log(`renderers: ${Math.round(processInfo.filter(({ type }) => type === 'renderer').reduce((sum, { cpuTime }) => sum + cpuTime * 1000, 0))}`);
process.exit();
EOF
seen() { sed -n "s/^$1: //p" "$2"; }
chromium_start
node pages.mjs "$cdp" wanted >with.txt
chromium_start --disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup
node pages.mjs "$cdp" without >without.txt
echo "renderers' processor time: $(seen renderers with.txt) ms, without these features $(seen renderers without.txt) ms"
expect "its pages for the popup" "browser_ui chrome://omnibox-popup.top-chrome/, browser_ui chrome://omnibox-popup.top-chrome/omnibox_popup_aim.html" "$(seen pages with.txt)"
expect "without the features" none "$(seen pages without.txt)"
expect "the renderers take less than a third then" yes "$([ $(($(seen renderers without.txt) * 3)) -lt "$(seen renderers with.txt)" ] && echo yes || echo no)"
finish
