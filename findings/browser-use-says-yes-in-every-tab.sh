#!/usr/bin/env bash
# Packages: browser-use 0.13.14 (PyPI), ws 8.23.0 (npm), Chromium 156
# Guess: a session of browser-use that was only connected to a running browser leaves the dialogs of other clients' tabs to these.
# Seen: it answers "OK" to a `confirm()` in any tab, also in one that was open before and in one that another client opens later, without
#   being asked to do anything.
# Matters: "Delete it all?" is answered with yes in the tab of a person or of another agent. (Playwright in its place answers with no.) Do not
#   share a browser with it where a question of a page matters.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

pip_install browser-use==0.13.14
npm_install ws@8.23.0
cat >idle.py <<'PY'
import asyncio, sys
from browser_use import BrowserSession

async def main():
    session = BrowserSession(cdp_url=sys.argv[1])
    await session.start()
    print('connected', flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)

asyncio.run(main())
PY
cat >other.mjs <<'JS'
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { connect, serve, until, wait } from './devtools.mjs';
const browser = await connect(process.argv[2]);
const address = `http://127.0.0.1:${await serve('<p>Page')}/`;
const open = async () => {
  const page = await browser.open(address);
  await page('Page.enable');
  return page;
};
/** Asks a question, and says no if nobody has answered after a while. */
const ask = async (page) => {
  const closed = () => browser.events.filter(({ method, sessionId }) => method === 'Page.javascriptDialogClosed' && sessionId === page.id);
  const before = closed().length;
  const answer = page.value("confirm('Delete it all?')");
  await page.event('Page.javascriptDialogOpening');
  for (let n = 0; n < 50 && closed().length === before; n++) await wait(100);
  if (closed().length > before) return `answered ${await answer}`;
  await page('Page.handleJavaScriptDialog', { accept: false });
  await answer;
  return 'stays open';
};
/** The same until somebody answers: the library takes its time to notice a tab. */
const askOften = async (page) => {
  let answer;
  for (let n = 0; n < 10 && answer !== 'answered true'; n++) answer = await ask(page);
  return answer;
};
async function library() {
  const child = spawn('python3', ['idle.py', process.argv[2]], { stdio: ['pipe', 'pipe', 'ignore'] });
  let connected = false;
  createInterface({ input: child.stdout }).on('line', (line) => { connected ||= line === 'connected'; });
  for (let n = 0; n < 60 && !connected; n++) await wait(1000);
  await until(() => connected);
}
const page = await open();
console.log(`without it: ${await ask(page)}`);
await library();
console.log(`before: ${await askOften(page)}`);
console.log(`later: ${await askOften(await open())}`);
process.exit();
JS
chromium_start
export ANONYMIZED_TELEMETRY=false BROWSER_USE_CLOUD_SYNC=false BROWSER_USE_VERSION_CHECK=false BROWSER_USE_LOGGING_LEVEL=error
node other.mjs "$cdp" >seen.txt
expect "a question before it connects" "stays open" "$(seen 'without it')"
expect "a question in a tab that was there" "answered true" "$(seen before)"
expect "a question in a tab that another client opened later" "answered true" "$(seen later)"
finish
