/*
 * `gstack policy only` and browsers on other machines, which gstack cannot limit: none is connected to while a list is set, and nothing
 * acts in one that was connected before. No request leaves for the other machine.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Raw } from '../drivers/raw.mjs';
import { startClient } from '../mcp/client.mjs';
import { TestHome } from './harness/home.mjs';
import { Double, foreignBrowser, nowhere } from './harness/remote.mjs';

const REFUSED = /only gstack's own browser can be limited to some sites, and such a limit is set/;
const LIFTED = /gstack policy only --off/;
const KEYS = {
  BROWSERLESS_TOKEN: 'k',
  BROWSERBASE_API_KEY: 'k',
  BROWSERBASE_PROJECT_ID: 'k',
  STEEL_API_KEY: 'k',
  HYPERBROWSER_API_KEY: 'k',
  CLOUDFLARE_API_TOKEN: 'k',
  CLOUDFLARE_ACCOUNT_ID: 'k',
};
const SERVICES = ['browserless', 'browserbase', 'steel', 'hyperbrowser', 'cloudflare'];

describe('browsers on other machines, and a list of sites', () => {
  const home = new TestHome({ port: false });
  let machine;
  let browser;
  let double;
  let site;
  let url;
  const asked = [];

  before(async () => {
    machine = await nowhere();
    browser = await foreignBrowser();
    double = await new Double({
      serve: () => [200, { webSocketDebuggerUrl: `ws://127.0.0.1:1${new URL(browser.websocket).pathname}` }],
      target: () => browser.websocket,
    }).start();
    site = createServer((request, response) => {
      asked.push(request.url);
      response.setHeader('content-type', 'text/html');
      response.end(`<title>${request.url}</title><button onclick="document.title = 'clicked'">Go</button>`);
    });
    site.listen(0, '127.0.0.1');
    await once(site, 'listening');
    url = `http://127.0.0.1:${site.address().port}/`;
    mkdirSync(home.home, { mode: 0o700 });
    const endpoints = SERVICES.map((name) => `[browser.endpoints.${name}]\nurl = "http://127.0.0.1:${machine.port}"\n`);
    const own = `[browser.endpoints.team]\nurl = "ws://127.0.0.1:${machine.port}/devtools"\nheaders = { Authorization = "Bearer k" }\n`;
    writeFileSync(path.join(home.home, 'config.toml'), [...endpoints, own].join(''), { mode: 0o600 });
  });
  after(async () => {
    const left = await home.stop();
    double?.stop();
    await browser?.end();
    machine?.stop();
    site?.closeAllConnections();
    site?.close();
    assert.deepEqual(left, [], 'nothing is left behind');
  });

  const ways = () => [
    ['--cdp', `ws://127.0.0.1:${machine.port}/devtools/browser/x`],
    ['--cdp', `http://127.0.0.1:${machine.port}`],
    ['--cdp', 'team'],
    ['--name', 'far', '--cdp', 'team'],
    ['--grid', `http://127.0.0.1:${machine.port}`],
    ...SERVICES.map((name) => ['--provider', name]),
  ];
  const given = { environment: KEYS };

  test('without a list each way of connecting asks the other machine', async () => {
    for (const way of ways()) {
      const before = machine.arrived.length;
      const { code, stderr } = await home.run(['connect', ...way], given);
      assert.notEqual(code, 0, way.join(' '));
      assert.doesNotMatch(stderr, REFUSED, way.join(' '));
      assert.ok(machine.arrived.length > before, `${way.join(' ')}: ${stderr}`);
    }
  });

  test('while a list is set, each is refused with the reason and the remedy, and nothing arrives there', async () => {
    machine.arrived.length = 0;
    await home.ok(['policy', 'only', 'shop.example']);
    for (const way of ways()) {
      const { code, stderr } = await home.run(['connect', ...way], given);
      assert.notEqual(code, 0, way.join(' '));
      assert.match(stderr, REFUSED, way.join(' '));
      assert.match(stderr, LIFTED, way.join(' '));
    }
    assert.deepEqual(machine.arrived, []);
    assert.equal((await home.status()).mode, 'none');
    await home.ok(['policy', 'only', '--off']);
  });

  test('a list that the person writes into config.toml is known to the next connect', async () => {
    await home.ok(['connect', '--cdp', double.origin]);
    await home.ok(['disconnect']);
    double.requests.length = 0;
    const settings = path.join(home.home, 'config.toml');
    writeFileSync(settings, '[browser]\nonly-sites = "shop.example"\n', { mode: 0o600 });
    assert.match((await home.run(['connect', '--cdp', double.origin])).stderr, REFUSED);
    assert.deepEqual(double.requests, []);
    writeFileSync(settings, '', { mode: 0o600 });
    await home.ok(['connect', '--cdp', double.origin]);
    await home.ok(['disconnect']);
  });

  test('in one that was connected before, commands and clients are refused until the list is lifted', async () => {
    await home.ok(['connect', '--cdp', double.origin]);
    await home.ok(['goto', url]);
    const mcp = await startClient(home, 'zed', '--trusted');
    await mcp.call('goto', { url });
    const raw = await Raw.open((await home.ok(['cdp'])).trim());
    const { session } = await raw.page();
    const before = asked.length;
    // The site is on the list: it is the browser that can't be held to it.
    await home.ok(['policy', 'only', `127.0.0.1:${site.address().port}`]);
    for (const args of [['goto', `${url}more`], ['newtab', `${url}more`], ['click', 'button'], ['js', '1'], ['text'], ['cdp']]) {
      const { code, stderr } = await home.run(args);
      assert.notEqual(code, 0, args[0]);
      assert.match(stderr, REFUSED, args[0]);
      assert.match(stderr, LIFTED, args[0]);
    }
    for (const [tool, args] of [
      ['goto', { url: `${url}more` }],
      ['click', { selector: 'button' }],
      ['text', {}],
    ]) {
      assert.match(await mcp.fault(tool, args), REFUSED, tool);
    }
    for (const [method, params, of] of [
      ['Page.navigate', { url: `${url}more` }, session],
      ['Runtime.evaluate', { expression: `fetch('/more')` }, session],
      ['Target.createTarget', { url: `${url}more` }, undefined],
    ]) {
      assert.match((await raw.send(method, params, of)).error?.message ?? 'it was carried out', REFUSED, method);
    }
    assert.deepEqual(asked.slice(before), []);
    assert.match(await home.ok(['status']), /^Only: every site in the open browser; the configuration says 127\.0\.0\.1:/m);
    assert.match((await home.run(['doctor'])).stdout, /cannot be held, so nothing acts in it/);
    const elsewhere = await home.run(['connect', '--name', 'far', '--cdp', double.origin]);
    assert.match(elsewhere.stderr, REFUSED, 'nor is a second one connected to');
    await home.ok(['policy', 'only', '--off']);
    await home.ok(['goto', `${url}again`]);
    await mcp.call('text');
    assert.equal((await raw.send('Runtime.evaluate', { expression: '1' }, session)).result.result.value, 1);
    await mcp.client.close();
    raw.socket.close();
    await home.ok(['policy', 'only', 'shop.example']);
    assert.match(await home.ok(['disconnect']), /stays open/, 'it can be left while a list is set');
    await home.ok(['policy', 'only', '--off']);
  });
});
