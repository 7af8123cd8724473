/*
 * The options of `gstack run` that say which browsers it uses: new ones for each item, windows, a DevTools address, a hosted
 * service. Sessions share nothing.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Display, noDisplay } from './harness/display.mjs';
import { TestHome } from './harness/home.mjs';
import { Double, foreignBrowser } from './harness/remote.mjs';
import { until } from './harness/wait.mjs';

const LIMIT = { limit: 240_000 };
const SECRET = 'hunter2-f00dfeed';
/**
 * Reads what the site has stored in the browser, stores its item there and, if it waits for the test, reads once more. `dies`
 * kills its session's daemon the first time.
 */
const SCRIPT = `import { execFileSync } from 'node:child_process';
import { existsSync, renameSync, writeFileSync } from 'node:fs';
const gstack = (...words) => execFileSync('gstack', words, { encoding: 'utf8' });
const { GSTACK_ITEM: item, GSTACK_OUT: out, GSTACK_SESSION: session, GO, OPEN, SITE } = process.env;
gstack(OPEN ?? 'goto', SITE + encodeURIComponent(item));
const stored = () => gstack('js', '[document.cookie, localStorage.kept ?? ""].join("|")').trim();
const before = stored();
gstack('js', 'document.cookie = "kept=" + document.title + ";max-age=3600"; localStorage.kept = document.title');
writeFileSync(out + '/began.new', session);
renameSync(out + '/began.new', out + '/began');
while (item.startsWith('wait') && !existsSync(GO)) await new Promise((resolve) => setTimeout(resolve, 100));
if (item === 'dies' && !existsSync(out + '/died')) {
  writeFileSync(out + '/died', '');
  process.kill(JSON.parse(gstack('status', '--json')).pid, 'SIGKILL');
  throw new Error('its daemon is killed');
}
console.log(JSON.stringify({ session, before, after: stored(), title: gstack('js', 'document.title').trim() }));
`;

