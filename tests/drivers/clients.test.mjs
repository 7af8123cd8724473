/* Real CDP clients at `gstack cdp`: each logs in, fills a field in another process, uploads, downloads and answers a dialog. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import puppeteer from 'puppeteer-core';
import { GSTACK, TestHome } from '../e2e/harness/home.mjs';
import { until } from '../e2e/harness/wait.mjs';
import { McpServer } from './mcp-server.mjs';
import { startShop } from './shop.mjs';

const programs = path.join(path.dirname(fileURLToPath(import.meta.url)), 'node_modules/.bin');

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

  /** Runs agent-browser, which keeps a daemon of its own for each session, and returns what it prints. */
  const agentBrowser = (session, environment = {}) => {
    const folder = path.join(home.folder, session);
    const env = { ...home.environment, HOME: home.person, AGENT_BROWSER_SOCKET_DIR: folder, ...environment };
    return (...args) =>
      new Promise((resolve, reject) => {
        const program = path.join(programs, 'agent-browser');
        execFile(program, ['--session', session, ...args], { env, cwd: home.person }, (error, stdout, stderr) => {
          if (error) reject(new Error(`agent-browser ${args.join(' ')}: ${stdout}${stderr}`));
          else resolve(stdout);
        });
      });
  };

  test('agent-browser does all of it', async () => {
    const run = agentBrowser('first');
    const downloaded = path.join(home.person, 'from-agent-browser.txt');
    await run('--cdp', await address('--name', 'shell'), 'open', `${shop.origin}/`);
    assert.equal((await drivers())[0].name, 'CDP client (shell)');
    await run('fill', '#name', 'Edith');
    await run('fill', '#password', 'compiler');
    await run('click', '#enter');
    await run('wait', '--url', '**/order');
    assert.ok(shop.asked.includes('name=Edith&password=compiler'));
    const page = await run('snapshot', '-i');
    const ref = (name) => `@${new RegExp(`"${name}" \\[ref=(e\\d+)\\]`).exec(page)[1]}`;
    await run('fill', ref('Street'), 'Canal 3');
    await run('click', ref('Save'));
    assert.match(await run('get', 'text', '#said'), /street Canal 3/);
    await run('upload', '#file', upload);
    await run('wait', '--text', 'uploaded two apples');
    await run('download', '#invoice', downloaded);
    assert.equal(readFileSync(downloaded, 'utf8'), '42 euro');
    await run('click', '#pay');
    assert.match(await run('dialog', 'status'), /Pay now\?/);
    await run('dialog', 'accept');
    assert.match(await run('get', 'text', '#said'), /paid/);
    await run('tab', 'new', `${shop.origin}/other`);
    const listed = await run('tab', 'list');
    assert.equal(listed.match(/\[t\d+\]/g).length, 2, `its own tabs, and not the one of the person: ${listed}`);
    await run('tab', 'close');
    await run('close');
    await noDriver();
  });

  test('agent-browser gets its browser from `gstack cdp provider`', async () => {
    const plugins = [{ name: 'gstack', command: GSTACK, args: ['cdp', 'provider'], capabilities: ['browser.provider'] }];
    const run = agentBrowser('second', { AGENT_BROWSER_PLUGINS: JSON.stringify(plugins) });
    assert.match(await run('plugin', 'list'), /gstack/);
    await run('--provider', 'gstack', 'open', `${shop.origin}/other`);
    assert.match(await run('get', 'title'), /Other/);
    assert.equal((await drivers())[0].name, 'CDP client (agent-browser)');
    await run('close');
    await noDriver();
    const asked = async (request) => JSON.parse((await home.run(['cdp', 'provider'], { input: JSON.stringify(request) })).stdout);
    const protocol = 'agent-browser.plugin.v1';
    const manifest = await asked({ protocol, type: 'plugin.manifest', capability: 'plugin.manifest', request: {} });
    assert.deepEqual(manifest.manifest.capabilities, ['browser.provider']);
    const launched = await asked({ protocol, type: 'browser.launch', capability: 'browser.provider', request: {} });
    assert.ok(launched.success && launched.browser.cdpUrl.startsWith('ws://127.0.0.1:'));
    const other = (await home.json('cdp', '--ttl', '1m')).id;
    const closes = (cleanup) => asked({ protocol, type: 'browser.close', capability: 'browser.provider', request: cleanup });
    assert.ok((await closes({})).success);
    assert.equal((await home.json('cdp', 'list')).endpoints.length, 2, 'without an id it ends none');
    assert.ok((await closes(launched.browser.cleanup)).success);
    assert.deepEqual(
      (await home.json('cdp', 'list')).endpoints.map(({ id }) => id),
      [other],
    );
    assert.ok((await closes(launched.browser.cleanup)).success, 'once more');
    await home.ok(['cdp', 'revoke']);
    for (const wrong of [{ protocol, type: 'credential.resolve' }, { protocol: 'other', type: 'browser.launch' }, 'garbage']) {
      const refused = await asked(wrong);
      assert.equal(refused.success, false);
      assert.ok(refused.error && refused.protocol === protocol);
    }
    assert.deepEqual((await home.json('cdp', 'list')).endpoints, []);
  });

  test('chrome-devtools-mcp does all of it', async () => {
    const server = await McpServer.start(
      path.join(programs, 'chrome-devtools-mcp'),
      ['--wsEndpoint', await address(), '--no-usage-statistics', '--no-performance-crux', '--filesystemRoot', home.person],
      { env: { ...home.environment, HOME: home.person }, cwd: home.person },
    );
    const pageId = 1;
    const call = (tool, values = {}) => server.call(tool, { pageId, ...values });
    const said = () => call('evaluate_script', { function: `() => document.querySelector('#said').textContent` });
    assert.equal((await server.call('list_pages')).match(/^\d+:/gm).length, 1, 'it sees its own tab only');
    await call('navigate_page', { type: 'url', url: `${shop.origin}/` });
    let page = await call('take_snapshot');
    const uid = (name) => new RegExp(`uid=(\\S+) \\w+ "${name}"`).exec(page)[1];
    await call('fill', { uid: uid('Name'), value: 'Joan' });
    await call('fill', { uid: uid('Password'), value: 'colossus' });
    await call('click', { uid: uid('Enter') });
    assert.ok(shop.asked.includes('name=Joan&password=colossus'));
    page = await call('take_snapshot');
    await call('fill', { uid: uid('Street'), value: 'Bridge 4' });
    await call('click', { uid: uid('Save') });
    assert.match(await said(), /street Bridge 4/);
    await call('upload_file', { uid: uid('Choose File'), filePaths: [upload] });
    await call('wait_for', { text: ['uploaded two apples'] });
    const before = shop.asked.filter((one) => one === 'GET /invoice.txt').length;
    await call('click', { uid: uid('Invoice') });
    await until(() => shop.asked.filter((one) => one === 'GET /invoice.txt').length > before, 'the download is asked for');
    await call('click', { uid: uid('Pay') });
    await call('handle_dialog', { action: 'accept' });
    assert.match(await said(), /paid/);
    await server.call('new_page', { url: `${shop.origin}/other` });
    assert.equal((await drivers())[0].tabs.length, 2);
    await call('close_page', { pageId: 2 });
    await until(async () => (await drivers())[0].tabs.length === 1, 'the closed tab is no longer leased');
    await server.stop();
    await noDriver();
  });
});
