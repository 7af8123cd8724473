#!/usr/bin/env bash
# Packages: @nightwatch/chrome-recorder 0.2.2, @cypress/chrome-recorder 2.3.1, @wdio/chrome-recorder 0.6.0, @puppeteer/replay 3.1.3 (npm)
# Guess: A Recorder step that waits until an element is hidden (`waitForElement` with `visible: false`) is exported as such a wait, or left
#   out with the warning that these exporters print for other steps.
# Seen: Nightwatch's exporter writes `waitForElementVisible`, the opposite. Cypress's and WebdriverIO's leave the step out without a
#   warning; `count: 3` is a wait in WebdriverIO's only if it is given, and never in Cypress's.
# Matters: "Wait until the spinner is gone" becomes "wait until it shows", or nothing, so the test fails or runs ahead at random. Write
#   the waits of an exported test by hand.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install @cypress/chrome-recorder@2.3.1 @wdio/chrome-recorder@0.6.0 @nightwatch/chrome-recorder@0.2.2 @puppeteer/replay@3.1.3
cat >export.mjs <<'JS'
import { cypressStringifyChromeRecording } from '@cypress/chrome-recorder';
import { nightwatchStringifyChromeRecording } from '@nightwatch/chrome-recorder';
import { parse } from '@puppeteer/replay';
import { stringifyChromeRecording } from '@wdio/chrome-recorder';
const tools = {
  cypress: cypressStringifyChromeRecording, wdio: stringifyChromeRecording, nightwatch: nightwatchStringifyChromeRecording,
};
const steps = { hidden: { visible: false }, shown: {}, three: { count: 3, operator: '==' } };
for (const [tool, write] of Object.entries(tools)) {
  for (const [name, more] of Object.entries(steps)) {
    const step = { type: 'waitForElement', selectors: [['#spinner']], ...more };
    const text = await write(JSON.stringify(parse({ title: 'A', steps: [{ type: 'navigate', url: 'http://localhost/' }, step] })));
    console.log(`${tool} ${name}: ${text.match(/waitFor\w+|toBe\w+|waitUntil|should/g)?.join(' ') ?? 'nothing'}`);
  }
}
JS
node export.mjs >seen.txt 2>warnings.txt
seen() { sed -n "s/^$1: //p" seen.txt; }
expect "Nightwatch, until it is hidden" "waitForElementVisible" "$(seen "nightwatch hidden")"
expect "Nightwatch, until it is there" "waitForElementVisible" "$(seen "nightwatch shown")"
expect "WebdriverIO, until it is hidden" nothing "$(seen "wdio hidden")"
expect "WebdriverIO, until it is there" nothing "$(seen "wdio shown")"
expect "WebdriverIO, until there are three" "toBeElementsArrayOfSize" "$(seen "wdio three")"
expect "Cypress, each of them" "nothing nothing nothing" "$(seen "cypress hidden") $(seen "cypress shown") $(seen "cypress three")"
expect "warnings" "" "$(cat warnings.txt)"
finish
