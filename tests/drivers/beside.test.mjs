/*
 * A browser that gstack did not start, with Playwright at the same port: each client gets the downloads of its own tabs, in the
 * folder that it has chosen, while the other one acts and after it has left.
 */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { chromium } from 'playwright-core';
import { TestHome } from '../e2e/harness/home.mjs';
import { foreignBrowser } from '../e2e/harness/remote.mjs';
import { until } from '../e2e/harness/wait.mjs';
import { startShop } from './shop.mjs';

const INVOICE = '42 euro';

describe('beside another client of one browser', () => {
  let home;
  let shop;
  let foreign;

  before(async () => {
    home = new TestHome({ port: false });
    shop = await startShop();
    foreign = await foreignBrowser();
  });
  after(async () => {
    assert.deepEqual(await home.stop(), [], 'nothing is left behind');
    await foreign?.end();
    await shop?.stop();
  });

  const read = (file) => readFileSync(file, 'utf8');
  const connect = async () => {
    await home.ok(['connect', '--attach', foreign.websocket]);
    await home.ok(['newtab', `${shop.origin}/order`]);
  };
  /** Downloads the invoice in our tab; returns the file that the command names. */
  const ours = async (selector = '#invoice') => {
    const said = await home.ok(['click', selector]);
    const file = /^Downloaded: (\/.*) \(7 B\)$/m.exec(said)?.[1];
    assert.ok(file, said);
    return file;
  };
  const downloadedBy = async (page, click) => {
    const [download] = await Promise.all([page.waitForEvent('download'), click()]);
    return download.path();
  };

  test("a click's file stays when Playwright leaves, and Playwright gets its own", async () => {
    const playwright = await chromium.connectOverCDP(foreign.websocket);
    const page = await playwright.contexts()[0].newPage();
    await page.goto(`${shop.origin}/framed`);
    await connect();
    const theirs = () => downloadedBy(page, () => page.click('#invoice'));
    assert.equal(read(await theirs()), INVOICE, 'after gstack has connected');
    assert.match(await home.ok(['downloads']), /no downloads/);
    const files = [await ours(), await ours('#aside')];
    const acting = home.ok(['wait', '--fn', 'globalThis.over']);
    const inFrame = () => page.frameLocator('#inner').locator('#invoice').click();
    assert.equal(read(await downloadedBy(page, inFrame)), INVOICE, 'from a frame, while gstack acts elsewhere');
    await home.ok(['js', 'globalThis.over = true']);
    assert.doesNotMatch(await acting, /Download/);
    const [file, own] = await Promise.all([theirs(), ours()]);
    assert.deepEqual([read(file), read(own)], [INVOICE, INVOICE], 'at the same time');
    await home.ok(['disconnect']);
    assert.equal(read(await theirs()), INVOICE, 'after gstack has left');
    await playwright.close();
    for (const kept of [...files, own]) assert.equal(read(kept), INVOICE, kept);
  });

  test("a folder that another client has set holds during gstack's acts and after them", async () => {
    const folder = path.join(home.person, 'theirs');
    mkdirSync(folder);
    const playwright = await chromium.connectOverCDP(foreign.websocket);
    const session = await playwright.newBrowserCDPSession();
    await session.send('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: folder, eventsEnabled: true });
    const page = await playwright.contexts()[0].newPage();
    await page.goto(`${shop.origin}/order`);
    // The browser replaces a file of the same name.
    const comes = async (when) => {
      rmSync(path.join(folder, 'invoice.txt'), { force: true });
      await page.click('#invoice');
      await until(() => existsSync(path.join(folder, 'invoice.txt')), `no file ${when}`, 20_000);
    };
    await comes('before gstack connects');
    await connect();
    await comes('while gstack is connected');
    assert.equal(read(await ours()), INVOICE);
    await comes('after an act of gstack');
    await home.ok(['disconnect']);
    await comes('after gstack has left');
    await playwright.close();
  });

  test('a click downloads without any other client', async () => {
    await connect();
    assert.equal(read(await ours()), INVOICE);
    await home.ok(['disconnect']);
  });
});
