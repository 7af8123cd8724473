#!/usr/bin/env bash
# Packages: @cypress/chrome-recorder 2.3.1, @wdio/chrome-recorder 0.6.0, @nightwatch/chrome-recorder 0.2.2, @puppeteer/replay 3.1.3 (npm)
# Guess: The official exporters of Chrome's Recorder translate a step inside a frame or a shadow root, or warn that they cannot.
# Seen: All three drop `frame` without a word, and of a selector through shadow roots (a list) they keep the first part: the host. The
#   exported click goes to whatever has that selector in the top page, or to the middle of the host.
# Matters: The exported test passes, and presses something else. Before you export, look for `frame` and for selectors with more than one
#   part, and write these steps by hand; @puppeteer/replay keeps both.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install @cypress/chrome-recorder@2.3.1 @wdio/chrome-recorder@0.6.0 @nightwatch/chrome-recorder@0.2.2 @puppeteer/replay@3.1.3
cat >export.mjs <<'JS'
import { cypressStringifyChromeRecording } from '@cypress/chrome-recorder';
import { nightwatchStringifyChromeRecording } from '@nightwatch/chrome-recorder';
import { parse, stringify } from '@puppeteer/replay';
import { stringifyChromeRecording } from '@wdio/chrome-recorder';
const tools = {
  cypress: cypressStringifyChromeRecording, wdio: stringifyChromeRecording, nightwatch: nightwatchStringifyChromeRecording,
  puppeteer: (text) => stringify(JSON.parse(text)),
};
const click = { type: 'click', offsetX: 1, offsetY: 1 };
const steps = {
  top: { ...click, selectors: [['#pay']] },
  frame: { ...click, selectors: [['#pay']], frame: [0] },
  shadow: { ...click, selectors: [['#card', '#pay']] },
};
// What of the exported step tells it from others; the warnings, if there are any, go to standard error.
for (const [tool, write] of Object.entries(tools)) {
  for (const [name, step] of Object.entries(steps)) {
    const text = await write(JSON.stringify(parse({ title: 'A', steps: [{ type: 'navigate', url: 'http://localhost/' }, step] })));
    const line = text.split('\n').find((line) => /click\(/.test(line))?.trim();
    const known = { frame: /frame|contentDocument/i.test(text.replace(/timeout/g, '')), inner: name === 'shadow' && text.includes('#pay') };
    console.log(`${tool} ${name}: ${tool === 'puppeteer' ? `${known.frame || known.inner}` : line}`);
  }
}
JS
node export.mjs >seen.txt 2>warnings.txt
seen() { sed -n "s/^$1: //p" seen.txt; }
for kind in top frame; do
  expect "Cypress, $kind" 'cy.get("#pay").click();' "$(seen "cypress $kind")"
  expect "WebdriverIO, $kind" 'await browser.$("#pay").click()' "$(seen "wdio $kind")"
  expect "Nightwatch, $kind" '.click("#pay")' "$(seen "nightwatch $kind")"
done
expect "Cypress, shadow" 'cy.get("#card").click();' "$(seen "cypress shadow")"
expect "WebdriverIO, shadow" 'await browser.$("#card").click()' "$(seen "wdio shadow")"
expect "Nightwatch, shadow" '.click("#card")' "$(seen "nightwatch shadow")"
expect "Puppeteer's own export knows the frame and the inner part" "true true" "$(seen "puppeteer frame") $(seen "puppeteer shadow")"
expect "warnings" "" "$(cat warnings.txt)"
finish