describe('the browsers of a fleet', { concurrency: false }, () => {
  let browser;
  let home;
  let server;
  const file = (name, text) => {
    writeFileSync(path.join(home.person, name), text);
    return name;
  };
  const at = (...parts) => path.join(home.person, ...parts);
  const instances = () => readdirSync(path.join(home.home, 'instances'));
  const report = (out) => JSON.parse(readFileSync(at(out, 'report.json'), 'utf8'));
  const words = (out, items, more) => ['run', 'script.mjs', '--items', file(`${out}.items`, JSON.stringify(items)), '--out', out, ...more];
  /** Starts a run; returns `{ code, said, begin(count), goOn() }`. */
  const start = (t, out, items, more, environment = {}) => {
    const child = home.start(words(out, items, more), { environment: { GO: at(`${out}.go`), ...environment } });
    t.after(() => child.kill('SIGKILL'));
    const found = { said: '' };
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (found.said += data));
    found.code = new Promise((resolve) => child.once('close', resolve));
    const hasFailed = () => child.exitCode !== null || /^\[\d+\/\d+\] (?!ok )/m.test(found.said);
    const failed = () => hasFailed() && Promise.reject(new Error(`an item or the run ended: ${found.said}`));
    const hasBegun = (index) => existsSync(at(out, 'items', String(index), 'began'));
    found.begin = (count) =>
      until(
        () => Array.from({ length: count }, (_, index) => index).every(hasBegun) || failed(),
        () => `not begun: ${found.said}`,
        LIMIT.limit,
      );
    found.goOn = () => file(`${out}.go`, '');
    return found;
  };
  const nothingIsLeft = () =>
    until(
      () => home.processes().length === 0 && instances().length === 0,
      () => `left: ${instances()} ${JSON.stringify(home.processes().map(({ pid, command }) => [pid, ...command.slice(0, 3)]))}`,
    );

  before(async () => {
    server = createServer((request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      response.end(`<!doctype html><title>${decodeURIComponent(request.url.slice(1))}</title>`);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    browser = await foreignBrowser();
    home = new TestHome({ environment: { SITE: `http://127.0.0.1:${server.address().port}/` } });
    file('script.mjs', SCRIPT);
    mkdirSync(home.home, { mode: 0o700 });
  });
  after(async () => {
    assert.deepEqual(await home?.stop(), [], 'nothing is left behind');
    await browser?.end();
    server?.closeAllConnections();
    server?.close();
  });

  test('sessions share no home, cookies or storage; items of one session do', { timeout: 400_000 }, async (t) => {
    const items = ['wait 1', 'wait 2', 'x', 'y'];
    const run = start(t, 'apart', items, ['--browsers', '2']);
    await run.begin(2);
    const open = instances();
    assert.equal(open.length, 2);
    for (const name of open) assert.ok(existsSync(path.join(home.home, 'instances', name, 'chromium-profile')), `${name} has its profile`);
    run.goOn();
    assert.equal(await run.code, 0, run.said);
    const results = report('apart').items.map(({ result }) => result);
    const stored = (item) => `kept=${item}|${item}`;
    assert.deepEqual(
      results.slice(0, 2).map(({ before, after: left }) => [before, left]),
      [
        ['|', stored('wait 1')],
        ['|', stored('wait 2')],
      ],
      'neither sees what the other one has stored',
    );
    assert.deepEqual(
      results
        .map(({ session }) => session)
        .slice(0, 2)
        .sort(),
      open.sort(),
    );
    // An item sees what the one before it in its session has stored.
    for (const [index, { session, before }] of results.entries()) {
      if (index < 2) continue;
      const sharing = items.filter((_, other) => other !== index && results[other].session === session).map(stored);
      assert.ok(sharing.includes(before), `${items[index]} found ${before}, not one of ${sharing}`);
    }
    await nothingIsLeft();
  });

  test('with --fresh each item has a new session, and finished results are not overwritten', { timeout: 400_000 }, async () => {
    assert.match(await home.ok(words('fresh', ['x', 'y', 'z'], ['--fresh']), LIMIT), /3 of 3 items ok/);
    const { items, sessions } = report('fresh');
    assert.deepEqual(
      items.map(({ result }) => result.before),
      ['|', '|', '|'],
    );
    assert.equal(sessions, 3);
    assert.equal(new Set(items.map(({ session }) => session)).size, 3);
    const results = readFileSync(at('fresh/results.jsonl'), 'utf8');
    const again = await home.run(words('fresh', ['x', 'y', 'z'], ['--fresh']), LIMIT);
    assert.equal(again.code !== 0 && /fresh has a run already/.test(again.stderr) && /--resume/.test(again.stderr), true, again.stderr);
    assert.equal(readFileSync(at('fresh/results.jsonl'), 'utf8'), results);
    await nothingIsLeft();
  });

  test('with --headed the browsers have windows, and without it none', { timeout: 400_000, skip: noDisplay }, async (t) => {
    const display = await Display.open();
    t.after(() => display.close());
    const screen = { DISPLAY: display.name };
    const flags = () => home.processes('browser').map(({ command }) => command.filter((one) => one.startsWith('--headless')));
    const headed = start(t, 'headed', ['wait 1', 'wait 2'], ['--browsers', '2', '--headed'], screen);
    await headed.begin(2);
    assert.deepEqual(flags(), [[], []]);
    for (const title of ['wait 1', 'wait 2']) {
      await until(() => display.x('search', '--onlyvisible', '--name', title).catch(() => ''), `no window ${title}`);
    }
    headed.goOn();
    assert.equal(await headed.code, 0, headed.said);
    await nothingIsLeft();

    const hidden = start(t, 'hidden', ['wait 1'], [], screen);
    await hidden.begin(1);
    assert.deepEqual(flags(), [['--headless=new']]);
    assert.equal(await display.x('search', '--onlyvisible', '--name', 'wait 1').catch(() => ''), '');
    hidden.goOn();
    assert.equal(await hidden.code, 0, hidden.said);
    await nothingIsLeft();
  });

  test('--cdp: the sessions work in tabs of one browser, which stays open', { timeout: 300_000 }, async (t) => {
    const run = start(t, 'cdp', ['wait 1', 'wait 2', 'x'], ['--browsers', '2', '--cdp', browser.websocket], { OPEN: 'newtab' });
    await run.begin(2);
    assert.deepEqual(home.processes('browser'), [], 'no other browser is started');
    run.goOn();
    assert.equal(await run.code, 0, run.said);
    const { items, sessions } = report('cdp');
    assert.equal(sessions, 2);
    assert.deepEqual(
      items.map(({ result }) => result.title),
      ['wait 1', 'wait 2', 'x'],
      'each in a tab of its own',
    );
    assert.equal(items[2].result.after, 'kept=x|x');
    await nothingIsLeft();
    const { host } = new URL(browser.websocket);
    assert.equal((await fetch(`http://${host}/json/version`)).status, 200);
  });

  test('an address that is none ends the run at once, and a browser elsewhere has no windows here', { timeout: 300_000 }, async () => {
    const { code, stderr } = await home.run(words('none', ['x', 'y'], ['--browsers', '2', '--cdp', 'nonsense']), LIMIT);
    assert.equal(code, 1);
    assert.match(stderr, /nonsense.*neither an address nor the name of an endpoint/);
    const { totals, failure, sessions } = report('none');
    assert.deepEqual([totals.notRun, sessions], [2, 0]);
    assert.match(failure, /neither an address nor the name/);
    await nothingIsLeft();
    for (const elsewhere of [
      ['--cdp', browser.websocket],
      ['--grid', 'http://127.0.0.1:9'],
      ['--provider', 'steel'],
    ]) {
      const refused = await home.run(words('both', ['x'], ['--headed', ...elsewhere]), LIMIT);
      assert.match(refused.stderr, /cannot be used with/, elsewhere.join(' '));
    }
    assert.ok(!existsSync(at('both')));
  });

  /** A hosted service as Steel documents it, whose sessions are connections to one browser. */
  const service = async (t) => {
    const found = { created: [], released: [] };
    const double = await new Double({
      serve: ({ method, url, headers }) => {
        if (headers['steel-api-key'] !== SECRET) return [401, { message: 'no' }];
        const id = /^\/v1\/sessions\/([^/]+)\/release$/.exec(url)?.[1];
        if (method === 'POST' && id) return (found.released.push(id), [200, { success: true }]);
        if (method !== 'POST' || url !== '/v1/sessions') return [404, {}];
        const session = `s-${found.created.length + 1}`;
        found.created.push(session);
        return [200, { id: session, status: 'live', websocketUrl: `ws://127.0.0.1:${double.port}/?sessionId=${session}` }];
      },
      target: ({ url }) => (new URL(url, 'http://x').searchParams.get('apiKey') === SECRET ? browser.websocket : 401),
    }).start();
    t.after(() => double.stop());
    writeFileSync(path.join(home.home, 'config.toml'), `[browser.endpoints.steel]\nurl = "${double.origin}"\n`, { mode: 0o600 });
    return found;
  };
  /** The key, and a tab for each item: the sessions share a browser. */
  const given = { STEEL_API_KEY: SECRET, OPEN: 'newtab' };
  /** Returns the files of a run that hold the key. */
  const holding = (folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((one) => one.isFile() && readFileSync(path.join(one.parentPath, one.name), 'latin1').includes(SECRET))
      .map(({ name }) => name);

  test('--provider: each session is released, that of a killed daemon too, and the key is not kept', { timeout: 300_000 }, async (t) => {
    const hosted = await service(t);
    const run = start(t, 'hosted', ['wait 1', 'wait 2', 'x'], ['--browsers', '2', '--provider', 'steel'], given);
    await run.begin(2);
    assert.deepEqual([hosted.created, hosted.released], [['s-1', 's-2'], []]);
    assert.deepEqual(holding(path.join(home.home, 'instances')), [], 'a session keeps the key');
    run.goOn();
    assert.equal(await run.code, 0, run.said);
    assert.deepEqual(report('hosted').totals, { items: 3, ok: 3, failed: 0, timedOut: 0, lost: 0, unknown: 0, notRun: 0 });
    await nothingIsLeft();
    assert.deepEqual(hosted.released.sort(), ['s-1', 's-2']);
    assert.ok(existsSync(at('hosted/run.json')) && !run.said.includes(SECRET));
    assert.deepEqual(holding(at('hosted')), []);
    const killed = start(t, 'killed', ['dies', 'x'], ['--provider', 'steel'], given);
    assert.equal(await killed.code, 0, killed.said);
    assert.match(killed.said, /lost .*: item 1: its daemon ended/);
    await nothingIsLeft();
    assert.deepEqual([hosted.created.length, hosted.released.sort()], [4, ['s-1', 's-2', 's-3', 's-4']], 'that of the killed daemon too');
    const without = await home.run(words('keyless', ['x'], ['--provider', 'steel']), LIMIT);
    assert.equal(without.code, 1);
    assert.match(without.stderr, /there is no API key for/);
    assert.equal(hosted.created.length, 4);
    await nothingIsLeft();
  });
});
