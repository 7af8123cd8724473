/*
 * What was recorded on a shop, run on 20 changed versions of it: a flow of gstack, the script of Playwright codegen, and a recording
 * of Chrome's DevTools Recorder, in the same browser program.
 *
 *   node benches/flow-versions.mjs
 *
 * Each has to buy the desk lamp. The locator is the one that Playwright's own generator makes for the button of the unchanged shop;
 * the recording has the selectors that DevTools records for it, in its order, and runs by @puppeteer/replay. `right`: it bought the
 * desk lamp; `stopped`: it bought nothing and failed; `wrong`: it bought something else, or claims success without buying. Prints a
 * table for benches/RESULTS.md. Needs `npm ci --ignore-scripts` in benches.
 */
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { PuppeteerRunnerExtension, createRunner } from '@puppeteer/replay';
import { chromium } from 'playwright-core';
import puppeteer from 'puppeteer-core';
import { BROWSER, TestHome } from '../tests/e2e/harness/home.mjs';
import { VERSIONS, page } from '../tests/e2e/harness/shop-versions.mjs';

/* How long each looks for its element, in milliseconds. */
const LIMIT = 3000;
/* How long a click's request may take. */
const SETTLES = 500;

let bought = [];
const server = createServer((request, response) => {
  const url = new URL(request.url, 'http://shop');
  response.setHeader('content-type', 'text/html');
  if (url.pathname === '/buy') bought.push(url.searchParams.get('item'));
  const version = VERSIONS[decodeURIComponent(url.pathname.slice(1))];
  response.end(version ? page(version[0]) : 'ok');
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const site = `http://127.0.0.1:${server.address().port}/`;
const address = (name) => `${site}${encodeURIComponent(name)}`;
const options = { executablePath: BROWSER, headless: true, args: ['--no-sandbox'] };

const home = new TestHome();
mkdirSync(path.join(home.home, 'flows'), { recursive: true, mode: 0o700 });
writeFileSync(
  path.join(home.home, 'flows/lamp.toml'),
  `flow = 1
parameters.page = {}
steps = [
  { act = "goto", url = "${site}{{page}}" },
  { act = "click", role = "button", name = "Buy", near = "Desk lamp" },
]
`,
);
const browser = await chromium.launch(options);
const other = await puppeteer.launch(options);

const recorded = await browser.newPage();
await recorded.goto(address('unchanged'));
const locator = String(await recorded.locator('[data-item="Desk lamp"]').normalize());
await recorded.close();
/* As DevTools records the first of three buttons "Buy" with this id. */
const selectors = [['aria/Buy'], ['#buy-D'], ['xpath///*[@id="buy-D"]'], ['pierce/#buy-D']];

const WAYS = {
  gstack: async (name) => {
    const value = `page=${encodeURIComponent(name)}`;
    const { code } = await home.run(['flow', 'run', 'lamp', '--set', value, '--timeout', String(LIMIT / 1000)]);
    return code === 0;
  },
  'Playwright codegen': async (name) => {
    const tab = await browser.newPage();
    try {
      await tab.goto(address(name));
      const found = new Function('page', `return page.${locator}`)(tab);
      await found.click({ timeout: LIMIT });
      await tab.waitForTimeout(SETTLES);
      return true;
    } catch {
      return false;
    } finally {
      await tab.close();
    }
  },
  'Chrome Recorder': async (name) => {
    const tab = await other.newPage();
    const steps = [
      { type: 'navigate', url: address(name) },
      { type: 'click', target: 'main', selectors, offsetX: 5, offsetY: 5 },
    ];
    try {
      const runner = await createRunner({ title: 'lamp', steps }, new PuppeteerRunnerExtension(other, tab, { timeout: LIMIT }));
      await runner.run();
      await new Promise((resolve) => setTimeout(resolve, SETTLES));
      return true;
    } catch {
      return false;
    } finally {
      await tab.close();
    }
  },
};
const outcome = async (way, name) => {
  bought = [];
  const done = await way(name);
  if (bought.length === 1 && bought[0] === 'Desk lamp') return 'right';
  return bought.length === 0 && !done ? 'stopped' : `wrong${bought.length > 0 ? ` (${bought.join(', ')})` : ''}`;
};

const rows = [];
try {
  for (const name of Object.keys(VERSIONS)) {
    const row = [];
    for (const way of Object.values(WAYS)) row.push(await outcome(way, name));
    rows.push([name, ...row]);
  }
} finally {
  await browser.close();
  await other.close();
  await home.stop();
  server.closeAllConnections();
  server.close();
}
const names = Object.keys(WAYS);
const count = (at, word) => rows.filter((row) => row[at + 1].startsWith(word)).length;
const line = (cells) => `| ${cells.join(' | ')} |`;
console.log(`codegen: page.${locator}; Recorder: ${selectors.flat().join(', ')}\n`);
console.log([line(['version of the shop', ...names]), line(['---', ...names.map(() => '---')]), ...rows.map(line)].join('\n'));
for (const word of ['right', 'stopped', 'wrong']) console.log(line([`**${word}**`, ...names.map((_, at) => `**${count(at, word)}**`)]));
