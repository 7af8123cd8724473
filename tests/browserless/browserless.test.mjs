/* `gstack connect --provider browserless` against the real server of Browserless. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { startShop } from '../drivers/shop.mjs';
import { TestHome } from '../e2e/harness/home.mjs';
import { until } from '../e2e/harness/wait.mjs';
import { startProxy } from '../frameworks/guard/proxy.mjs';
import { Browserless, MISSING } from './server.mjs';

const TOKEN = 'hunter2-f00dfeed';
const GIVEN = { environment: { BROWSERLESS_TOKEN: TOKEN }, limit: 120_000 };

describe('the real Browserless', { skip: MISSING }, () => {
  let home;
  let proxy;
  let server;
  let shop;

  before(async () => {
    proxy = await startProxy();
    shop = await startShop();
    server = new Browserless(TOKEN);
    await server.start(proxy.flag);
    home = new TestHome();
    await home.ok(['settings']);
    const config = `[browser.endpoints.browserless]\nurl = "ws://127.0.0.1:${server.port}"\n`;
    writeFileSync(path.join(home.home, 'config.toml'), config, { mode: 0o600 });
  });
  after(async () => {
    const left = await home?.stop();
    await server?.stop();
    await shop?.stop();
    proxy?.stop();
    assert.deepEqual(left, [], 'nothing is left behind');
  });

  test('a wrong token gets no browser', async () => {
    const { code, stderr } = await home.run(['connect', '--provider', 'browserless'], {
      ...GIVEN,
      environment: { BROWSERLESS_TOKEN: 'wrong' },
    });
    assert.notEqual(code, 0);
    assert.match(stderr, /does not accept the credentials/);
    assert.deepEqual(await server.sessions(), []);
  });

  test('its browser is driven, and ends with the connection', async () => {
    const said = await home.ok(['connect', '--provider', 'browserless'], GIVEN);
    assert.match(said, new RegExp(`browser attached.*browserless at ws://127\\.0\\.0\\.1:${server.port}`));
    assert.equal((await server.sessions()).length, 1);
    await home.ok(['goto', `${shop.origin}/`]);
    await home.ok(['fill', '#name', 'Radia']);
    await home.ok(['fill', '#password', 'spanning']);
    await home.ok(['click', '#enter']);
    await home.ok(['wait', '--url', '**/order']);
    assert.ok(shop.asked.includes('name=Radia&password=spanning'));
    assert.match(await home.ok(['text']), /Order/);
    const upload = path.join(home.person, 'order.txt');
    writeFileSync(upload, 'two apples');
    await home.ok(['upload', '#file', upload]);
    await home.ok(['wait', '--text', 'uploaded two apples']);
    const picture = path.join(home.person, 'order.png');
    await home.ok(['screenshot', picture]);
    assert.equal(readFileSync(picture).toString('latin1', 1, 4), 'PNG');
    const status = await home.ok(['status']);
    assert.ok(status.includes('Mode: remote') && !(said + status).includes(TOKEN), status);
    assert.match(await home.ok(['disconnect']), /the browser is closed/);
    // While one of its browsers is ending, the server answers this with 500.
    const left = () => server.sessions().catch(() => undefined);
    await until(async () => (await left())?.length === 0, 'its session has ended');
  });

  test('a session that the server ends is no longer in use', async () => {
    await home.ok(['connect', '--provider', 'browserless'], GIVEN);
    const [{ killURL }] = await server.sessions();
    await server.ask(new URL(killURL).pathname);
    await until(async () => (await home.status()).mode === 'none', 'gstack knows that it is gone');
  });

  test('neither the server nor its browser has tried to reach anything but this machine', () => {
    assert.deepEqual([...new Set(server.reported())], ['guarded']);
    assert.deepEqual([...proxy.asked], []);
  });
});
