/*
 * Baseline: a script without a daemon that reads a page's address. A whole process, like the command line.
 *
 *   node playwright-url.mjs DEVTOOLS_ADDRESS ORIGIN
 */
import { chromium } from 'playwright-core';

const [address, origin] = process.argv.slice(2);
const browser = await chromium.connectOverCDP(address);
console.log(
  browser
    .contexts()[0]
    .pages()
    .find((page) => page.url().startsWith(origin))
    .url(),
);
await browser.close();
