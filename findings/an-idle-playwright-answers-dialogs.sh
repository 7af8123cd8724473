#!/usr/bin/env bash
# Packages: playwright-core 1.65.1, puppeteer-core 25.16.0 (npm), Chromium 156 (Debian)
# Guess: a Playwright that is connected over CDP and does nothing with a page leaves the page's dialogs to the client that works there.
# Seen: it answers "no" to every `confirm()` of every tab at once, so that Puppeteer's handler fails with "already handled" and the page goes
#   on as if the person had refused. With one listener for `dialog` on its context it leaves them alone.
# Matters: a second tool that only takes pictures makes forms of the first one fail, at the step where the page asks. Give the idle
#   one an empty `dialog` listener.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install playwright-core@1.65.1 puppeteer-core@25.16.0
chromium_start
cat >probe.mjs <<'JS'
import { setTimeout as sleep } from 'node:timers/promises';
import { chromium } from 'playwright-core';
import puppeteer from 'puppeteer-core';
const [url, how] = process.argv.slice(2);
const working = await puppeteer.connect({ browserURL: url, defaultViewport: null });
const page = await working.newPage();
if (how !== 'alone') {
  const idle = await chromium.connectOverCDP(url);
  if (how === 'listening') idle.contexts()[0].on('dialog', () => {});
}
let handled;
page.on('dialog', (dialog) => {
  // A person, or a model, takes a moment to decide.
  handled = sleep(1000).then(() => dialog.accept()).then(() => 'accepted', () => 'could not accept');
});
const answer = await page.evaluate(() => confirm('Order now?'));
console.log(`${await handled}, confirm() is ${answer}`);
process.exit(0);
JS
expect "Puppeteer alone" "accepted, confirm() is true" "$(node probe.mjs "$cdp" alone)"
expect "with an idle Playwright" "could not accept, confirm() is false" "$(node probe.mjs "$cdp" idle)"
expect "with an idle Playwright that has a listener" "accepted, confirm() is true" "$(node probe.mjs "$cdp" listening)"
finish
