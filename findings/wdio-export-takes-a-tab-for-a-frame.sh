#!/usr/bin/env bash
# Packages: @wdio/chrome-recorder 0.6.0, @puppeteer/replay 3.1.3 (npm)
# Guess: `target` of a Recorder step is the address of another tab, so WebdriverIO's exporter writes `switchWindow`. A step with `frame`
#   becomes a switch to that frame.
# Seen: It is the other way round. `target` becomes `switchToFrame` to an iframe whose `src` is the tab's address, and `frame` is ignored.
#   The next step without a `target` does not switch back.
# Matters: A recording that opens a tab gives a test that waits for an iframe that never was there. Write the switch of windows by hand.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install @wdio/chrome-recorder@0.6.0 @puppeteer/replay@3.1.3
cat >export.mjs <<'JS'
import { parse, stringify } from '@puppeteer/replay';
import { stringifyChromeRecording } from '@wdio/chrome-recorder';
const click = (selector, more) => ({ type: 'click', offsetX: 1, offsetY: 1, selectors: [[selector]], ...more });
const [start, second] = ['http://localhost/', 'http://localhost/two'];
const recording = parse({ title: 'A', steps: [{ type: 'navigate', url: start }, click('#in', { target: second }), click('#back')] });
const text = await stringifyChromeRecording(JSON.stringify(recording));
console.log(`wdio: ${text.match(/switch\w+/g).join(' ')}`);
console.log(`iframe: ${text.includes(`iframe[src="${second}"]`)}`);
const framed = parse({ title: 'A', steps: [{ type: 'navigate', url: start }, click('#in', { frame: [0] })] });
console.log(`frame: ${(await stringifyChromeRecording(JSON.stringify(framed))).match(/switch\w+/g)}`);
console.log(`puppeteer: ${/waitForTarget|browser\.targets|target\.url/.test(await stringify(recording))}`);
JS
node export.mjs >seen.txt
seen() { sed -n "s/^$1: //p" seen.txt; }
expect "a step in another tab, then one in the first" "switchToFrame" "$(seen wdio)"
expect "the frame is looked for by the tab's address" true "$(seen iframe)"
expect "a step in a frame" null "$(seen frame)"
expect "Puppeteer's own export waits for the tab" true "$(seen puppeteer)"
finish
