/* `gstack run --grid` against the real Selenium Grid: however a run ends, no session is left, and no finished result is lost. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { startShop } from '../drivers/shop.mjs';
import { TestHome } from '../e2e/harness/home.mjs';
import { until } from '../e2e/harness/wait.mjs';
import { MISSING, SeleniumGrid } from './server.mjs';

const LIMIT = 180_000;
/** Reads a page's title. An item that waits goes on when the test says so. */
const SCRIPT = `import { execFileSync } from 'node:child_process';
import { existsSync, renameSync, writeFileSync } from 'node:fs';
const gstack = (...words) => execFileSync('gstack', words, { encoding: 'utf8' });
const item = process.env.GSTACK_ITEM;
gstack('goto', process.env.SITE + '/other?' + process.env.GSTACK_ITEM_INDEX);
// Whole or not at all: the test reads it at once.
const began = process.env.GSTACK_OUT + '/began';
writeFileSync(began + '.new', gstack('status', '--json'));
renameSync(began + '.new', began);
while (item.startsWith('wait') && !existsSync(process.env.GO)) await new Promise((resolve) => setTimeout(resolve, 100));
console.log(JSON.stringify(gstack('js', 'location.search + document.title').trim()));
`;

describe('a fleet on the real Selenium Grid', { concurrency: false, skip: MISSING }, () => {
  let grid;
  let home;
  let shop;
  const file = (name, text) => {
    writeFileSync(path.join(home.person, name), text);
    return name;
  };
  /** Starts a run; returns `{ child, code, said, report, began(index) }`. */
  const run = (name, items, browsers) => {
    const place = (...parts) => path.join(home.person, name, ...parts);
    const words = ['run', 'script.mjs', '--items', file(`${name}.items`, items.join('\n')), '--browsers', String(browsers)];
    const child = home.start([...words, '--grid', grid.url, '--out', name], { environment: { GO: path.join(home.person, `${name}.go`) } });
    const found = { child, said: '', place };
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (found.said += data));
    found.code = new Promise((resolve) => child.once('close', resolve));
    const ended = () => child.exitCode !== null && Promise.reject(new Error(`the run ended: ${found.said}`));
    found.waits = (look) =>
      until(
        async () => (await look()) || ended(),
        () => `${found.said}\n${grid.said()}`,
        LIMIT,
      );
    found.began = async (index) => {
      await found.waits(() => existsSync(place('items', String(index), 'began')));
      return JSON.parse(readFileSync(place('items', String(index), 'began'), 'utf8')).remote.node;
    };
    found.report = () => JSON.parse(readFileSync(place('report.json'), 'utf8'));
    return found;
  };
  const sessions = async () => (await grid.sessions()).length;
  /** The node that a test has killed. */
  let lostNode;
  const nothingIsLeft = (limit = LIMIT) =>
    until(
      async () => (await sessions()) === 0 && (await grid.waiting()).length === 0 && home.processes().length === 0,
      async () => {
        const left = [await grid.sessions(), await grid.waiting(), home.processes().map(({ command }) => command)];
        const nodes = (await grid.status()).nodes.map(({ uri, availability }) => [uri, availability]);
        return `left: ${JSON.stringify(left)}, of the nodes ${JSON.stringify(nodes)}, killed ${lostNode}`;
      },
      limit,
    );

  before(async () => {
    shop = await startShop();
    // No session that is left ends by itself while a test looks for it.
    grid = await new SeleniumGrid({ nodes: 3, queue: 10, sessionTimeout: 3600 }).start();
    home = new TestHome({ environment: { SITE: shop.origin } });
    file('script.mjs', SCRIPT);
  });
  after(async () => {
    const left = await home?.stop();
    await grid?.stop();
    await shop?.stop();
    assert.deepEqual(left, [], 'nothing is left behind');
  });

  test('Ctrl-C ends every session, also the request that waits for a browser', { timeout: 400_000 }, async () => {
    const stopped = run('stopped', ['wait 1', 'wait 2', 'wait 3', 'wait 4'], 4);
    for (const index of [0, 1, 2]) await stopped.began(index);
    // It is asked for again if the Grid has refused it meanwhile.
    await stopped.waits(async () => (await grid.waiting()).length === 1);
    assert.equal(await sessions(), 3);
    stopped.child.kill('SIGINT');
    assert.equal(await stopped.code, 130, stopped.said);
    assert.equal(stopped.report().totals.notRun, 4);
    await nothingIsLeft();
  });

  test('kill -9 ends every session, and the run goes on from there', { timeout: 500_000 }, async () => {
    const killed = run('killed', ['first', 'wait 1', 'wait 2'], 2);
    for (const index of [1, 2]) await killed.began(index);
    await killed.waits(() => readFileSync(killed.place('results.jsonl'), 'utf8').endsWith('\n'));
    assert.equal(await sessions(), 2);
    killed.child.kill('SIGKILL');
    await nothingIsLeft();
    file('killed.go', '');
    const environment = { GO: path.join(home.person, 'killed.go') };
    assert.match(await home.ok(['run', '--resume', 'killed'], { limit: LIMIT, environment }), /3 of 3 items ok/);
    await nothingIsLeft();
  });

  test('sessions that open too late to run an item are given back', { timeout: 500_000 }, async () => {
    writeFileSync(path.join(home.person, 'nothing'), '#!/bin/sh\n', { mode: 0o755 });
    const items = ['--items', file('few.items', '1\n2\n3\n'), '--browsers', '3'];
    // When the first session has run every item, the others are in any state of being opened.
    for (const round of [1, 2, 3, 4, 5, 6]) {
      const said = await home.ok(['run', './nothing', ...items, '--grid', grid.url, '--out', `few-${round}`], { limit: LIMIT });
      assert.match(said, /3 of 3 items ok/);
      await nothingIsLeft(60_000);
    }
  });

  test('a node that is killed loses no finished result, is named, and its item runs again', { timeout: 500_000 }, async () => {
    const items = ['a', 'b', 'c', 'wait d', 'e', 'f'];
    const lost = run('lost', items, 3);
    const node = await lost.began(3);
    // The items that are finished by now must still be finished in the end.
    await lost.waits(() => /\[5\/6\]/.test(lost.said));
    const before = readFileSync(lost.place('results.jsonl'), 'utf8');
    assert.equal(before.trim().split('\n').length, 5);
    const one = grid.nodes.find(({ uri }) => uri === node);
    lostNode = node;
    one.kill();
    await one.ended;
    file('lost.go', '');
    assert.equal(await lost.code, 0, lost.said);
    assert.ok(readFileSync(lost.place('results.jsonl'), 'utf8').startsWith(before));
    const { items: found, lost: sessionsLost, totals } = lost.report();
    assert.deepEqual(totals, { items: 6, ok: 6, failed: 0, timedOut: 0, lost: 0, unknown: 0, notRun: 0 });
    assert.deepEqual(
      sessionsLost.map((session) => [session.index, session.node]),
      [[3, node]],
      lost.said,
    );
    assert.deepEqual(
      found.map(({ result }) => result),
      items.map((_, index) => `?${index}Other`),
    );
    await nothingIsLeft();
    assert.deepEqual(grid.exposed(), [], 'it listens on this machine alone');
  });

  test('a Grid whose nodes are all lost is not waited for', { timeout: 400_000 }, async () => {
    for (const one of grid.nodes) one.kill();
    await until(
      async () => (await grid.status()).nodes.every(({ availability }) => availability !== 'UP'),
      async () => JSON.stringify(await grid.status()),
      LIMIT,
    );
    const { code, stderr } = await home.run(['connect', '--grid', grid.url], { limit: LIMIT });
    assert.notEqual(code, 0);
    assert.match(stderr, /the grid has no node that is up/);
  });
});
