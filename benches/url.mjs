/*
 * Measures the smallest command, `url`: the cost of each way to send one.
 */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { alternately, timed } from './measure.mjs';
import { print } from './table.mjs';

const run = promisify(execFile);
const script = fileURLToPath(new URL('baselines/playwright-url.mjs', import.meta.url));

/** Measures whole processes, from start to exit. */
async function processes(stage, runs) {
  const origin = stage.pages.origin;
  const expect = (text) => {
    if (!text.startsWith(origin)) throw new Error(`not the page's address: ${text}`);
  };
  const samples = await alternately(runs, {
    'gstack url': () => timed(async () => expect(await stage.home.ok(['url']))),
    'node script': () => timed(async () => expect((await run(process.execPath, [script, stage.devtoolsAddress, origin])).stdout)),
  });
  print({
    title: '`url`, a whole process each time',
    baseline: 'node script',
    samples,
    notes: ['*node script*: a new node process, playwright-core `connectOverCDP`, `page.url()`, disconnect.'],
  });
}

/** Measures requests of a program that is already running. */
async function requests(stage, playwright, runs) {
  const samples = await alternately(runs, {
    'gstack url over http.sock': () => timed(() => stage.gstack.run('url')),
    'page.evaluate': () => timed(() => playwright.evaluate('location.href')),
  });
  print({
    title: '`url`, one request of a program that stays',
    baseline: 'page.evaluate',
    samples,
    notes: [
      "*page.evaluate*: playwright-core in this process, connected before: `page.evaluate('location.href')`, which asks the page.",
      "gstack follows its tabs by the browser's events and asks no page here: the time is one request to another process and back.",
    ],
  });
}

export async function measureUrl(stage, playwright, runs) {
  await processes(stage, runs);
  await requests(stage, await playwright(), runs * 5);
}
