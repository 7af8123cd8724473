/*
 * `gstack run`: a script or a flow for many items over several sessions. A finished result is never lost, and however the
 * run ends, it leaves no session and no process.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { TestHome } from './harness/home.mjs';
import { isAlive } from './harness/processes.mjs';
import { GridDouble } from './harness/remote.mjs';
import { until } from './harness/wait.mjs';

const LIMIT = { limit: 300_000 };
/** Reads the page's title through gstack; `lasts` keeps an item running until the test says go on. */
const SCRIPT = `import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
const gstack = (...words) => execFileSync('gstack', words, { encoding: 'utf8' });
const item = process.env.GSTACK_ITEM;
gstack('goto', process.env.SITE + 't-' + process.env.GSTACK_ITEM_INDEX);
writeFileSync(process.env.GSTACK_OUT + '/began', item);
while (item.startsWith('wait') && !existsSync(process.env.GO)) await new Promise((resolve) => setTimeout(resolve, 100));
if (item === 'fails') throw new Error('\\u001b[2Jno <script>alert(1)</script>');
console.log('<img src=x>\\u001b[2J');
console.log(JSON.stringify({ title: gstack('js', 'document.title'), session: process.env.GSTACK_SESSION }));
`;

/** What each item does: it buys and confirms, each once. */
const SHOP = (lamp) => `<!doctype html><title>Shop</title><button data-does="buy">Buy</button><button data-does="confirm">Confirm</button>
<script>document.onclick = async ({ target }) => {
  const { does } = target.dataset;
  await fetch('/' + does + '?${lamp}', { method: 'POST' });
  document.body.append(does === 'buy' ? ' In your cart' : ' Ordered');
};</script>`;
const ORDER = (site) => `flow = 1
parameters.lamp = {}
steps = [
  { act = "goto", url = "${site}shop?{{lamp}}" },
  { act = "click", role = "button", name = "Buy", wait = { text = "In your cart" } },
  { act = "click", role = "button", name = "Confirm", wait = { text = "Ordered" } },
]
`;

