/* Many tabs, many clients, and tabs that hang, crash or were discarded: none affects another. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { after, before, describe, test } from 'node:test';
import { Api } from './harness/api.mjs';
import { EXTENSION_ID, TestHome } from './harness/home.mjs';
import { usualOrLong } from './harness/long.mjs';
import { until, within } from './harness/wait.mjs';

const TABS = usualOrLong(60, 200);
const CLIENTS = 20;
const ROUNDS = usualOrLong(2, 4);
/** The tab of a client, which no other client has. */
const tabOf = (client) => client * Math.floor(TABS / CLIENTS);

/** A page that shows its own name: `/p/7` is page 7. */
const page = (name) => `<!doctype html><title>${name}</title><h1>Page ${name}</h1>
  <label>Field <input id=field></label><button id=go onclick="said.textContent = field.value">Go</button><p id=said></p>`;

/** Runs `work` for each item, with limited concurrency. */
async function several(items, atOnce, work) {
  const waiting = [...items];
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (waiting.length > 0) await work(waiting.shift());
    }),
  );
}

describe('under load', () => {
  let home;
  let server;
  let origin;
  let api;
  let client;
  const tabs = [];
  before(async () => {
    server = createServer((request, response) => {
      response.setHeader('content-type', 'text/html');
      response.end(page(request.url.slice(3)));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    origin = `http://127.0.0.1:${server.address().port}`;
    home = new TestHome();
    // Many tabs, few processes, because the tests share their machine.
    await home.connect(['--headless', '--', '--renderer-process-limit=4']);
    api = new Api(home);
    client = await home.devtools();
  });
  after(async () => {
    server.closeAllConnections();
    server.close();
    assert.deepEqual(await home.stop(), [], 'no process had to be forced');
  });

  test(`${TABS} tabs are opened, listed, and each answers for itself`, async () => {
    await several(
      Array.from({ length: TABS }, (_, i) => i),
      8,
      async (i) => {
        tabs[i] = await api.tab(`${origin}/p/${i}`);
      },
    );
    assert.equal(new Set(tabs).size, TABS, 'a number was given twice');
    const listed = await api.ok('tabs');
    // The full name: page 1 is not page 10.
    const numbers = new Map(
      [...listed.matchAll(/\[(\d+)\] .* — \S+\/p\/(\d+)(?!\S)/g)].map(([, tab, name]) => [Number(name), Number(tab)]),
    );
    const pages = Array.from({ length: TABS }, (_, i) => numbers.get(i));
    assert.deepEqual(pages, tabs, 'each page is listed with its number');
    await several([0, 7, 57, TABS - 1], 4, async (i) => {
      assert.match(await api.ok('text', [], tabs[i]), new RegExp(`Page ${i}\\n`));
    });
  });

  test(`${CLIENTS} clients work on tabs of their own at once and never meet`, async () => {
    await Promise.all(
      Array.from({ length: CLIENTS }, async (_, i) => {
        const tab = tabs[tabOf(i)];
        for (let round = 0; round < ROUNDS; round += 1) {
          const words = `client ${i} in round ${round}`;
          await api.ok('fill', ['#field', words], tab);
          await api.ok('click', ['#go'], tab);
          assert.equal(await api.ok('js', ['said.textContent'], tab), words);
          assert.equal(await api.ok('js', ['document.title'], tab), String(tabOf(i)));
        }
      }),
    );
  });

  test('commands on one tab keep the order in which they were asked', async () => {
    const [tab] = tabs;
    await api.ok('js', ['window.order = []; 0'], tab);
    const calls = [];
    for (let i = 0; i < 10; i += 1) {
      const sent = api.ok('js', [`order.push(${i}); 0`], tab);
      calls.push(sent);
      // The next request is sent once the daemon has received this one.
      await until(
        async () => (await api.get('/activity/history?after=0')).body.entries.at(-1).args[0]?.includes(`push(${i})`),
        'not begun',
      );
    }
    await Promise.all(calls);
    assert.equal(await api.ok('js', ['order.join()'], tab), '0,1,2,3,4,5,6,7,8,9');
  });

  test('a hung tab blocks only itself, says so in time, and can be left', async () => {
    // On another site, so that no other tab shares its process.
    const hung = await api.tab(`${origin.replace('127.0.0.1', 'localhost')}/p/hung`);
    await api.ok('js', ['setTimeout(() => { for (;;); }); 0'], hung);
    const stuck = api.run('js', ['--timeout', '1000', '1'], hung);
    const answers = await within(Promise.all(tabs.slice(20, 30).map((tab) => api.run('text', [], tab))), 'others wait for the hung tab');
    assert.ok(answers.every((answer) => answer.ok));
    const { ok, fault } = await stuck;
    assert.deepEqual([ok, fault.code], [false, 'outcome-unknown']);
    const click = await api.run('click', ['#go', '--timeout', '500'], hung);
    assert.ok(!click.ok && click.hint, JSON.stringify(click));
    assert.match(await api.ok('goto', [`${origin}/p/after`], hung), /\(200\)/);
    assert.match(await api.ok('text', [], hung), /Page after/);
    await api.ok('closetab', [String(hung)]);
  });

  test('a crashed page is named, and a reload brings it back', async () => {
    const crashed = await api.tab(`${origin.replace('127.0.0.1', 'localhost')}/p/crash`);
    const target = await client.target((one) => one.type === 'page' && one.url.endsWith('/p/crash'), 'the page');
    const session = await client.attach(target.targetId);
    session.send('Page.crash').catch(() => {});
    await until(async () => (await api.run('text', [], crashed)).fault?.code === 'tab-gone', 'the crash is not noticed');
    assert.match((await api.run('click', ['#go'], crashed)).error, /crashed/);
    await api.ok('reload', [], crashed);
    assert.match(await api.ok('text', [], crashed), /Page crash/);
    await api.ok('closetab', [String(crashed)]);
  });

  test('a discarded tab is loaded again by the next command', async () => {
    const aside = await api.tab(`${origin}/p/aside`);
    const worker = await client.target(
      (one) => one.type === 'service_worker' && one.url.startsWith(`chrome-extension://${EXTENSION_ID}/`),
      'the extension',
    );
    const session = await client.attach(worker.targetId);
    const discard = `chrome.tabs.query({})
      .then((tabs) => chrome.tabs.discard(tabs.find((tab) => tab.url.endsWith('/p/aside')).id)).then(Boolean)`;
    const { result } = await session.send('Runtime.evaluate', { expression: discard, awaitPromise: true, returnByValue: true });
    assert.equal(result.value, true, JSON.stringify(result));
    // The browser replaces it by another tab with its own number.
    const number = async () => Number(/\[(\d+)\][^\n]*\/p\/aside/.exec(await api.ok('tabs'))?.[1]);
    // Until the browser reports the change, the list shows the old number.
    const lives = async (tab) => (await api.run('text', [], tab)).fault?.code !== 'tab-gone';
    const now = await until(async () => {
      const found = await number();
      return found && (await lives(found)) && found;
    }, 'it is not listed any more');
    assert.match(await api.ok('text', [], now), /Page aside/);
    assert.match(await api.ok('goto', [`${origin}/p/again`], now), /\(200\)/);
    await api.ok('closetab', [String(now)]);
    if (now !== aside) assert.equal((await api.run('text', [], aside)).fault.code, 'tab-gone');
  });

  test('closing them all at once leaves the others', async () => {
    await several(tabs.slice(1), 16, (tab) => api.ok('closetab', [String(tab)]));
    await until(async () => !(await api.ok('tabs')).includes('/p/57'), 'they are listed still');
    assert.match(await api.ok('text', [], tabs[0]), /Page 0/);
    assert.equal((await api.run('text', [], tabs[57])).fault.code, 'tab-gone');
  });
});
