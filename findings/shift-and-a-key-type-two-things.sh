#!/usr/bin/env bash
# Packages: playwright-core 1.65.1, puppeteer-core 25.16.0 and ws 8.23.0 (npm), ChromeDriver 156 and Chromium 156
# Guess: Shift held down and the key `a` pressed type "A" in every driver, as on a keyboard.
# Seen: ChromeDriver types "A", by W3C actions and by BiDi, though BiDi's events call the key "a". Playwright and Puppeteer type "a" with
#   `shiftKey` true, which no keyboard does; in Playwright "A" needs the key named in one word (`Shift+KeyA`, and not `Shift+a`) or the code
#   `KeyA` under the held Shift.
# Matters: A test of Shift and a letter that moves between drivers types another text, and a handler that looks at `event.key` sees "a" or
#   "A". Press the key by its code, or the capital itself.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install playwright-core@1.65.1 puppeteer-core@25.16.0 ws@8.23.0
chromium_start
chromedriver_start
cat >keys.mjs <<'JS'
import { chromium } from 'playwright-core';
import puppeteer from 'puppeteer-core';
import { bidi } from './bidi.mjs';
import { serve } from './devtools.mjs';
const [cdp, driver] = process.argv.slice(2);
const script = "field.onkeydown = (event) => { if (event.key !== 'Shift') keys.push(event.key + event.shiftKey); }";
const url = `http://127.0.0.1:${await serve(`<input id="field" autofocus><script>keys = []; ${script}</script>`)}/`;
const read = "field.value + ' ' + keys";
async function press(name, page, keyboard) {
  for (const [how, key] of [['a', 'a'], ['by its code', 'KeyA']]) {
    await page.goto(url);
    await page.focus('#field');
    await keyboard.down('Shift');
    await keyboard.press(key);
    await keyboard.up('Shift');
    console.log(`${name}, ${how}: ${await page.evaluate(read)}`);
  }
}
const context = (await chromium.connectOverCDP(cdp)).contexts()[0];
const page = await context.newPage();
await press('Playwright', page, page.keyboard);
for (const word of ['Shift+a', 'Shift+KeyA']) {
  await page.goto(url);
  await page.press('#field', word);
  console.log(`Playwright, ${word}: ${await page.evaluate(read)}`);
}
const other = await (await puppeteer.connect({ browserURL: cdp })).newPage();
await press('Puppeteer', other, other.keyboard);
const steps = [['keyDown', '\uE008'], ['keyDown', 'a'], ['keyUp', 'a'], ['keyUp', '\uE008']].map(([type, value]) => ({ type, value }));
const actions = [{ type: 'key', id: 'keyboard', actions: steps }];
await bidi(driver, async ({ send, context, go, value }) => {
  await go(url);
  await value("field.focus()");
  await send('input.performActions', { context, actions });
  console.log(`BiDi: ${await value(read)}`);
});
const args = ['--headless=new', '--disable-background-networking', ...(process.getuid() === 0 ? ['--no-sandbox'] : [])];
const ask = async (method, path, body) => (await (await fetch(`${driver}/session${path}`, { method, body: body && JSON.stringify(body) })).json()).value;
const { sessionId } = await ask('POST', '', { capabilities: { alwaysMatch: { 'goog:chromeOptions': { args } } } });
await ask('POST', `/${sessionId}/url`, { url });
await ask('POST', `/${sessionId}/execute/sync`, { script: 'field.focus()', args: [] });
await ask('POST', `/${sessionId}/actions`, { actions });
console.log(`W3C: ${await ask('POST', `/${sessionId}/execute/sync`, { script: `return ${read}`, args: [] })}`);
await ask('DELETE', `/${sessionId}`);
process.exit();
JS
node keys.mjs "$cdp" "$driver" >seen.txt
expect "W3C actions" "A Atrue" "$(seen W3C)"
expect "BiDi" "A atrue" "$(seen BiDi)"
for name in Playwright Puppeteer; do
  expect "$name" "a atrue" "$(seen "$name, a")"
  expect "$name, by the key's code" "A Atrue" "$(seen "$name, by its code")"
done
expect "Playwright, Shift+a in one word" "a atrue" "$(seen 'Playwright, Shift+a')"
expect "Playwright, Shift+KeyA in one word" "A Atrue" "$(seen 'Playwright, Shift+KeyA')"
finish
