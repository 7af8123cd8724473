#!/usr/bin/env bash
# Packages: @cypress/chrome-recorder 2.3.1, @wdio/chrome-recorder 0.6.0, @nightwatch/chrome-recorder 0.2.2, @puppeteer/replay 3.1.3 (npm)
# Guess: A recorded Control+A (keyDown Control, keyDown a, keyUp a, keyUp Control) is exported as that shortcut.
# Seen: WebdriverIO's and Nightwatch's exporters press and release Control without the letter; Cypress's writes no step at all. WebdriverIO's
#   alone says on standard error that it does not know the key. All three know Enter.
# Matters: "Select all, then type" becomes "type at the end", and the test may still pass. Search the recording for keyDown steps of one
#   character before you trust an export.
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
const key = (type, key) => ({ type, key });
const shortcut = [key('keyDown', 'Control'), key('keyDown', 'a'), key('keyUp', 'a'), key('keyUp', 'Control')];
const enter = [key('keyDown', 'Enter'), key('keyUp', 'Enter')];
const [tool, which] = process.argv.slice(2);
const steps = [{ type: 'navigate', url: 'http://localhost/' }, ...(which === 'enter' ? enter : shortcut)];
const text = await tools[tool](JSON.stringify(parse({ title: 'Keys', steps })));
// Each press and release, and the letter if it is anywhere as a key.
const acts = text.match(/keyboard\.(down|up)\(.*?\)|type: 'key(Down|Up)'|\.key(Down|Up)\(.*?\)|\.type\(.*?\)/g) ?? [];
const letter = /"a"|'a'|KEYS\.A\b|\{ctrl\}a|\{selectAll\}/i.test(text);
console.log(`${acts.length} acts${which === 'enter' ? '' : letter ? ', with the letter' : ', without the letter'}`);
JS
export_of() { node export.mjs "$1" "$2" 2>"$1.$2.txt"; }
expect "Puppeteer's own export" "4 acts, with the letter" "$(export_of puppeteer shortcut)"
expect "Cypress" "0 acts, without the letter" "$(export_of cypress shortcut)"
expect "WebdriverIO" "2 acts, without the letter" "$(export_of wdio shortcut)"
expect "Nightwatch" "2 acts, without the letter" "$(export_of nightwatch shortcut)"
expect "Enter in Cypress, WebdriverIO, Nightwatch" "1 acts, 2 acts, 2 acts" \
  "$(export_of cypress enter), $(export_of wdio enter), $(export_of nightwatch enter)"
expect "who says something: Cypress, WebdriverIO, Nightwatch" "no yes no" \
  "$(for tool in cypress wdio nightwatch; do if [ -s "$tool.shortcut.txt" ]; then echo yes; else echo no; fi; done | paste -sd ' ')"
finish
