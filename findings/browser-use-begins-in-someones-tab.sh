#!/usr/bin/env bash
# Packages: browser-use 0.13.14 (PyPI), ws 8.23.0 (npm), Chromium 156
# Guess: a session that connects to a running browser opens a tab of its own, as Playwright's `newPage` does, and leaves the others alone.
# Seen: connecting alone makes another client's tab 1920 by 1080, and the first `navigate_to` replaces the page in that tab. After `stop()` the
#   tab has its size again, and not its page.
# Matters: the half-filled form of a person, or the page another agent works on, is gone. Open a tab first and let it be the one that has the
#   focus, or navigate with `new_tab=True`.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

pip_install browser-use==0.13.14
npm_install ws@8.23.0
cat >session.py <<'PY'
import asyncio, sys
from browser_use import BrowserSession

async def main():
    session = BrowserSession(cdp_url=sys.argv[1])
    steps = {
        'connect': session.start,
        'navigate': lambda: session.navigate_to(sys.argv[2]),
        'navigate in a new tab': lambda: session.navigate_to(sys.argv[2], new_tab=True),
        'stop': session.stop,
    }
    for line in iter(sys.stdin.readline, ''):
        await steps[line.strip()]()
        print('done: ' + line.strip(), flush=True)

asyncio.run(main())
PY
cat >other.mjs <<'JS'
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { connect, serve, until, wait } from './devtools.mjs';
const browser = await connect(process.argv[2]);
const site = `http://127.0.0.1:${await serve(({ pathname }) => `<title>${pathname}</title><p>Page`)}`;
const [blank] = await browser.targets('page');
const page = await browser.open(`${site}/mine`);
await browser.send('Target.closeTarget', { targetId: blank.targetId });
const child = spawn('python3', ['session.py', process.argv[2], `${site}/its`], { stdio: ['pipe', 'pipe', 'ignore'] });
const done = new Set();
createInterface({ input: child.stdout }).on('line', (line) => done.add(line));
const step = async (name) => {
  child.stdin.write(`${name}\n`);
  for (let n = 0; n < 60 && !done.has(`done: ${name}`); n++) await wait(1000);
  await until(() => done.has(`done: ${name}`));
};
const size = () => page.value('`${innerWidth} by ${innerHeight}`');
const where = () => page.value('location.pathname');
const before = await size();
await step('connect');
console.log(`size: ${await size()}`);
await step('navigate');
console.log(`after a navigation: ${await where()}`);
await page('Page.navigate', { url: `${site}/mine` });
await until(async () => (await where()) === '/mine');
await step('navigate in a new tab');
console.log(`after a navigation in a new tab: ${await where()}`);
await step('stop');
console.log(`size at the end: ${(await size()) === before ? 'as before' : await size()}`);
process.exit();
JS
chromium_start
export ANONYMIZED_TELEMETRY=false BROWSER_USE_CLOUD_SYNC=false BROWSER_USE_VERSION_CHECK=false BROWSER_USE_LOGGING_LEVEL=error
node other.mjs "$cdp" >seen.txt
expect "the other client's tab after connecting" "1920 by 1080" "$(seen size)"
expect "its page after a navigation" /its "$(seen 'after a navigation')"
expect "its page after a navigation in a new tab" /mine "$(seen 'after a navigation in a new tab')"
expect "its size after the session has stopped" "as before" "$(seen 'size at the end')"
finish
