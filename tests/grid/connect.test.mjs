/* `gstack connect --grid` against the real Selenium Grid: driving, files, a full Grid, keeping alive and each kind of end. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { startShop } from '../drivers/shop.mjs';
import { TestHome } from '../e2e/harness/home.mjs';
import { connections, isAlive } from '../e2e/harness/processes.mjs';
import { until } from '../e2e/harness/wait.mjs';
import { startProxy } from '../frameworks/guard/proxy.mjs';
import { MISSING, SeleniumGrid } from './server.mjs';

const LIMIT = { limit: 180_000 };
/** After which a node ends an idle session, in seconds: gstack reports every 30 s that a session is in use. */
const SESSION_TIMEOUT = 45;
/** How long the Grid keeps a request for a browser, in seconds. */
const QUEUE = 20;

describe('the real Selenium Grid', { concurrency: false, skip: MISSING }, () => {
  let grid;
  let proxy;
  let shop;
  /** Returns a home whose browser is on the Grid, or one without a browser. It ends with the test. */
  const homeOn = async (t, connects = true) => {
    const home = new TestHome();
    t.after(async () => assert.deepEqual(await home.stop(), [], 'nothing is left behind'));
    if (connects) await home.ok(['connect', '--grid', grid.url], LIMIT);
    return home;
  };
  const node = async (home) => (await home.status()).remote.node;
  const on = async () => (await grid.sessions()).map((session) => session.node).sort();
  const empty = (limit) =>
    until(
      async () => (await on()).length === 0,
      async () => `sessions are left: ${await on()}`,
      limit,
    );

  before(async () => {
    proxy = await startProxy();
    shop = await startShop();
    grid = await new SeleniumGrid({ nodes: 2, queue: QUEUE, sessionTimeout: SESSION_TIMEOUT, vnc: true, flags: [proxy.flag] }).start();
  });
  after(async () => {
    await grid?.stop();
    await shop?.stop();
    proxy?.stop();
  });

  test('its browser is driven through the hub, moves files, and its session ends with the connection', { timeout: 400_000 }, async (t) => {
    const home = await homeOn(t, false);
    const said = await home.ok(['connect', '--grid', grid.url], LIMIT);
    const [session] = await grid.sessions();
    assert.ok(said.includes(`grid at ${grid.url}, node ${session.node}`), said);
    const hub = new URL(grid.url);
    const watched = `watch ws://${hub.host}/session/${session.id}/se/vnc`;
    assert.ok((await home.ok(['status'])).includes(watched), 'the address of its screen is shown');
    const ends = connections(home.processes('daemon')).map(({ port }) => String(port));
    assert.deepEqual([...new Set(ends)], [hub.port], 'DevTools is reached through the hub alone');

    await home.ok(['goto', `${shop.origin}/`]);
    await home.ok(['fill', '#name', 'Radia']);
    await home.ok(['fill', '#password', 'spanning']);
    await home.ok(['click', '#enter']);
    await home.ok(['wait', '--url', '**/order']);
    assert.ok(shop.asked.includes('name=Radia&password=spanning'));
    assert.match(await home.ok(['text']), /Order/);
    const upload = path.join(home.person, 'zwei Äpfel.txt');
    writeFileSync(upload, 'two apples');
    await home.ok(['upload', '#file', upload]);
    await home.ok(['wait', '--text', 'uploaded two apples']);
    assert.match(await home.ok(['js', 'file.value']), /zwei Äpfel\.txt/);
    await home.ok(['click', '#invoice']);
    const saved = await until(
      async () => /"(\/[^"]*invoice[^"]*\.txt)"/.exec(await home.ok(['downloads', '--json']))?.[1],
      () => `no download: ${home.log()}`,
    );
    assert.equal(readFileSync(saved, 'utf8'), '42 euro');
    const picture = path.join(home.person, 'order.png');
    await home.ok(['screenshot', picture]);
    assert.equal(readFileSync(picture).toString('latin1', 1, 4), 'PNG');

    assert.deepEqual(grid.exposed(), [], 'it listens on this machine alone');
    assert.match(await home.ok(['disconnect'], LIMIT), /the browser is closed/);
    await empty();
  });

  test('a session ends with its daemon, and with the next daemon after a crash', { timeout: 400_000 }, async (t) => {
    const stopped = await homeOn(t);
    await stopped.ok(['stop']);
    await empty();
    const killed = await homeOn(t);
    await killed.kill((await killed.status()).pid);
    assert.equal((await on()).length, 1, 'the session is still there');
    await killed.ok(['settings']);
    await empty();
    const ended = await homeOn(t);
    const [{ id }] = await grid.sessions();
    assert.equal((await fetch(`${grid.url}/session/${id}`, { method: 'DELETE' })).status, 200);
    // The hub keeps the connection open.
    assert.match((await ended.run(['text'], LIMIT)).stderr, /the browser that gstack drives was closed/);
    assert.equal((await ended.status()).mode, 'none', 'a session that the Grid ended is still in use');
  });

  test('an idle session outlives the timeout of the Grid, which ends the one of a killed daemon', { timeout: 500_000 }, async (t) => {
    const kept = await homeOn(t);
    await kept.ok(['goto', `${shop.origin}/other`]);
    const killed = await homeOn(t);
    const [first, second] = [await node(kept), await node(killed)];
    assert.deepEqual(await on(), [first, second].sort());
    const { pid } = await killed.status();
    await killed.kill(pid);

    // Both nodes are busy for as long as the Grid keeps a request.
    const third = await homeOn(t, false);
    const refused = await third.run(['connect', '--grid', grid.url], LIMIT);
    assert.match(refused.stderr, /every browser of the grid .* is busy/);
    assert.deepEqual(await grid.waiting(), []);

    // The other session has been idle for a shorter time than this one, and no daemon reports that it is in use.
    await until(
      async () => (await on()).length === 1,
      async () => `the Grid has not ended ${second}: ${await on()}`,
      SESSION_TIMEOUT * 3000,
    );
    assert.deepEqual(await on(), [first]);
    assert.ok(!isAlive(pid));
    // And once more as long: the Grid looks every 30 s.
    await until(
      async () => Date.now() - Date.parse((await grid.sessions())[0].start) > (SESSION_TIMEOUT + 35) * 1000,
      () => 'the session is not old enough',
      SESSION_TIMEOUT * 3000,
    );
    assert.match(await kept.ok(['text']), /secret of another tab/);

    // A request that waits gets the first browser that is free.
    const fourth = await homeOn(t);
    const waits = third.ok(['connect', '--grid', grid.url], LIMIT);
    await until(
      async () => (await grid.waiting()).length === 1,
      () => 'no request waits',
    );
    await kept.ok(['disconnect'], LIMIT);
    await waits;
    assert.equal(await node(third), first);
    for (const home of [third, fourth]) await home.ok(['disconnect'], LIMIT);
    await empty();
  });

  test('nothing tried to reach anything but this machine', () => {
    assert.deepEqual([...proxy.asked], []);
    const outside = connections(grid.processes()).filter(({ address }) => !grid.isHere(address));
    assert.deepEqual([outside, grid.exposed()], [[], []]);
  });
});
