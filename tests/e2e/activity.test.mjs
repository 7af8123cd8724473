/* The activity in the browser, as scripts and the terminal see it, and the data that it must never contain. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Api } from './harness/api.mjs';
import { TestHome } from './harness/home.mjs';
import { Site } from './harness/site.mjs';
import { until, within } from './harness/wait.mjs';

/** Typed, sent or set in these tests; must not appear anywhere afterwards. */
const SECRETS = [
  'hunter2-typed',
  'hunter2-filled',
  'hunter2-cookie',
  'hunter2-header',
  'hunter2-stored',
  'hunter2-query',
  'hunter2-user',
  'hunter2-script',
  'hunter2-chained',
];

describe('the activity', () => {
  let home;
  let site;
  let api;
  before(async () => {
    home = new TestHome({ port: false, environment: { GSTACK_LOG: 'gstack=trace' } });
    site = await Site.start();
    await home.ok(['goto', `${site.origin}/form`]);
    api = new Api(home);
  });
  after(async () => {
    await site.stop();
    assert.deepEqual(await home.stop(), [], 'no process had to be forced');
  });
  const history = async (query = '') => (await api.get(`/activity/history${query}`)).body;
  const newest = async () => (await history()).entries.at(-1);

  test('says who did what, in which tab, for how long and with what result', async () => {
    const [first] = (await history()).entries;
    assert.deepEqual(
      { ...first, at: 0, durationMs: 0, tabId: 0 },
      {
        id: 1,
        at: 0,
        source: 'terminal',
        tabId: 0,
        command: 'goto',
        args: [`${site.origin}/form`],
        outcome: 'ok',
        durationMs: 0,
        result: `Navigated to ${site.origin}/form (200)`,
      },
    );
    await api.run('click', ['#nothing', '--timeout', '100']);
    const failed = await newest();
    assert.deepEqual([failed.source, failed.command, failed.outcome], ['http', 'click', 'failed']);
    assert.match(failed.result, /#nothing did not appear/);
    await api.ok('text');
    assert.equal((await newest()).result, undefined, 'what a page says is not in it');
    assert.equal((await api.run('nonsense')).status, 404);
    assert.deepEqual([(await newest()).command, (await newest()).outcome], ['nonsense', 'failed']);
  });

  test('leaves secrets out, in the log too', async () => {
    const calls = [
      ['fill', '#name', 'hunter2-filled'],
      ['type', 'hunter2-typed'],
      ['cookie', 'sid=hunter2-cookie'],
      ['header', 'X-Key: hunter2-header'],
      ['storage', 'set', 'note', 'hunter2-stored'],
      ['goto', `${site.origin}/form?token=hunter2-query&page=2`],
      ['goto', `http://me:hunter2-user@${new URL(site.origin).host}/form`],
      ['js', `fetch('/x?api_key=hunter2-script').then(() => 1)`],
      ['chain', `fill #name hunter2-chained | type hunter2-chained`],
      // These fail, and their errors must not contain it.
      ['select', '#size', 'hunter2-filled'],
      ['fill', '#nothing', 'hunter2-filled', '--timeout', '100'],
      ['goto', 'http://127.0.0.1:1/?password=hunter2-query'],
      ['cookie', 'hunter2-cookie'],
    ];
    for (const call of calls) await home.run(call);
    for (const [command, ...args] of calls) await api.run(command, args);
    const kept = JSON.stringify(await history());
    assert.match(kept, /page=2/, 'what is no secret stays');
    const printed = await home.ok(['activity']);
    const log = readFileSync(path.join(home.home, 'daemon.log'), 'utf8');
    for (const secret of SECRETS) {
      assert.doesNotMatch(kept, new RegExp(secret));
      assert.doesNotMatch(printed, new RegExp(secret));
      assert.doesNotMatch(log, new RegExp(secret));
    }
  });

  test('streams each command as it begins and ends, and goes on where a reader left off', async () => {
    const { entries } = await history();
    const last = entries.at(-1).id;
    const stream = await api.events(`/activity/stream?after=${last}`);
    assert.match(stream.type, /^text\/event-stream/);
    await api.ok('url');
    const { value: began } = await within(stream.list.next(), 'no event of a beginning');
    const { value: ended } = await within(stream.list.next(), 'no event of an end');
    assert.deepEqual([began.event, began.data.id, began.data.outcome], ['activity', last + 1, 'running']);
    assert.deepEqual([ended.data.id, ended.data.outcome, ended.id], [last + 1, 'ok', last + 1]);
    stream.close();
    await api.ok('url');
    const again = await api.events('/activity/stream', { 'last-event-id': String(ended.id) });
    const { value: missed } = await within(again.list.next(), 'what happened meanwhile is not told');
    assert.equal(missed.data.id, last + 2);
    again.close();
  });

  test('tells of a gap when entries are gone', async () => {
    // An id of another daemon, or one older than the ring buffer.
    const stream = await api.events('/activity/stream?after=999999');
    assert.equal((await within(stream.list.next(), 'no gap')).value.event, 'gap');
    assert.equal((await within(stream.list.next(), 'no entry')).value.data.id, 1);
    stream.close();
    assert.equal((await history('?after=999999')).gap, true);
    assert.equal((await history('?after=2&limit=3')).entries.length, 3);
  });

  test('is refused without the token', async () => {
    for (const where of ['/activity/stream', '/activity/history', '/refs']) {
      assert.equal((await fetch(`${api.origin}${where}`)).status, 403, where);
    }
  });

  test('follows in the terminal', async () => {
    const child = home.start(['activity', '--follow']);
    let printed = '';
    child.stdout.on('data', (data) => {
      printed += data;
    });
    await until(() => /goto/.test(printed), 'what is kept is not printed');
    await api.ok('viewport', ['800x600']);
    await until(
      () => /http +tab \d+ +viewport 800x600 +ok, \d+ ms +Viewport set to 800x600/.test(printed),
      () => printed,
    );
    child.kill();
  });

  test('lists the refs of the last snapshot with role and name', async () => {
    await api.ok('goto', [`${site.origin}/form`]);
    const snapshot = await api.ok('snapshot', ['-i']);
    const { body } = await api.get('/refs');
    const field = body.refs.find((one) => one.name === 'Email');
    assert.deepEqual([field.role, snapshot.includes(`${field.ref} [textbox] "Email"`)], ['textbox', true]);
    assert.equal((await api.get('/refs?tabId=9999')).status, 404);
  });
});