describe('a fleet of browsers', { concurrency: false }, () => {
  let home;
  let server;
  let site;
  const posted = [];
  const file = (name, text) => {
    writeFileSync(path.join(home.person, name), text);
    return name;
  };
  const report = (out) => JSON.parse(readFileSync(path.join(home.person, out, 'report.json'), 'utf8'));
  const nothingIsLeft = async () => {
    const running = () => home.processes().map(({ pid, command }) => [pid, ...command.slice(0, 3)]);
    await until(
      () => running().length === 0 && readdirSync(path.join(home.home, 'instances')).length === 0,
      () => `left: ${JSON.stringify(running())} ${readdirSync(path.join(home.home, 'instances'))}`,
      120_000,
    );
  };
  const began = (out, index) =>
    until(
      () => existsSync(path.join(home.person, out, 'items', String(index), 'began')),
      () => `item ${index} did not begin`,
      120_000,
    );
  before(async () => {
    server = createServer((request, response) => {
      if (request.method === 'POST') {
        posted.push(request.url);
        // Its answer never comes: whoever waits for it is killed.
        if (request.url !== '/buy?slow') response.end();
        return;
      }
      response.writeHead(200, { 'content-type': 'text/html' });
      if (request.url.startsWith('/shop?')) return response.end(SHOP(request.url.slice(6)));
      const title = decodeURIComponent(request.url.slice(1)).replaceAll('<', '&lt;');
      response.end(`<!doctype html><title>${title}</title>`);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    site = `http://127.0.0.1:${server.address().port}/`;
    home = new TestHome({ environment: { SITE: site } });
    file('script.mjs', SCRIPT);
  });
  after(async () => {
    server.closeAllConnections();
    server.close();
    await home.stop();
  });

  test('items run over local browsers; hostile items and outputs are only text', { timeout: 400_000 }, async () => {
    const hostile = '<script>alert(1)</script>"; touch x \u001b[2J\u202e';
    const items = [...Array.from({ length: 18 }, (_, index) => `item ${index}`), hostile, 'fails'];
    file('items.json', JSON.stringify(items));
    const { code, stdout, stderr } = await home.run(
      ['run', 'script.mjs', '--items', 'items.json', '--browsers', '4', '--out', 'local'],
      LIMIT,
    );
    assert.equal(code, 1, stderr);
    assert.match(stdout, /19 of 20 items ok, 1 failed/);
    for (const shown of [stdout, stderr]) assert(!shown.includes('\u001b[2J') && !shown.includes('\u202e'));
    const found = report('local');
    assert.deepEqual(found.totals, { items: 20, ok: 19, failed: 1, timedOut: 0, lost: 0, unknown: 0, notRun: 0 });
    assert(found.sessions <= 4);
    for (const one of found.items.slice(0, 19)) assert.match(one.result.title, new RegExp(`t-${one.index}\\b`));
    const html = readFileSync(path.join(home.person, 'local/report.html'), 'utf8');
    assert(!html.includes('<script') && !html.includes('<img') && !html.includes('\u001b') && !html.includes('\u202e'));
    await nothingIsLeft();
  });

  test('a flow fills items into words, and an agent may not run one', { timeout: 200_000 }, async () => {
    file('flow', `# title\ngoto "${site}{{item.title}}"\njs document.title\n`);
    file('lines', '{"title": "one"}\n{"title": "two | js 1"}\n{"other": 1}\n');
    const { stdout, stderr } = await home.run(['run', 'flow', '--items', 'lines', '--out', 'flow-out', '--json'], LIMIT);
    const { items } = JSON.parse(stdout);
    assert.deepEqual(
      items.map(({ outcome }) => outcome),
      ['ok', 'ok', 'failed'],
      stderr,
    );
    assert.match(items[1].output, /two \| js 1/);
    assert.match(items[2].reason, /no item\.title/);
    file('fails-items', `${site}plain\n`);
    file('fails.flow', 'goto {{item}}\nclick "#none"\njs 1\n');
    const failing = await home.run(['run', 'fails.flow', '--items', 'fails-items', '--out', 'fails']);
    const [one] = report('fails').items;
    assert.match(one.reason, /^click: .*#none/, failing.stderr);
    assert.deepEqual(
      one.result.map(({ command, ok }) => [command, ok]),
      [
        ['goto', true],
        ['click', false],
      ],
      'nothing runs after the command that failed',
    );
    await nothingIsLeft();
    const refused = await home.run(['run', 'script.mjs', '--out', 'refused'], { environment: { GSTACK_TOKEN: 'x' } });
    assert.match(refused.stderr, /an agent may not run a fleet of browsers/);
  });

  test('a script that ignores signals and leaves its group ends with its time', { timeout: 200_000 }, async () => {
    const stays = `trap '' TERM; echo $$ >> "$GSTACK_OUT/pids"; while :; do sleep 1; done`;
    writeFileSync(path.join(home.person, 'stays'), `#!/bin/sh\nsetsid sh -c '${stays.replaceAll("'", `'"'"'`)}' &\n${stays}\n`, {
      mode: 0o755,
    });
    file('one', 'x\n');
    await home.run(['run', './stays', '--items', 'one', '--timeout', '4', '--out', 'stays-out'], LIMIT);
    assert.deepEqual(report('stays-out').totals, { items: 1, ok: 0, failed: 0, timedOut: 1, lost: 0, unknown: 0, notRun: 0 });
    const pids = readFileSync(path.join(home.person, 'stays-out/items/0/pids'), 'utf8').trim().split('\n');
    assert.equal(pids.length, 2);
    assert.deepEqual(pids.map(Number).filter(isAlive), [], 'both have ended');
    await nothingIsLeft();
  });

  test('Ctrl-C leaves nothing; after kill -9 --resume runs the rest only', { timeout: 400_000 }, async () => {
    const go = path.join(home.person, 'go');
    const environment = { GO: go };
    file('items', 'first\nwait 1\nlast\n');
    const words = ['run', 'script.mjs', '--items', 'items', '--out'];
    const interrupted = home.start([...words, 'stopped'], { environment });
    const code = new Promise((resolve) => interrupted.once('close', resolve));
    await began('stopped', 1);
    interrupted.kill('SIGINT');
    assert.equal(await code, 130);
    assert.deepEqual(report('stopped').totals, { items: 3, ok: 1, failed: 0, timedOut: 0, lost: 0, unknown: 0, notRun: 2 });
    await nothingIsLeft();

    const killed = home.start([...words, 'killed'], { environment });
    await began('killed', 1);
    killed.kill('SIGKILL');
    const running = () => home.processes().length;
    await until(
      () => running() === 0,
      () => `${running()} processes outlive their run`,
      120_000,
    );
    const journal = path.join(home.person, 'killed/results.jsonl');
    const [first] = readFileSync(journal, 'utf8').split('\n');
    writeFileSync(journal, `${first}\n${first.slice(0, 30)}`);
    file('go', '');
    assert.match(await home.ok(['run', '--resume', 'killed'], { ...LIMIT, environment }), /3 of 3 items ok/);
    assert.equal(readFileSync(journal, 'utf8').split('\n')[0], first);
    assert.equal(readFileSync(journal, 'utf8').trim().split('\n').length, 3);
    await nothingIsLeft();
    file('script.mjs', `${SCRIPT}\n`);
    assert.match((await home.run(['run', '--resume', 'killed'])).stderr, /the flow changed/);
    file('script.mjs', SCRIPT);
  });

  test('a flow does nothing twice for an item, whenever the run is killed', { timeout: 400_000 }, async () => {
    mkdirSync(path.join(home.home, 'flows'), { recursive: true });
    writeFileSync(path.join(home.home, 'flows/order.toml'), ORDER(site));
    file('lamps', 'a\nslow\n{"lamp": "c", "note": 1}\n');
    file('no-lamp', 'a\n{"other": 1}\n');
    const refused = await home.run(['run', 'order', '--items', 'no-lamp', '--out', 'no-lamp-out']);
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /item 2: it has no lamp/);
    assert(!existsSync(path.join(home.person, 'no-lamp-out')), 'nothing was begun');

    const killed = home.start(['run', 'order', '--items', 'lamps', '--out', 'orders']);
    await until(
      () => posted.includes('/buy?slow'),
      () => `posted: ${posted}`,
      120_000,
    );
    killed.kill('SIGKILL');
    await until(
      () => home.processes().length === 0,
      () => `${home.processes().length} processes outlive their run`,
      120_000,
    );
    // As if it had been killed before the first result was on disk.
    file('orders/results.jsonl', '');
    const { code, stderr } = await home.run(['run', '--resume', 'orders'], LIMIT);
    assert.equal(code, 1, stderr);
    const { items, totals } = report('orders');
    assert.deepEqual(totals, { items: 3, ok: 1, failed: 0, timedOut: 0, lost: 0, unknown: 2, notRun: 0 });
    assert.match(items[0].reason, /an earlier attempt did step 3 .*Confirm/);
    assert.match(items[1].reason, /an earlier attempt may have done step 2 .*Buy/);
    assert.equal(items[2].result.steps.length, 3);
    assert.deepEqual(posted, ['/buy?a', '/confirm?a', '/buy?slow', '/buy?c', '/confirm?c']);
    await nothingIsLeft();
    assert.match((await home.run(['run', '--resume', 'orders'], LIMIT)).stdout, /1 of 3 items ok, 2 unknown/);
    assert.equal(posted.length, 5, 'an unknown item is not run again by itself');
  });

  test('a killed node loses no result and is named', { timeout: 400_000 }, async (t) => {
    const grid = await new GridDouble({ nodes: 2, queue: 1000 }).start();
    t.after(() => grid.stop());
    const go = path.join(home.person, 'go-grid');
    file('grid-items', 'a\nb\nwait c\nd\ne\n');
    const words = ['run', 'script.mjs', '--items', 'grid-items', '--browsers', '2', '--grid', grid.url, '--out', 'grid'];
    const child = home.start(words, { environment: { GO: go } });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (said += data));
    const code = new Promise((resolve) => child.once('close', resolve));
    await began('grid', 2);
    const session = readFileSync(path.join(home.person, 'grid/items/2/began'), 'utf8');
    assert.equal(session, 'wait c');
    // The item that waits is the only one that can still run when the others are finished.
    await until(
      () => /\[4\/5\]/.test(said),
      () => said,
      120_000,
    );
    // The other session has ended, so the node that is left runs the item.
    const inUse = () => grid.nodes.filter((node) => node.session);
    await until(
      () => inUse().length === 1,
      () => said,
      120_000,
    );
    const [busy] = inUse();
    const lost = busy.session;
    busy.kill();
    file('go-grid', '');
    assert.equal(await code, 0, said);
    const found = report('grid');
    assert.deepEqual(found.totals, { items: 5, ok: 5, failed: 0, timedOut: 0, lost: 0, unknown: 0, notRun: 0 });
    assert.deepEqual(
      found.lost.map(({ index, node }) => [index, node]),
      [[2, busy.uri]],
      JSON.stringify(found.lost),
    );
    await nothingIsLeft();
    assert.deepEqual(
      grid.created.filter((one) => one !== lost && !grid.deleted.includes(one)),
      [],
    );
  });

  test('a run of more browsers than the grid has says that it waits', { timeout: 300_000 }, async (t) => {
    const grid = await new GridDouble({ nodes: 1, queue: 500 }).start();
    t.after(() => grid.stop());
    const go = path.join(home.person, 'go-full');
    file('full-items', 'wait 1\nx\ny\n');
    const child = home.start(['run', 'script.mjs', '--items', 'full-items', '--browsers', '2', '--grid', grid.url, '--out', 'full'], {
      environment: { GO: go },
    });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (said += data));
    const code = new Promise((resolve) => child.once('close', resolve));
    await until(
      () => /Waiting for the Grid: every browser/.test(said),
      () => said,
      120_000,
    );
    file('go-full', '');
    assert.equal(await code, 0, said);
    assert.equal(report('full').totals.ok, 3);
    await nothingIsLeft();
    assert.deepEqual([...grid.deleted].sort(), [...grid.created].sort());
  });
});
