/*
 * The same real CDP clients in a person's everyday browser, whose tabs have one DevTools session each, which is gstack's: what
 * works, what is refused, that gstack goes on working beside the client, and that nothing of the client is left in the tab.
 */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { chromium } from 'playwright-core';
import { Everyday } from '../e2e/harness/everyday.mjs';
import { GSTACK, TestHome } from '../e2e/harness/home.mjs';
import { until } from '../e2e/harness/wait.mjs';
import {
  agentBrowser,
  agentBrowserAt,
  chromeDevtoolsMcp,
  invoices,
  noDriver,
  playwright,
  puppeteerClient,
  WITH_AGENT_BROWSER,
} from './journeys.mjs';
import { Raw } from './raw.mjs';
import { startShop } from './shop.mjs';

describe('CDP clients in an everyday browser', () => {
  let home;
  let shop;
  let everyday;
  /** @type {import('./journeys.mjs').World} */
  let world;
  const address = async (...args) => (await home.ok(['cdp', '--everyday', ...args])).trim();
  const tabOf = async (url) => JSON.parse(await home.ok(['tabs', '--json'])).data.find((one) => one.url.startsWith(url))?.id;

  before(async () => {
    home = new TestHome();
    mkdirSync(home.home, { mode: 0o700 });
    writeFileSync(path.join(home.home, 'config.toml'), '[browser]\nlet-go-seconds = 1\n', { mode: 0o600 });
    shop = await startShop();
    const upload = path.join(home.person, 'order.txt');
    writeFileSync(upload, 'two apples');
    everyday = await Everyday.start(home, { url: `${shop.origin}/other`, permissions: ['downloads'] });
    await everyday.page(shop.origin);
    await home.ok(['connect', '--everyday']);
    world = {
      home,
      shop,
      upload,
      address,
      frameProcesses: async () =>
        [...everyday.client.targets.values()].filter(({ type, url }) => type === 'iframe' && url.endsWith('/address')),
      downloaded: invoices(home),
      givesFiles: true,
    };
  });
  after(async () => {
    await everyday?.stop();
    await shop?.stop();
    assert.deepEqual(await home.stop(), [], 'nothing is left behind');
  });

  test('Playwright does all of it, in tabs of its own', () => playwright(world));
  test('Puppeteer does all of it', () => puppeteerClient(world));
  test('agent-browser does all of it', WITH_AGENT_BROWSER, () => agentBrowser(world));
  test('chrome-devtools-mcp does all of it', () => chromeDevtoolsMcp(world));

  test('without the permission for downloads, the client is told that it gets no file, and the person has it', async () => {
    await everyday.inWorker(`chrome.permissions.remove({ permissions: ['downloads'] })`);
    const before = shop.asked.filter((one) => one === 'GET /invoice.txt').length;
    const listed = async () => JSON.parse(await home.ok(['downloads', '--json'])).data.at(-1);
    await playwright({
      ...world,
      givesFiles: false,
      downloaded: () => until(async () => (await listed()).state === 'saved', 'the browser downloads the invoice'),
    });
    assert.ok(shop.asked.filter((one) => one === 'GET /invoice.txt').length > before);
    const { path: place, bytes } = await listed();
    assert.deepEqual([place, bytes], [undefined, 7]);
  });

  test('gstack works in the tab beside the client, and nothing of the client stays there', async () => {
    const tab = await tabOf(`${shop.origin}/other`);
    const browser = await chromium.connectOverCDP(await address('--tabs', tab));
    const [page] = browser.contexts()[0].pages();
    await page.addInitScript(() => {
      globalThis.fromClient = true;
    });
    await page.setViewportSize({ width: 412, height: 333 });
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.exposeBinding('told', () => 7);
    await page.goto(`${shop.origin}/order`);
    assert.equal(await page.evaluate('fromClient && told()'), 7);
    const run = (...args) => home.ok([...args, '--tab', tab]);
    assert.match(await run('snapshot', '-i'), /Pay/);
    assert.match(await run('js', 'innerWidth'), /412/);
    await page.frameLocator('#address').locator('#street').fill('Quay 5');
    await page.frameLocator('#address').locator('#save').click();
    await page.getByText('street Quay 5').waitFor();
    assert.match(await run('text'), /street Quay 5/);
    await browser.close();
    await noDriver(world);
    await until(async () => (await everyday.attached()).length === 0, 'gstack lets go of the tab');
    const person = await everyday.page(`${shop.origin}/order`);
    const left = `(innerWidth === 412) || matchMedia('(prefers-color-scheme: dark)').matches`;
    assert.equal(await person.evaluate(left), false, 'the emulation has ended');
    await run('goto', `${shop.origin}/other`);
    assert.equal(await person.evaluate('typeof fromClient + typeof told'), 'undefinedundefined', 'so have scripts and bindings');
  });

  test('a client has one session for each attachment, and no other tab', async () => {
    const raw = await Raw.open(await address());
    const { targetId, session } = await raw.page();
    const { result } = await raw.send('Target.getTargets');
    assert.equal(result.targetInfos.length, 1, 'the tab of the person is hidden');
    const told = (method, of) => raw.events.filter((one) => one.method === method && one.sessionId === of);
    const contexts = () => told('Runtime.executionContextCreated', session);
    await raw.send('Runtime.enable', {}, session);
    await until(() => contexts().some(({ params }) => params.context.auxData.isDefault), 'it is told of the contexts that exist');
    const second = (await raw.send('Target.attachToTarget', { targetId, flatten: true })).result.sessionId;
    assert.notEqual(second, session);
    await raw.send('Runtime.disable', {}, session);
    await raw.send('Page.enable', {}, second);
    await raw.send('Page.navigate', { url: `${shop.origin}/other` }, second);
    await until(() => told('Page.frameNavigated', second).length > 0, 'it navigates');
    assert.equal(told('Page.frameNavigated', session).length, 0, 'only where it is enabled');
    const title = async () => (await raw.send('Runtime.evaluate', { expression: 'document.title' }, session)).result?.result.value;
    await until(async () => (await title()) === 'Other', 'both sessions are of the same page');
    for (const [method, params, why] of [
      ['Fetch.enable', {}, /can't be intercepted/],
      ['Network.getAllCookies', {}, /needs `gstack cdp --allow cookies`/],
      ['Storage.getCookies', {}, /needs/],
      ['Page.navigate', { url: 'chrome://settings' }, /opens no such address/],
      ['Target.attachToBrowserTarget', {}, /does not offer/],
      ['Relay.attachClient', { targetId }, /does not offer/],
      ['Relay.leaveOwnPage', { targetId }, /does not offer/],
    ]) {
      const { error } = await raw.send(method, params, session);
      assert.match(error?.message ?? 'it ran', why, method);
    }
    const isOther = ({ type, url, targetId: id }) => type === 'page' && url.startsWith('http') && id !== targetId;
    const other = await everyday.client.target(isOther, 'the tab of the person');
    for (const guess of [other.targetId, 'chrome-tab-1', 'guest-1-1', 'page-1-1', 'tab-1-1']) {
      assert.ok((await raw.send('Target.attachToTarget', { targetId: guess, flatten: true })).error, guess);
      assert.ok((await raw.send('Runtime.evaluate', { expression: '1' }, guess)).error, guess);
    }
    raw.socket.close();
    await noDriver(world);
  });

  test("a client keeps no page from reporting that the person takes over: what is gstack's there stays", async () => {
    const raw = await Raw.open(await address('--name', 'sly'));
    const { session } = await raw.page();
    const send = (method, params = {}) => raw.send(method, params, session);
    for (let guess = 0; guess < 8; guess++) await send('Page.removeScriptToEvaluateOnNewDocument', { identifier: String(guess) });
    assert.ok((await send('Runtime.addBinding', { name: 'gstackPersonActs' })).error);
    assert.ok((await send('Runtime.removeBinding', { name: 'gstackPersonActs' })).error);
    await send('Page.navigate', { url: `${shop.origin}/?sly` });
    const person = await everyday.page(`${shop.origin}/?sly`);
    await person.click('#name');
    await until(async () => /took over tab/.test((await send('Runtime.evaluate', { expression: '1' })).error?.message), 'it is paused');
    await home.ok(['resume']);
    raw.socket.close();
    await noDriver(world);
  });

  test('the person chooses it, and what Chrome does not allow there is refused at once', async () => {
    const refused = async (why, ...args) => {
      const { code, stderr } = await home.run(['cdp', ...args]);
      assert.notEqual(code, 0, args.join(' '));
      assert.match(stderr, why, args.join(' '));
    };
    await refused(/your everyday browser, with your logins[\s\S]*--everyday/);
    await refused(/--allow cookies is not possible in an everyday browser/, '--everyday', '--allow', 'cookies');
    await refused(/--allow profiling is not possible/, '--everyday', '--allow', 'profiling');
    assert.deepEqual((await home.json('cdp', 'list')).endpoints, []);
  });

  test('the person gives it another tab of that browser, in the terminal and in the panel', async () => {
    const raw = await Raw.open(await address('--name', 'given'));
    const [{ name, tabs }] = (await home.json('status')).drivers;
    const pages = async () => (await raw.send('Target.getTargets')).result.targetInfos.length;
    assert.equal(await pages(), 1);
    const free = (await home.json('tabs')).data.find(({ url, id }) => url.startsWith('http') && !tabs.includes(id));
    await home.ok(['lease', String(free.id), '--to', name]);
    await until(async () => (await pages()) === 2, 'the client gets the tab');
    await home.ok(['release', String(free.id)]);
    await until(async () => (await pages()) === 1, 'and loses it');
    const { page } = await everyday.sidePanel();
    await page.click('.tabchip');
    await page.waitFor(`document.querySelector('[data-line^="client "]')?.innerText.includes('given')`, 'the menu offers the client');
    await page.evaluate(`document.querySelector('[data-line^="client "]').click()`);
    await until(async () => (await pages()) === 2, 'the client gets the tab in view');
    raw.socket.close();
    await noDriver(world);
  });

  test('the person takes over, and Cancel in the bar ends the sessions', async () => {
    const raw = await Raw.open(await address('--name', 'bar'));
    const { session } = await raw.page();
    await raw.send('Page.navigate', { url: `${shop.origin}/other` }, session);
    const [driver] = (await home.json('status')).drivers;
    await home.ok(['pause', '--tab', String(driver.tabs[0])]);
    const paused = await raw.send('Runtime.evaluate', { expression: '1' }, session);
    assert.match(paused.error.message, /the person took over tab/);
    await home.ok(['resume']);
    await until(async () => (await raw.send('Runtime.evaluate', { expression: '1' }, session)).result, 'it goes on');
    await everyday.inWorker(`(async () => {
      for (const { tabId, type } of await chrome.debugger.getTargets()) {
        if (type !== 'page' || tabId === undefined) continue;
        const ours = await chrome.debugger.detach({ tabId }).then(() => true, () => false);
        if (ours) chrome.debugger.onDetach.dispatch({ tabId }, 'canceled_by_user');
      }
    })()`);
    await until(
      () => raw.events.some(({ method, params }) => method === 'Target.detachedFromTarget' && params.sessionId === session),
      'its session ends',
    );
    const { error } = await raw.send('Runtime.evaluate', { expression: '1' }, session);
    assert.ok(error);
    raw.socket.close();
    await noDriver(world);
  });

  test('agent-browser gets the tab that its plugin names here, and the person takes it back', WITH_AGENT_BROWSER, async () => {
    const [tab] = (await home.json('tabs')).data.filter(({ url }) => url.startsWith(shop.origin));
    const args = ['cdp', 'provider', '--everyday', '--tabs', String(tab.id), '--name', 'shopper'];
    const plugins = [{ name: 'gstack', command: GSTACK, args, capabilities: ['browser.provider'] }];
    const run = agentBrowserAt(world, 'provided', { AGENT_BROWSER_PLUGINS: JSON.stringify(plugins) });
    await run('--provider', 'gstack', 'open', `${shop.origin}/other`);
    assert.match(await run('get', 'title'), /Other/);
    const [driver] = (await home.json('status')).drivers;
    assert.deepEqual([driver.name, driver.tabs], ['CDP client (shopper)', [tab.id]]);
    await home.ok(['release', String(tab.id)]);
    await run('get', 'title').catch(() => {});
    const others = (await home.json('status')).drivers ?? [];
    assert.ok(!others.some(({ tabs }) => tabs.includes(tab.id)), 'it has the tab no more, whatever it does about it');
    await run('close');
    await noDriver(world);
    assert.deepEqual((await home.json('cdp', 'list')).endpoints, []);
    assert.match(await home.ok(['url', '--tab', String(tab.id)]), /other/, 'the tab stays open');
  });

  test('a client of the other browser gets no tab of this one', async () => {
    const [mine] = (await home.json('tabs')).data.filter(({ url }) => url.startsWith('http'));
    await home.ok(['disconnect']);
    await home.ok(['connect', '--headless']);
    const raw = await Raw.open((await home.ok(['cdp', '--name', 'own'])).trim());
    const [{ name }] = (await home.json('status')).drivers;
    const { code, stderr } = await home.run(['lease', String(mine.id), '--to', name]);
    assert.notEqual(code, 0);
    assert.match(stderr, /your everyday browser, with your logins/);
    assert.equal((await raw.send('Target.getTargets')).result.targetInfos.length, 1);
    raw.socket.close();
    await noDriver(world);
  });
});
