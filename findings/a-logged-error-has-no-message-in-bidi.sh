#!/usr/bin/env bash
# Packages: ChromeDriver 156 and Chromium 156 (Debian), ws 8.23.0 (npm)
# Guess: The text of `log.entryAdded` for `console.error(new Error('the reason'))` contains "the reason", as in the console.
# Seen: The text is "error" and the argument is `{type: "error"}`, because BiDi does not serialize the name and message of an error. Uncaught
#   errors and errors that the page converts to a string have their message.
# Matters: Frameworks log the errors that they catch, so a test that collects console errors over BiDi sees that there was one, but not which. Log
#   `String(error)` in your own pages; for others use `Runtime.consoleAPICalled` of DevTools.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install ws@8.23.0
chromedriver_start
cat >probe.mjs <<'JS'
import { bidi } from './bidi.mjs';
import { connect, serve, until } from './devtools.mjs';
const script = `
  console.error(new Error('the reason'));
  console.error('failed:', new TypeError('the reason'));
  console.error(String(new Error('the reason')));
  Promise.reject(new Error('the reason'));`;
if (process.argv[2] === 'devtools') {
  const browser = await connect(process.argv[3]);
  const page = await browser.open(`http://127.0.0.1:${await serve('page')}/`);
  await page('Runtime.enable');
  await page.value(script);
  console.log('devtools:', (await page.event('Runtime.consoleAPICalled')).args[0].description.split('\n')[0]);
} else {
  await bidi(process.argv[2], async ({ send, events, context }) => {
    await send('session.subscribe', { events: ['log.entryAdded'] });
    await send('script.evaluate', { expression: script, target: { context }, awaitPromise: false });
    await until(() => events.length === 4);
    for (const [at, what] of ['alone', 'behind a text', 'as a text', 'rejected'].entries()) console.log(`${what}:`, events[at].params.text);
    console.log('argument:', JSON.stringify(events[0].params.args[0]));
  });
}
process.exit();
JS
node probe.mjs "$driver" >seen.txt
chromium_start
node probe.mjs devtools "$cdp" >>seen.txt
expect "console.error(error)" "error" "$(seen alone)"
expect "its argument" '{"type":"error"}' "$(seen argument)"
expect "console.error('failed:', error)" "failed: error" "$(seen 'behind a text')"
expect "console.error(String(error))" "Error: the reason" "$(seen 'as a text')"
expect "a promise that rejects" "Error: the reason" "$(seen rejected)"
expect "console.error(error) for a DevTools client" "Error: the reason" "$(seen devtools)"
finish
