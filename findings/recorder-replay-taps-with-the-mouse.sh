#!/usr/bin/env bash
# Packages: @puppeteer/replay 3.1.3, puppeteer-core 25.16.0 (npm), Chromium 156
# Guess: a `click` step with `deviceType: "touch"` is played as a tap, at least where the recording has set a phone with touch.
# Seen: the page gets a pointer of type "mouse", `mousedown` and no `touchstart`. The field is read, checked and not used. `tap` of
#   Puppeteer's own page sends "touch" in the same tab.
# Matters: menus that open on touch, and swipes, are not tested by a recording of a phone, although its steps say "touch". For such
#   a step write an extension of the runner that taps.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install @puppeteer/replay@3.1.3 puppeteer-core@25.16.0
chromium_start
cat >play.mjs <<'JS'
import { createRunner, parse, PuppeteerRunnerExtension } from '@puppeteer/replay';
import puppeteer from 'puppeteer-core';
import { serve } from './devtools.mjs';
const script = "for (const type of ['pointerdown', 'touchstart']) addEventListener(type, (event) => (window.seen ??= []).push(event.pointerType ?? type), true)";
const url = `http://127.0.0.1:${await serve(`<button id="b">Menu</button><script>${script}</script>`)}/`;
const browser = await puppeteer.connect({ browserURL: process.argv[2] });
const page = await browser.newPage();
const phone = { width: 390, height: 844, deviceScaleFactor: 3, isMobile: true, hasTouch: true, isLandscape: false };
const play = async (deviceType) => {
  const click = { type: 'click', selectors: [['#b']], offsetX: 5, offsetY: 5, deviceType };
  const recording = parse({ title: 'tap', steps: [{ type: 'setViewport', ...phone }, { type: 'navigate', url }, click] });
  await (await createRunner(recording, new PuppeteerRunnerExtension(browser, page))).run();
  console.log(`${deviceType}: ${await page.evaluate('seen.join(", ")')}`);
};
await play('mouse');
await play('touch');
await page.evaluate('seen = []');
await page.tap('#b');
console.log(`tap: ${await page.evaluate('seen.join(", ")')}`);
const wrong = { title: 'tap', steps: [{ type: 'click', selectors: [['#b']], offsetX: 5, offsetY: 5, deviceType: 'finger' }] };
try { parse(wrong); console.log('checked: no'); } catch { console.log('checked: yes'); }
process.exit();
JS
node play.mjs "$cdp" >seen.txt
expect "a step with the mouse" mouse "$(seen mouse)"
expect "a step with touch" mouse "$(seen touch)"
expect "a tap" "touch, touchstart" "$(seen tap)"
expect "whether the field is checked" yes "$(seen checked)"
finish
