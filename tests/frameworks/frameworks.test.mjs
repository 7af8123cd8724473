/*
 * The real Stagehand and browser-use at `gstack cdp`, without a model: each logs in and fills a form, sees the tabs that
 * it was given and no other, and is cut off when its address is revoked. Neither they nor the browser reach anything but this
 * machine.
 */
import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { startShop } from '../drivers/shop.mjs';
import { TestHome } from '../e2e/harness/home.mjs';
import { until } from '../e2e/harness/wait.mjs';
import { startProxy } from './guard/proxy.mjs';
import { Program, PYTHON } from './program.mjs';

describe('frameworks in the browser of `connect`', () => {
  let home;
  let shop;
  let proxy;
  const running = [];

  const drivers = async () => (await home.json('status')).drivers ?? [];

  before(async () => {
    home = new TestHome();
    shop = await startShop();
    proxy = await startProxy();
    const browser = path.join(home.folder, 'proxied');
    writeFileSync(browser, `#!/bin/sh\nexec '${home.environment.GSTACK_BROWSER_PATH}' ${proxy.flag} "$@"\n`, { mode: 0o755 });
    home.environment.GSTACK_BROWSER_PATH = browser;
    await home.connect(['--headless', `${shop.origin}/other`]);
  });
  after(async () => {
    for (const program of running) program.process.kill('SIGKILL');
    await shop?.stop();
    proxy?.stop();
    assert.deepEqual(await home.stop(), [], 'nothing is left behind');
  });

  /** Starts a program with an address of its own. */
  async function start(kind, file) {
    const ADDRESS = (await home.ok(['cdp', '--name', 'steps'])).trim();
    const program = new Program(kind, file, home, { ADDRESS, SHOP: shop.origin });
    running.push(program);
    return program;
  }

  /** What both do. `sent` is what the shop gets, `said` what its page shows, `asked` which hosts its pages may ask for. */
  async function journey(program, { label, sent, said, asked }) {
    proxy.asked.clear();
    await program.ask('start');
    assert.deepEqual(await program.ask('tabs'), ['about:blank'], 'its own tab, and not the one of the person');
    const [driver] = await drivers();
    assert.equal(driver.name, `${label} (steps)`);
    assert.equal(await program.ask('login'), 'Order');
    assert.ok(shop.asked.includes(sent), 'it has logged in');
    assert.equal(await program.ask('order'), said);
    const picture = Buffer.from(await program.ask('picture'), 'base64');
    assert.equal(picture.toString('latin1', 1, 4), 'PNG');
    const tabs = JSON.parse(await home.ok(['tabs', '--json'])).data;
    const given = tabs.find(({ id }) => !driver.tabs.includes(id)).id;
    await home.ok(['lease', String(given), '--to', driver.name]);
    const wanted = [`${shop.origin}/order`, `${shop.origin}/other`];
    await until(async () => (await program.ask('tabs')).sort().join() === wanted.join(), 'it sees the tab that it was given');
    await home.ok(['release', String(given)]);
    await until(async () => (await program.ask('tabs')).join() === wanted[0], 'it sees the tab no longer');

    const [id] = /^\w+/.exec(await home.ok(['cdp', 'list']));
    await home.ok(['cdp', 'revoke', id]);
    await until(async () => (await drivers()).length === 0, 'the lease has ended');
    const { error } = await program.try('again');
    assert.ok(error, 'a step after that fails');
    await program.try('end');
    await program.stop();
    assert.ok(!shop.asked.some((line) => line.includes('again')), 'and has done nothing');
    assert.deepEqual([...new Set(program.reported())], ['guarded'], 'it tried to reach nothing but this machine');
    assert.deepEqual(
      [...proxy.asked].filter((host) => !asked.includes(host)),
      [],
      'neither did its pages',
    );
  }

  test('the guard refuses and reports whatever leads beyond this machine', async () => {
    for (const [kind, file] of [
      ['node', 'guard/tries.mjs'],
      ['python', 'guard/tries.py'],
    ]) {
      if (kind === 'python' && !existsSync(PYTHON)) continue;
      const program = new Program(kind, file, home, {});
      running.push(program);
      assert.equal((await program.ask('try')).join(), 'refused,refused,refused', kind);
      await program.stop();
      assert.deepEqual(program.reported(), ['guarded', 'tried example.invalid', 'tried 192.0.2.1', 'tried 192.0.2.1'], kind);
    }
  });

  test('Stagehand', async () => {
    await journey(await start('node', 'stagehand.mjs'), {
      label: 'Stagehand',
      sent: 'name=Katherine&password=orbit',
      said: 'street Moon 5',
      asked: [],
    });
  });

  test('browser-use', { skip: !existsSync(PYTHON) && 'its packages are not installed' }, async () => {
    await journey(await start('python', 'browser_use_steps.py'), {
      label: 'browser-use',
      sent: 'name=Hedy&password=frequency',
      said: 'street Harbour 6',
      // It shows its logo in empty tabs.
      asked: ['cf.browser-use.com'],
    });
  });
});
