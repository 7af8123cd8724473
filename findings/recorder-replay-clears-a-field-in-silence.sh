#!/usr/bin/env bash
# Packages: @puppeteer/replay 3.1.3 and puppeteer-core 25.16.0 (npm), Chromium 156
# Guess: A `change` step of Chrome's Recorder whose value is "" empties the field as a person does: the page gets an input event.
# Seen: The runner sets the field's value to "" by script and has nothing left to type. The field is empty, but the page gets no key, no
#   beforeinput, no input and no change event. A step with text fires keydown, input and keyup for each character, and the runner reports
#   success for both.
# Matters: A page that renders from its own state (React, Vue, Svelte) or filters on input still holds the old text, so a recorded "clear
#   the search" or "remove the nickname" changes nothing that counts, and the flow goes on. An exporter of Recorder files should write
#   clearing as keys: keyDown and keyUp of "Backspace" on the selected text.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install @puppeteer/replay@3.1.3 puppeteer-core@25.16.0
cat >flow.mjs <<'EOF'
import { createServer } from 'node:http';
import puppeteer from 'puppeteer-core';
import { createRunner, parse, PuppeteerRunnerExtension } from '@puppeteer/replay';
const html = `<!doctype html><input id="search" value="old"><script>
  const state = { text: 'old', events: [] };
  for (const type of ['keydown', 'beforeinput', 'input', 'change'])
    addEventListener(type, (event) => { state.events.push(type); state.text = event.target.value; }, true);
</script>`;
createServer((_, response) => response.setHeader('content-type', 'text/html').end(html)).listen(0, '127.0.0.1', async function () {
  const browser = await puppeteer.connect({ browserURL: process.argv[2], defaultViewport: null });
  const page = await browser.newPage();
  for (const value of ['', 'n']) {
    await page.goto(`http://127.0.0.1:${this.address().port}/`);
    await page.evaluate(() => (state.events.length = 0));
    const flow = parse({ title: 'search', steps: [{ type: 'change', selectors: ['#search'], value }] });
    const runner = await createRunner(flow, new PuppeteerRunnerExtension(browser, page, { timeout: 5000 }));
    const done = await runner.run();
    const seen = await page.evaluate(() => `field "${search.value}", page's state "${state.text}", events: ${state.events.join(' ')}`);
    console.log(`${JSON.stringify(value)}: ${done ? 'success' : 'failure'}, ${seen}`);
  }
  process.exit();
});
EOF
chromium_start
node flow.mjs "$cdp" >seen.txt
expect 'change to ""' "success, field \"\", page's state \"old\", events: " "$(sed -n 's/^"": //p' seen.txt)"
expect 'change to "n"' "success, field \"n\", page's state \"n\", events: keydown beforeinput input" "$(sed -n 's/^"n": //p' seen.txt)"
finish
