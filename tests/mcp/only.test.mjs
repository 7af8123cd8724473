/*
 * `gstack policy only` and MCP clients: with a list, nothing that a client does reaches another site, whether or not the policy
 * judges the client. The same calls without a list show that each of them leads there.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import { BY_ITSELF, CLICKS, Elsewhere, inside, WITHOUT_LIST } from '../e2e/harness/elsewhere.mjs';
import { TestHome } from '../e2e/harness/home.mjs';
import { until } from '../e2e/harness/wait.mjs';
import { startClient } from './client.mjs';

/** The calls that open an address elsewhere, by the path that arrives: the tool and its arguments. */
const OPENS = {
  '/goto': (to) => ['goto', { url: to }],
  '/newtab': (to) => ['newtab', { url: to }],
  '/diff': (to, own) => ['diff', { url1: own, url2: to }],
  '/download': (to) => ['download', { url: to, path: 'file' }],
};
/** The arguments of a client that may do all of it. The policy judges one without them, and it has fewer tools. */
const TRUSTED = ['--trusted', '--profile', 'all'];
/** A script that asks for an address, and returns what became of that. */
const asking = (to) => `fetch('${to}', { mode: 'no-cors' }).then(() => 'arrived', (error) => error.name)`;

describe('MCP clients in a browser that reaches only some sites', () => {
  let elsewhere;
  let server;
  let own;
  let url;
  const done = new Set();

  before(async () => {
    elsewhere = new Elsewhere();
    await elsewhere.start();
    server = await inside(elsewhere, done);
    own = `localhost:${server.address().port}`;
    url = `http://${own}/`;
  });
  after(() => {
    server?.closeAllConnections();
    server?.close();
    elsewhere?.stop();
  });
  beforeEach(() => {
    elsewhere.arrived.clear();
    done.clear();
  });

  const to = (path) => `${elsewhere.origin}${path}`;
  const arrive = (wanted) =>
    until(
      () => wanted.every((path) => elsewhere.arrived.has(path)),
      () => `all of them arrive; missing: ${wanted.filter((path) => !elsewhere.arrived.has(path))}`,
    );

  /** Runs `act` with a home, and a function that starts a client in its browser. `has` says whether the client has a tool. */
  async function browsing(act) {
    const home = new TestHome({ port: false });
    const open = [];
    try {
      await act(home, async (...args) => {
        const client = await startClient(home, 'zed', ...args);
        open.push(client.client);
        const { tools } = await client.client.listTools();
        return { ...client, has: (name) => tools.some((tool) => tool.name === name) };
      });
    } finally {
      for (const client of open) await client.close();
      assert.deepEqual(await home.stop(), [], 'nothing is left behind');
    }
  }

  /** Clicks everything on the page that leads elsewhere. Each click is carried out, wherever it leads. */
  async function clickAll({ call }, clicked) {
    for (const [selector, path] of Object.entries(CLICKS)) {
      await call('goto', { url });
      assert.match(await call('click', { selector }), /^Clicked/m, selector);
      await clicked(path);
    }
  }

  /** Loads an HTML file and runs scripts that ask for an address elsewhere. `asked` gets each path, and what became of it. */
  async function scripts(home, { call }, asked) {
    await call('goto', { url: `${url}quiet` });
    await asked('/js', await call('js', { expression: asking(to('/js')) }));
    await call('init-script', { action: 'add', script: `globalThis.asked = ${asking(to('/init-script'))}` });
    await call('reload');
    await asked('/init-script', await call('js', { expression: 'asked' }));
    await call('init-script', { action: 'remove' });
    writeFileSync(path.join(home.person, 'page.html'), `<script>globalThis.asked = ${asking(to('/load-html'))}</script>`);
    await call('load-html', { file: 'page.html' });
    await asked('/load-html', await call('js', { expression: 'asked' }));
  }

  /** Asserts that each call fails, that the page has tried its ways and that each click was carried out. */
  async function isHeld(home, client, hasTried = async () => {}) {
    await client.call('goto', { url });
    await hasTried(client);
    await until(
      () => done.size === 4,
      () => `the workers have tried: ${[...done]}`,
    );
    await clickAll(client, async () => {});
    for (const [path, args] of Object.entries(OPENS)) {
      const [tool, values] = args(to(path), url);
      if (client.has(tool)) assert.match(await client.fault(tool, values), new RegExp(`may reach only ${own}, not localhost`), path);
    }
    if (!client.has('load-html')) return;
    assert.match(await client.fault('download', { url: `${url}to?/redirected`, path: 'file' }), /gstack does not open/);
    await scripts(home, client, async (path, said) => assert.match(said, /TypeError/, path));
  }

  /** Waits for WebRTC, which a browser that was opened without a list does not stop. */
  const hasTriedWebRtc = ({ call }) =>
    until(
      async () => /complete/.test(await call('js', { expression: 'document.documentElement.dataset.ice' })),
      'the page has tried WebRTC',
    );

  test('without a list a client reaches the other port in each of these ways', () =>
    browsing(async (home, start) => {
      await home.connect(['--headless', `${url}quiet`]);
      const client = await start(...TRUSTED);
      await client.call('goto', { url });
      await arrive([...BY_ITSELF, ...WITHOUT_LIST]);
      await clickAll(client, (path) => arrive([path]));
      for (const [path, args] of Object.entries(OPENS)) {
        await client.call(...args(to(path), url));
        await arrive([path]);
      }
      await client.call('download', { url: `${url}to?/redirected`, path: 'second' });
      await arrive(['/redirected']);
      await scripts(home, client, async (path, said) => {
        assert.match(said, /arrived/, path);
        await arrive([path]);
      });
    }));

  for (const [who, args] of [
    ['a trusted client', TRUSTED],
    ['a client that the policy judges', []],
  ]) {
    test(`with a list nothing of ${who} arrives there`, () =>
      browsing(async (home, start) => {
        await home.ok(['policy', 'only', own]);
        await home.ok(['policy', 'unattended', '1h']);
        await home.connect(['--headless', `${url}quiet`]);
        await isHeld(home, await start(...args), hasTriedWebRtc);
        assert.deepEqual([...elsewhere.arrived], []);
      }));
  }

  test('a list that is set while a client is connected holds for it at once', () =>
    browsing(async (home, start) => {
      await home.connect(['--headless', `${url}quiet`]);
      const client = await start(...TRUSTED);
      await client.call('goto', { url: `${url}quiet` });
      assert.match(await client.call('js', { expression: asking(to('/js')) }), /arrived/);
      await home.ok(['policy', 'only', own]);
      elsewhere.arrived.clear();
      await isHeld(home, client);
      const arrived = [...elsewhere.arrived];
      assert.deepEqual(arrived, []);
    }));
});
