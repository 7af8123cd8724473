/*
 * The sessions of `gstack run`: how many it asks for and has at once, what it reports of a lost one, and that each one that
 * the Grid creates is given back.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { WebSocketServer } from 'ws';
import { TestHome } from './harness/home.mjs';
import { Double, foreignBrowser } from './harness/remote.mjs';
import { until } from './harness/wait.mjs';

const LIMIT = 240_000;
const NODE = 'http://node1.internal:5555';
/** Uses its session's browser. `wait` stays until the test says go on, `dies` kills its daemon unless that is mended. */
const SCRIPT = `#!/bin/sh
gstack js 6*7 >"$GSTACK_OUT/answer" || exit 1
echo "$GSTACK_SESSION" >"$GSTACK_OUT/session.new"
mv "$GSTACK_OUT/session.new" "$GSTACK_OUT/session"
case $GSTACK_ITEM in
  wait*) while [ ! -e "$GO" ]; do sleep 0.2; done ;;
  dies) if [ ! -e "$GO" ]; then kill -9 "$(gstack status --json | grep -o '"pid": *[0-9]*' | grep -o '[0-9]*')"; exit 1; fi ;;
  *fails*) echo "<b>no</b>" >&2; exit 3 ;;
esac
cat "$GSTACK_OUT/answer"
`;

/**
 * A Selenium Grid whose sessions are all connections to one real browser, so that there can be many. A request that is cut off
 * gets no session, as on the real one.
 */
class WideGrid {
  created = [];
  deleted = [];
  /** The unanswered requests for a session, which wait until the test answers them or a slot is free. */
  asking = [];
  /** What a request found when it arrived: how many were unanswered with it, and how many sessions there were. */
  arrivals = [];
  cut = 0;
  mostSessions = 0;
  /** Answers requests for a session by itself. */
  answers = true;
  /** Set by a test: what happens to `GET /status` and to `DELETE`, and where a session's DevTools is. */
  onStatus = () => undefined;
  onDelete = () => undefined;
  devtools = (_session) => this.websocket;

  constructor(websocket, slots) {
    Object.assign(this, { websocket, slots });
    this.http = new Double({
      keepsOpen: true,
      serve: (request) => this.#serve(request),
      target: ({ url }) => {
        const session = /^\/session\/([^/]+)\/se\/cdp$/.exec(url)?.[1];
        return this.sessions.includes(session) ? this.devtools(session) : 404;
      },
    });
  }

  async start() {
    await this.http.start();
    this.url = this.http.origin;
    return this;
  }

  get sessions() {
    return this.created.filter((session) => !this.deleted.includes(session));
  }

  async #serve(request) {
    const failure = (status, error) => [status, { value: { error, message: error, stacktrace: '' } }];
    if (request.url === '/status') {
      await this.onStatus();
      const slots = Array.from({ length: this.slots }, (_, at) => ({
        session: this.sessions[at] ? { sessionId: this.sessions[at] } : null,
      }));
      return [200, { value: { ready: true, nodes: [{ uri: NODE, availability: 'UP', slots }] } }];
    }
    if (request.method === 'POST' && request.url === '/session') return this.#create(request, failure);
    const session = /^\/session\/([^/]+)/.exec(request.url)?.[1];
    if (!this.sessions.includes(session)) return failure(404, 'invalid session id');
    if (request.method !== 'DELETE') return [200, { value: null }];
    if (this.onDelete(session) === 'refused') return failure(500, 'unknown error');
    this.deleted.push(session);
    this.#assign();
    return [200, { value: null }];
  }

  /** Gives the free slots to the requests that have waited longest. */
  #assign() {
    while (this.answers && this.asking.length > 0 && this.sessions.length < this.slots) this.answer();
  }

  /** Creates a session for the request that has waited longest. */
  answer() {
    const session = randomUUID();
    this.created.push(session);
    this.mostSessions = Math.max(this.mostSessions, this.sessions.length);
    this.asking.shift().settle(session);
  }

  /** Refuses every request that waits, as a full Grid does in the end. */
  refuseAll() {
    for (const one of this.asking.splice(0)) one.settle(undefined);
  }

  async #create(request, failure) {
    const asked = {};
    this.asking.push(asked);
    this.arrivals.push({ asking: this.asking.length, sessions: this.sessions.length });
    const answered = new Promise((resolve) => (asked.settle = resolve));
    request.socket.once('close', () => {
      if (!this.asking.includes(asked)) return;
      this.asking = this.asking.filter((one) => one !== asked);
      this.cut += 1;
      asked.settle(undefined);
    });
    this.#assign();
    const session = await answered;
    if (!session) return failure(500, 'session not created');
    return [200, { value: { sessionId: session, capabilities: { 'se:cdp': `ws://hub.internal.invalid:4444/session/${session}/se/cdp` } } }];
  }

  stop() {
    this.http.stop();
  }
}

