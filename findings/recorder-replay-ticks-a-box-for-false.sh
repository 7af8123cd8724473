#!/usr/bin/env bash
# Packages: @puppeteer/replay 3.1.3, puppeteer-core 25.16.0 (npm), Chromium 156
# Guess: a `change` step with value "true" ticks a box, and one with "false" or "off" unticks it.
# Seen: every text but the empty one ticks it, "false" as well, as Puppeteer's `fill` looks at the value's truth. Only "" unticks. (`fill(false)`,
#   which a recording cannot express, does too.)
# Matters: a flow that is written for Chrome's Recorder with "false" signs people up for the newsletter, and no step fails. Write a click
#   step in its place, or "".
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install @puppeteer/replay@3.1.3 puppeteer-core@25.16.0
chromium_start
cat >play.mjs <<'JS'
import { createRunner, parse, PuppeteerRunnerExtension } from '@puppeteer/replay';
import puppeteer from 'puppeteer-core';
import { serve } from './devtools.mjs';
const url = `http://127.0.0.1:${await serve('<input type="checkbox" id="empty"><input type="checkbox" id="ticked" checked>')}/`;
const browser = await puppeteer.connect({ browserURL: process.argv[2] });
const page = await browser.newPage();
for (const value of ['true', 'false', 'off', '']) {
  const change = (id) => ({ type: 'change', selectors: [[`#${id}`]], value });
  const recording = parse({ title: 'boxes', steps: [{ type: 'navigate', url }, change('empty'), change('ticked')] });
  await (await createRunner(recording, new PuppeteerRunnerExtension(browser, page))).run();
  console.log(`"${value}": ${await page.evaluate(() => [empty, ticked].map(({ checked }) => (checked ? 'ticked' : 'empty')).join(', '))}`);
}
await page.goto(url);
await page.locator('#ticked').fill(false);
console.log(`fill: ${await page.evaluate(() => (ticked.checked ? 'ticked' : 'empty'))}`);
process.exit();
JS
node play.mjs "$cdp" >seen.txt
expect '"true" on a box that is empty, and one that is ticked' "ticked, ticked" "$(seen '"true"')"
expect '"false" on the same' "ticked, ticked" "$(seen '"false"')"
expect '"off" on the same' "ticked, ticked" "$(seen '"off"')"
expect '"" on the same' "empty, empty" "$(seen '""')"
expect "fill(false) on a box that is ticked" empty "$(seen fill)"
finish
