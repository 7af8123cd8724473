#!/usr/bin/env bash
# Packages: playwright-core 1.65.1, puppeteer-core 25.16.0 (npm), Chromium 156 (Debian)
# Guess: if two clients intercept the requests of one page, each sees every request, the one that came first being asked first.
# Seen: the one that *attached last* is asked first, whenever it turned interception on. What it answers itself the other never sees in
#   its interception, nor as an error; what it lets through goes to the other.
# Matters: a client that blocks addresses or records traffic by interception can be stepped in front of by any later one, and its
#   log then lacks requests that pages got answers to. Judge traffic where it leaves the browser, or hold the endpoint.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install playwright-core@1.65.1 puppeteer-core@25.16.0
chromium_start
cat >probe.mjs <<'JS'
import { createServer } from 'node:http';
import { chromium } from 'playwright-core';
import puppeteer from 'puppeteer-core';
const [url, last, armed] = process.argv.slice(2);
const site = createServer((_request, response) => response.writeHead(200, { 'content-type': 'text/html' }).end(`<title>${last}</title>server`));
await new Promise((resolve) => site.listen(0, '127.0.0.1', resolve));
const clients = {
  playwright: () => chromium.connectOverCDP(url),
  puppeteer: () => puppeteer.connect({ browserURL: url, defaultViewport: null }),
};
const address = `http://127.0.0.1:${site.address().port}/`;
await (await puppeteer.connect({ browserURL: url, defaultViewport: null })).newPage().then((own) => own.goto(address));
for (const name of last === 'puppeteer' ? ['playwright', 'puppeteer'] : ['puppeteer', 'playwright']) {
  clients[name] = await clients[name]();
  // Puppeteer attaches to a page when it is asked for it.
  if (name === 'puppeteer') await clients.puppeteer.pages();
}
const page = clients.playwright.contexts()[0].pages().find((one) => one.url() === address);
const same = (await clients.puppeteer.pages()).find((one) => one.url() === address);
let seen = [];
const answers = (path, name) => path.endsWith(`/${name}`);
const arm = {
  playwright: () => page.route('**/*', (route) => {
    seen.push('playwright');
    return answers(route.request().url(), 'playwright') ? route.fulfill({ body: 'playwright' }) : route.continue();
  }),
  async puppeteer() {
    await same.setRequestInterception(true);
    same.on('request', (request) => {
      seen.push('puppeteer');
      return answers(request.url(), 'puppeteer') ? request.respond({ body: 'puppeteer' }) : request.continue();
    });
  },
};
for (const name of armed === 'puppeteer' ? ['playwright', 'puppeteer'] : ['puppeteer', 'playwright']) await arm[name]();
const lines = [];
for (const answering of ['nobody', 'playwright', 'puppeteer']) {
  seen = [];
  const text = await page.evaluate((path) => fetch(path).then((response) => response.text()), `/${answering}`);
  lines.push(`${answering}: ${seen.join('+')} -> ${text.replace(/<.*>/, '')}`);
}
console.log(lines.join('; '));
process.exit(0);
JS
puppeteer_first="nobody: puppeteer+playwright -> server; playwright: puppeteer+playwright -> playwright; puppeteer: puppeteer -> puppeteer"
playwright_first="nobody: playwright+puppeteer -> server; playwright: playwright -> playwright; puppeteer: playwright+puppeteer -> puppeteer"
expect "Puppeteer attached last and intercepts last: who is asked" "$puppeteer_first" "$(node probe.mjs "$cdp" puppeteer puppeteer)"
expect "Puppeteer attached last and intercepts first" "$puppeteer_first" "$(node probe.mjs "$cdp" puppeteer playwright)"
expect "Playwright attached last and intercepts first" "$playwright_first" "$(node probe.mjs "$cdp" playwright puppeteer)"
finish