describe('the sessions of a fleet', { concurrency: false }, () => {
  let browser;
  let home;
  const file = (name, text, mode = 0o644) => {
    writeFileSync(path.join(home.person, name), text, { mode });
    return name;
  };
  const instances = () => readdirSync(path.join(home.home, 'instances'));
  const gridOf = async (t, slots) => {
    const grid = await new WideGrid(browser.websocket, slots).start();
    t.after(() => grid.stop());
    return grid;
  };
  /** Starts a run on the Grid; returns `{ child, code, said, place, report(), waits(look), began(index), goOn() }`. */
  const run = (t, name, grid, items, words) => {
    const go = path.join(home.person, `${name}.go`);
    const place = (...parts) => path.join(home.person, name, ...parts);
    const all = ['run', './script', '--items', file(`${name}.items`, JSON.stringify(items)), '--grid', grid.url, '--out', name, ...words];
    const child = home.start(all, { environment: { GO: go } });
    // A test that has failed leaves its run to nobody else.
    t.after(() => child.kill('SIGKILL'));
    const found = { child, said: '', place, environment: { GO: go } };
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (found.said += data));
    found.code = new Promise((resolve) => child.once('close', resolve));
    const ended = () => child.exitCode !== null && Promise.reject(new Error(`the run ended: ${found.said}`));
    found.waits = (look, limit = LIMIT) =>
      until(
        async () => (await look()) || ended(),
        () => `${name}: ${found.said}\nasking ${grid.asking.length}, sessions ${grid.sessions.length}`,
        limit,
      );
    found.began = (index) => existsSync(place('items', String(index), 'session'));
    found.report = () => JSON.parse(readFileSync(place('report.json'), 'utf8'));
    found.goOn = () => file(`${name}.go`, '');
    return found;
  };
  const nothingIsLeft = () =>
    until(
      () => home.processes().length === 0 && instances().length === 0,
      () => `left: ${instances()} ${JSON.stringify(home.processes().map(({ pid, command }) => [pid, ...command.slice(0, 3)]))}`,
    );
  /** Asserts that the Grid got every session back. Nothing of gstack runs any more that could still do it. */
  const allAreGivenBack = async (grid) => {
    await nothingIsLeft();
    assert.deepEqual(grid.sessions, [], `sessions are left on the Grid of ${grid.created.length}`);
  };

  before(async () => {
    browser = await foreignBrowser();
    home = new TestHome();
    file('script', SCRIPT, 0o755);
  });
  after(async () => {
    assert.deepEqual(await home?.stop(), [], 'nothing is left behind');
    await browser?.end();
  });

  test('twenty sessions open two at a time at first, then four, then eight; all work at once and are given back', async (t) => {
    const grid = await gridOf(t, 20);
    grid.answers = false;
    const items = Array.from({ length: 25 }, (_, index) => (index < 20 ? `wait ${index}` : 'x'));
    const many = run(t, 'many', grid, items, ['--browsers', '20']);
    // Each worker has made its home, and most of them wait for their turn.
    await many.waits(() => existsSync(path.join(home.home, 'instances')) && instances().length === 20);
    let opened = 0;
    for (const wave of [2, 4, 8, 6]) {
      await many.waits(() => grid.asking.length >= wave);
      assert.equal(grid.asking.length, wave, `asked for at once when ${opened} were open`);
      assert.equal(home.processes('daemon').length, opened + wave, 'a session starts its daemon when it is its turn');
      for (let each = 0; each < wave; each += 1) grid.answer();
      opened += wave;
    }
    const indices = Array.from({ length: 20 }, (_, index) => index);
    await many.waits(() => indices.every(many.began));
    assert.equal(grid.sessions.length, 20);
    const sessions = indices.map((index) => readFileSync(many.place('items', String(index), 'session'), 'utf8').trim());
    assert.deepEqual([...new Set(sessions)].sort(), instances().sort(), 'each item runs in a session of its own');
    many.goOn();
    assert.equal(await many.code, 0, many.said);
    const { totals, sessions: count, items: found } = many.report();
    assert.deepEqual(totals, { items: 25, ok: 25, failed: 0, timedOut: 0, lost: 0, unknown: 0, notRun: 0 });
    assert.deepEqual([...new Set(found.map(({ result }) => result))], [42]);
    assert.deepEqual([count, grid.created.length, grid.mostSessions], [20, 20, 20], 'later items run in the sessions that are open');
    await allAreGivenBack(grid);
  });

  test('Ctrl-C with twenty sessions leaves none', async (t) => {
    const grid = await gridOf(t, 20);
    const items = Array.from({ length: 20 }, (_, index) => `wait ${index}`);
    const stopped = run(t, 'stopped', grid, items, ['--browsers', '20']);
    await stopped.waits(() => items.every((_, index) => stopped.began(index)));
    assert.equal(grid.sessions.length, 20);
    stopped.child.kill('SIGINT');
    assert.equal(await stopped.code, 130, stopped.said);
    const { interrupted, totals, left } = stopped.report();
    assert.deepEqual([interrupted, totals.notRun, left], [true, 20, undefined]);
    await allAreGivenBack(grid);
  });

  test('a full Grid is asked by each free worker once at a time, again after it refused, and by none when no item waits', async (t) => {
    const grid = await gridOf(t, 2);
    const full = run(t, 'full', grid, ['wait 1', 'wait 2', 'x', 'x', 'x', 'x'], ['--browsers', '5']);
    await full.waits(() => [0, 1].every(full.began) && grid.asking.length === 3);
    for (const times of [1, 2]) {
      grid.refuseAll();
      await full.waits(() => grid.asking.length === 3);
      assert.equal(full.said.match(/Waiting for the Grid: every browser/g)?.length, 1, `said once, refused ${times} times: ${full.said}`);
    }
    assert.equal(grid.created.length, 2);
    full.goOn();
    assert.equal(await full.code, 0, full.said);
    const { totals, sessions, failure } = full.report();
    assert.deepEqual([totals.ok, sessions, failure], [6, 2, undefined]);
    const most = Math.max(...grid.arrivals.map(({ asking, sessions: open }) => asking + open));
    assert.equal(most, 5, 'the sessions and the requests for one are never more than the browsers that were asked for');
    await allAreGivenBack(grid);
    await until(
      () => grid.cut === 3,
      () => `${grid.cut} requests were withdrawn, ${grid.asking.length} wait`,
    );
    assert.equal(grid.created.length, 2);
  });

  /** Runs two items whose second session is still opening when the first one takes the last item. */
  const isNotNeeded = async (t, name, grid, isOpening) => {
    grid.answers = false;
    const short = run(t, name, grid, ['wait', 'x'], ['--browsers', '2']);
    await short.waits(() => grid.asking.length === 2);
    grid.answer();
    await short.waits(() => short.began(0));
    return async () => {
      grid.answer();
      await short.waits(isOpening);
      short.goOn();
      assert.equal(await short.code, 0, short.said);
      const { totals, sessions } = short.report();
      assert.deepEqual([totals.ok, sessions], [2, 1]);
      assert.equal(grid.created.length, 2);
      await allAreGivenBack(grid);
    };
  };

  test('a session that is not needed any more while its node is looked up is given back', async (t) => {
    const grid = await gridOf(t, 2);
    let isAsked = false;
    const goesOn = await isNotNeeded(t, 'looked-up', grid, () => isAsked);
    // Only the session that is created next asks for the state.
    grid.onStatus = () => {
      isAsked = true;
      return new Promise(() => {});
    };
    await goesOn();
  });

  test('a session that is not needed any more while its browser is connected is given back', async (t) => {
    const grid = await gridOf(t, 2);
    const silent = new WebSocketServer({ host: '127.0.0.1', port: 0 });
    t.after(() => silent.close());
    let isConnected = false;
    silent.on('connection', () => (isConnected = true));
    const goesOn = await isNotNeeded(t, 'connected', grid, () => isConnected);
    grid.devtools = () => `ws://127.0.0.1:${silent.address().port}/`;
    await goesOn();
  });

  test('an item that loses each of its sessions is lost after its retries, is reported, and runs again with --resume', async (t) => {
    const grid = await gridOf(t, 2);
    const items = ['<script>alert("item")</script>', 'dies', '<img src=x> fails', { name: 'x & y' }];
    const lost = run(t, 'lost', grid, items, ['--browsers', '2', '--retries', '1']);
    assert.equal(await lost.code, 1, lost.said);
    assert.match(lost.said, /2 of 4 items ok, 1 failed, 1 lost/);
    const report = lost.report();
    assert.deepEqual(report.totals, { items: 4, ok: 2, failed: 1, timedOut: 0, lost: 1, unknown: 0, notRun: 0 });
    assert.deepEqual(
      report.items.map(({ index, item, outcome, exit, node }) => [index, item, outcome, exit, node]),
      [
        [0, items[0], 'ok', 0, NODE],
        [1, items[1], 'lost', 1, NODE],
        [2, items[2], 'failed', 3, NODE],
        [3, items[3], 'ok', 0, NODE],
      ],
    );
    assert.equal(report.items[2].reason.trim(), '<b>no</b>');
    assert.deepEqual(
      report.lost.map(({ index, node, reason }) => [index, node, /its daemon ended/.test(reason)]),
      Array(2).fill([1, NODE, true]),
      'once, and once again',
    );
    const sessions = report.lost.map(({ session }) => session);
    assert.equal(new Set(sessions).size, 2, 'each time in another session');
    for (const session of sessions) assert.match(lost.said, new RegExp(`lost session ${session} on ${NODE}.* in item 2: its daemon ended`));

    const html = readFileSync(lost.place('report.html'), 'utf8');
    assert.doesNotMatch(html, /<script|<img|<b>/);
    const shown = (text) => text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&');
    const rows = [...html.matchAll(/<tr><td>(\d+)<td>(.*?)<td><span class="\w+">([\w ]+)<\/span>(.*)/g)];
    assert.deepEqual(
      rows.map(([, number, item, outcome]) => [number, shown(item), outcome]),
      [
        ['1', items[0], 'ok'],
        ['2', 'dies', 'lost'],
        ['3', items[2], 'failed'],
        ['4', JSON.stringify(items[3]), 'ok'],
      ],
    );
    for (const session of sessions) assert.match(rows[1][4], new RegExp(`lost session ${session} on ${NODE}.*its daemon ended`));
    assert.match(html, /&lt;b&gt;no&lt;\/b&gt;/);
    await allAreGivenBack(grid);

    lost.goOn();
    const { code, stdout } = await home.run(['run', '--resume', 'lost'], { environment: lost.environment });
    assert.equal(code, 1, 'the item that failed is not run again');
    assert.match(stdout, /3 of 4 items ok, 1 failed$/m);
    assert.deepEqual(
      lost.report().items.map(({ outcome }) => outcome),
      ['ok', 'ok', 'failed', 'ok'],
    );
    await allAreGivenBack(grid);
  });

  test('a session that the Grid does not end is tried again, named in the report, and ended by --resume', async (t) => {
    const grid = await gridOf(t, 2);
    const refused = [];
    grid.onDelete = (session) => (session === grid.created[0] ? (refused.push(session), 'refused') : undefined);
    const stays = run(t, 'stays', grid, ['x', 'y'], ['--fresh']);
    await stays.waits(() => /Waiting for sessions to end on another machine; Ctrl-C stops waiting/.test(stays.said));
    const before = refused.length;
    await stays.waits(() => refused.length > before);
    assert.deepEqual(grid.sessions, [grid.created[0]], 'the other one is given back');
    stays.child.kill('SIGINT');
    assert.equal(await stays.code, 130, stays.said);
    const { totals, left } = stays.report();
    assert.deepEqual([totals.ok, left.length], [2, 1]);
    const named = `session ${grid.created[0]} at ${grid.url} was not released: .*500`;
    for (const text of [left[0], stays.said, readFileSync(stays.place('report.html'), 'utf8')]) assert.match(text, new RegExp(named));
    assert.match(stays.said, /To end what is left: gstack run --resume/);
    assert.equal(instances().length, 1, 'it is not forgotten');

    grid.onDelete = () => undefined;
    const { stdout } = await home.run(['run', '--resume', 'stays'], { environment: stays.environment });
    assert.match(stdout, /2 of 2 items ok$/m);
    assert.equal(stays.report().left, undefined);
    await allAreGivenBack(grid);
  });

  test('--resume takes no options that the run already has', async () => {
    for (const option of [['--fresh'], ['--headed'], ['--timeout', '9'], ['--retries', '1']]) {
      const { code, stderr } = await home.run(['run', '--resume', 'x', ...option]);
      assert.equal(code !== 0 && /cannot be used with/.test(stderr), true, stderr);
    }
  });

  test('with --retries 0 a lost item is not run again', async (t) => {
    const grid = await gridOf(t, 1);
    const once = run(t, 'once', grid, ['dies', 'x'], ['--retries', '0']);
    assert.equal(await once.code, 1, once.said);
    const { items, lost } = once.report();
    assert.deepEqual(
      items.map(({ outcome }) => outcome),
      ['lost', 'ok'],
    );
    assert.equal(lost.length, 1);
    await allAreGivenBack(grid);
  });
});
