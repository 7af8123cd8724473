/* Real CDP clients at `gstack cdp`: each logs in, fills a field in another process, uploads, downloads and answers a dialog. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { chromium } from 'playwright-core';
import puppeteer from 'puppeteer-core';
import { TestHome } from '../e2e/harness/home.mjs';
import { until } from '../e2e/harness/wait.mjs';
import { startShop } from './shop.mjs';

describe('CDP clients in the browser of `connect`', () => {
  let home;
  let shop;
  let upload;

  const address = async (...args) => (await home.ok(['cdp', ...args])).trim();
  const drivers = async () => (await home.json('status')).drivers ?? [];
  const noDriver = () => until(async () => (await drivers()).length === 0, 'the lease has ended');

  before(async () => {
    home = new TestHome();
    shop = await startShop();
    upload = path.join(home.person, 'order.txt');
    writeFileSync(upload, 'two apples');
    await home.connect(['--headless', `${shop.origin}/other`]);
  });
  after(async () => {
    await shop?.stop();
    assert.deepEqual(await home.stop(), [], 'nothing is left behind');
  });

  test('Playwright does all of it, in tabs of its own', async () => {
    const browser = await chromium.connectOverCDP(await address('--name', 'shop'));
    const [context] = browser.contexts();
    assert.equal(context.pages().length, 1, 'it sees its own tab, and not the one of the person');
    const [page] = context.pages();
    await page.goto(`${shop.origin}/`);
    await page.fill('#name', 'Ada');
    await page.fill('#password', 'countess');
    await page.click('#enter');
    await page.waitForURL('**/order');
    assert.ok(shop.asked.includes('name=Ada&password=countess'));
    const frame = page.frameLocator('#address');
    await frame.locator('#street').fill('Main Street 1');
    await frame.locator('#save').click();
    await page.getByText('street Main Street 1').waitFor();
    await page.setInputFiles('#file', upload);
    await page.getByText('uploaded two apples').waitFor();
    const downloading = page.waitForEvent('download');
    await page.click('#invoice');
    const download = await downloading;
    assert.equal(download.suggestedFilename(), 'invoice.txt');
    assert.equal(readFileSync(await download.path(), 'utf8'), '42 euro');
    page.once('dialog', (dialog) => dialog.accept());
    await page.click('#pay');
    await page.getByText('paid').waitFor();
    const second = await context.newPage();
    await second.goto(`${shop.origin}/other`);
    assert.match(await second.title(), /Other/);
    const [driver] = await drivers();
    assert.equal(driver.name, 'Playwright (shop)');
    assert.equal(driver.kind, 'cdp');
    assert.equal(driver.tabs.length, 2);
    assert.match(await home.ok(['status']), /Playwright \(shop\), over CDP: tabs \d+, \d+/);
    await second.close();
    await until(async () => (await drivers())[0].tabs.length === 1, 'the closed tab is no longer leased');
    await browser.close();
    await noDriver();
    assert.match(await home.ok(['audit']), /cdp \w+ connect[\s\S]*cdp \w+ end/);
  });

  test('Puppeteer does all of it', async () => {
    const browser = await puppeteer.connect({ browserWSEndpoint: await address(), defaultViewport: null });
    const pages = await browser.pages();
    assert.equal(pages.length, 1);
    const [page] = pages;
    await page.goto(`${shop.origin}/`);
    await page.type('#name', 'Grace');
    await page.type('#password', 'admiral');
    await Promise.all([page.waitForNavigation(), page.click('#enter')]);
    assert.ok(shop.asked.includes('name=Grace&password=admiral'));
    const element = await page.waitForSelector('#address');
    const frame = await element.contentFrame();
    await (await frame.waitForSelector('#street')).type('Harbour 2');
    await frame.click('#save');
    const says = (text) => page.waitForFunction((text) => document.querySelector('#said').textContent === text, {}, text);
    await says('street Harbour 2');
    await (await page.$('#file')).uploadFile(upload);
    await says('uploaded two apples');
    const client = await page.createCDPSession();
    await client.send('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: home.person, eventsEnabled: true });
    await page.click('#invoice');
    await until(() => {
      try {
        return readFileSync(path.join(home.person, 'invoice.txt'), 'utf8') === '42 euro';
      } catch {
        return false;
      }
    }, 'the download is in the folder of the client');
    page.once('dialog', (dialog) => dialog.dismiss());
    await page.click('#pay');
    await says('kept');
    const second = await browser.newPage();
    await second.goto(`${shop.origin}/other`);
    assert.equal((await browser.pages()).length, 2);
    await second.close();
    await browser.disconnect();
    await noDriver();
  });
});
