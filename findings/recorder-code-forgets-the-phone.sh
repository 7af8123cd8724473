#!/usr/bin/env bash
# Packages: @puppeteer/replay 3.1.3, puppeteer-core 25.16.0 (npm), Chromium 156
# Guess: a recording of a phone plays on the same phone, whether `createRunner` plays it or the Puppeteer code that `stringify` makes of it.
# Seen: the step has pixel ratio 3, touch and "mobile". The player sets them. The code has `setViewport({ width, height })` and nothing else:
#   the page gets a small window of a desktop with ratio 1, without touch.
# Matters: what the exported test sees is a layout that no phone shows: `pointer: coarse`, touch handlers and pictures for the ratio are never
#   tested, and nothing fails. Add the four fields to the exported call.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install @puppeteer/replay@3.1.3 puppeteer-core@25.16.0
BROWSER=$(command -v chromium) || cannot "Chromium is missing (Debian: apt-get install chromium)"
"$BROWSER" --version 2>/dev/null
FLAGS="--no-first-run --disable-background-networking --disable-component-update --disable-sync"
[ "$(id -u)" -ne 0 ] || FLAGS="$FLAGS --no-sandbox"
export BROWSER FLAGS
# The code asks for "puppeteer", which brings a browser of its own: this one starts the installed browser.
mkdir -p node_modules/puppeteer
cat >node_modules/puppeteer/index.js <<'JS'
const { BROWSER: executablePath, FLAGS } = process.env;
const load = import('puppeteer-core');
exports.launch = async () => (await load).default.launch({ executablePath, args: FLAGS.split(' ') });
load.then(({ default: { Locator }, ...all }) => { exports.Locator = Locator ?? all.Locator; });
JS
cat >play.mjs <<'JS'
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { createRunner, parse, PuppeteerRunnerExtension, stringify } from '@puppeteer/replay';
import puppeteer from 'puppeteer';
import { serve } from './devtools.mjs';
const seen = [];
const script = "new Image().src = `/seen?${innerWidth} wide, ratio ${devicePixelRatio}, ${navigator.maxTouchPoints > 0 ? 'touch' : 'no touch'}`";
const port = await serve(({ pathname, search }) => {
  if (pathname === '/seen') seen.push(decodeURIComponent(search.slice(1)));
  return `<meta name="viewport" content="width=device-width"><p id="p">Page<script>${script}</script>`;
});
const phone = { width: 390, height: 844, deviceScaleFactor: 3, isMobile: true, hasTouch: true, isLandscape: false };
const steps = [{ type: 'setViewport', ...phone }, { type: 'navigate', url: `http://127.0.0.1:${port}/` }, { type: 'waitForElement', selectors: [['#p']] }];
const recording = parse({ title: 'phone', steps });
const browser = await puppeteer.launch();
await (await createRunner(recording, new PuppeteerRunnerExtension(browser, await browser.newPage()))).run();
await browser.close();
console.log(`player: ${seen.pop()}`);
writeFileSync('code.cjs', await stringify(recording));
await promisify(execFile)('node', ['code.cjs'], { timeout: 120_000 });
console.log(`code: ${seen.pop()}`);
process.exit();
JS
node play.mjs >seen.txt
expect "the player" "390 wide, ratio 3, touch" "$(seen player)"
expect "the code" "390 wide, ratio 1, no touch" "$(seen code)"
finish
