#!/usr/bin/env bash
# Packages: playwright-core 1.65.1, puppeteer-core 25.16.0 (npm), Chromium 156 (Debian)
# Guess: if two clients of one page expose a function of the same name, the second is refused, as within one client, or replaces the first.
# Seen: both succeed, and whoever exposed first, the page calls Playwright's function, before and after a reload. Puppeteer's is never
#   called, without an error on either side.
# Matters: two copies of one tool at the same browser (a restarted one and its predecessor, or two test workers) use the same names: one of
#   them waits for calls that the other gets. Add something unique to the name.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install playwright-core@1.65.1 puppeteer-core@25.16.0
chromium_start
cat >probe.mjs <<'JS'
import { chromium } from 'playwright-core';
import puppeteer from 'puppeteer-core';
const [url, first] = process.argv.slice(2);
const mark = `data:text/html,<title>${first}</title>`;
const playwright = await chromium.connectOverCDP(url);
const page = await playwright.contexts()[0].newPage();
await page.goto(mark);
const other = await puppeteer.connect({ browserURL: url, defaultViewport: null });
const pages = await other.pages();
const same = pages[(await Promise.all(pages.map((one) => one.title()))).indexOf(first)];
const expose = {
  playwright: () => page.exposeFunction('tell', () => 'playwright'),
  puppeteer: () => same.exposeFunction('tell', () => 'puppeteer'),
};
const order = first === 'playwright' ? ['playwright', 'puppeteer'] : ['puppeteer', 'playwright'];
const refused = [];
for (const name of order) await expose[name]().catch(() => refused.push(name));
const before = await page.evaluate(() => window.tell());
await page.reload();
const after = await page.evaluate(() => window.tell());
console.log(`refused ${refused.length}, called ${before}, after a reload ${after}`);
process.exit(0);
JS
expect "Playwright first" "refused 0, called playwright, after a reload playwright" "$(node probe.mjs "$cdp" playwright)"
expect "Puppeteer first" "refused 0, called playwright, after a reload playwright" "$(node probe.mjs "$cdp" puppeteer)"
finish
