/* Tab groups named after the client that leases their tabs or the agent that opened them, and giving a tab to a client. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { Everyday } from '../e2e/harness/everyday.mjs';
import { Scene } from '../e2e/harness/scene.mjs';
import { words } from '../e2e/harness/stand-in.mjs';
import { until } from '../e2e/harness/wait.mjs';
import { inWorker, stopWorker } from '../e2e/harness/worker.mjs';
import { Raw } from '../drivers/raw.mjs';
import { startClient } from './client.mjs';
import { openTunnel, Terminal } from './holders.mjs';

const LEASE = `document.querySelector('#lease')`;
const CLIENTS = `[...document.querySelectorAll('[data-line^="client "]')]`;

/** The groups with their tabs, as Chrome has them. */
const groupsIn = (client) =>
  inWorker(
    client,
    `(async () => {
      const groups = await chrome.tabGroups.query({});
      return Promise.all(groups.map(async ({ id, title, color, windowId }) => ({
        id, title, color, windowId, tabs: (await chrome.tabs.query({ groupId: id })).map((tab) => tab.id) })));
    })()`,
  );

describe('tabs of clients, grouped and given', () => {
  let scene;
  const open = [];
  const start = async (name, ...args) => {
    const started = await startClient(scene.home, name, ...args);
    open.push(started.client);
    return started;
  };
  const panel = () => scene.panel.page;
  const groups = () => groupsIn(scene.client);
  const grouped = (title, count = 1) =>
    until(
      async () => (await groups()).find((group) => group.title === title && group.tabs.length === count),
      `a group ${title} with ${count}`,
    );
  const noGroups = (why) => until(async () => (await groups()).length === 0, `no group: ${why}`);
  const active = () => inWorker(scene.client, 'chrome.tabs.query({ active: true }).then((tabs) => tabs.map(({ id }) => id))');
  const driver = async (name) => (await scene.home.status()).drivers?.find((one) => one.name === name);

  before(async () => {
    scene = await Scene.open({ agent: false });
    await scene.home.ok(['policy', 'allow', 'act', '--site', new URL(scene.site.origin).host]);
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((client) => client.close()));
    await noGroups('every client has ended');
  });
  after(() => scene?.close());

  test('each client has its group in the window of its tab; nothing is activated, and it ends with a killed client', async () => {
    const before = await active();
    const [one, two] = [await start('cursor', '--name', 'work'), await start('zed')];
    await one.call('goto', { url: `${scene.site.origin}/counter` });
    await one.call('newtab', { url: `${scene.site.origin}/long` });
    await two.call('goto', { url: `${scene.site.origin}/counter` });
    const first = await grouped('cursor (work)', 2);
    const second = await grouped('zed');
    assert.equal(first.windowId, second.windowId);
    assert.deepEqual(await active(), before, 'the tab in view stays in view');
    process.kill(one.pid, 'SIGKILL');
    await until(async () => (await groups()).every(({ title }) => title !== 'cursor (work)'), 'its group is gone');
    await grouped('zed');
    const tabs = await inWorker(scene.client, 'chrome.tabs.query({}).then((tabs) => tabs.map(({ id }) => id))');
    assert.ok(
      first.tabs.every((id) => tabs.includes(id)),
      'its tabs stay',
    );
  });

  test("the person's own group, pinned tab and move are left alone", async () => {
    const at = await inWorker(
      scene.client,
      `(async () => {
        const [tab] = await chrome.tabs.query({ url: '${scene.site.origin}/form' });
        const own = await chrome.tabs.create({ url: '${scene.site.origin}/cart', active: false });
        const groupId = await chrome.tabs.group({ tabIds: [own.id], createProperties: { windowId: own.windowId } });
        await chrome.tabGroups.update(groupId, { title: 'Mine' });
        const pinned = await chrome.tabs.create({ url: '${scene.site.origin}/login', active: false, pinned: true });
        return { free: tab.id, own: own.id, groupId, pinned: pinned.id };
      })()`,
    );
    const client = await start('taker');
    await client.call('url');
    const known = async () => (await scene.home.json('tabs')).data;
    const idOf = (path) => until(async () => (await known()).find(({ url }) => url.endsWith(path))?.id, path);
    for (const path of ['/cart', '/login']) await scene.home.ok(['lease', String(await idOf(path)), '--to', 'taker']);
    await until(async () => (await driver('taker')).tabs.length === 3, 'it has them');
    const [made] = (await grouped('taker')).tabs;
    // The person takes the client's tab out of its group: it stays out when the client gets another tab.
    await inWorker(scene.client, `chrome.tabs.ungroup(${made})`);
    await client.call('newtab');
    const again = await grouped('taker');
    assert.ok(!again.tabs.includes(made));
    const tabs = await inWorker(scene.client, 'chrome.tabs.query({})');
    const own = tabs.find(({ id }) => id === at.own);
    assert.equal(own.groupId, at.groupId, 'the person grouped it');
    assert.ok(tabs.find(({ id }) => id === at.pinned).pinned, 'it is still pinned');
    await client.client.close();
    await until(async () => (await groups()).every(({ title }) => title === 'Mine'), "only the person's group is left");
    assert.deepEqual(
      (await groups()).map((group) => group.tabs),
      [[at.own]],
    );
    await inWorker(scene.client, `chrome.tabs.remove([${at.own}, ${at.pinned}])`);
  });

  test('a client that ends while the worker is stopped, or with its daemon, leaves no group', async () => {
    const one = await start('cursor');
    await one.call('url');
    await grouped('cursor');
    await stopWorker(scene.client, panel());
    process.kill(one.pid, 'SIGKILL');
    await noGroups('its client ended without the worker');
    const two = await start('zed');
    await two.call('url');
    await grouped('zed');
    process.kill(two.pid, 'SIGKILL');
    await scene.home.kill(await scene.home.only('daemon'));
    await noGroups('the daemon ended');
    await scene.panel.connected();
  });

  test('the person gives the tab in view to a connected client, by the keyboard too, and from one to the other', async () => {
    const [one, two] = [await start('cursor', '--name', 'work'), await start('zed')];
    await one.call('url');
    await two.call('url');
    const [mine] = (await scene.home.json('tabs')).data.filter(({ url }) => url.endsWith('/form'));
    await panel().click('.tabchip');
    await panel().waitFor(`${CLIENTS}.length === 2`, 'both clients are offered');
    const names = await panel().evaluate(`${CLIENTS}.map((one) => one.innerText.trim())`);
    assert.deepEqual(names.sort(), ['cursor (work)', 'zed']);
    await panel().evaluate(`${CLIENTS}.find((one) => one.innerText.includes('cursor')).click()`);
    await panel().waitFor(`${LEASE}.innerText.includes('cursor (work)')`, 'it has the tab');
    await until(async () => (await driver('cursor (work)')).tabs.includes(mine.id), 'the daemon says so too');
    await one.call('tab', { id: mine.id });
    assert.match(await one.call('text'), /Order/);
    await grouped('cursor (work)', 2);
    // The arrows move to the other client, and Enter gives it the tab.
    await panel().evaluate(`document.querySelector('.tabchip').focus()`);
    await panel().press('ArrowDown', { keyCode: 40 });
    await panel().waitFor(`${CLIENTS}.some((one) => one.getAttribute('aria-current') === 'true')`, 'the menu names the holder');
    await panel().evaluate(`${CLIENTS}.find((one) => one.innerText.includes('zed')).focus()`);
    await panel().enter();
    await panel().waitFor(`${LEASE}.innerText.includes('zed')`, 'the other one has it');
    await until(async () => !(await driver('cursor (work)')).tabs.includes(mine.id), 'it was taken from the first');
    await one.fault('tab', { id: mine.id });
    await panel().evaluate(`${LEASE}.querySelector('button').click()`);
    await panel().waitFor(`${LEASE}.hidden`, 'the person takes it back');
    // A client that ends is no longer offered.
    await two.client.close();
    await panel().click('.tabchip');
    await panel().waitFor(`${CLIENTS}.length === 1`, 'one client is left');
    await panel().press('Escape', { keyCode: 27 });
    const gone = await panel().evaluate(`new Promise((resolve) => {
      const port = chrome.runtime.connect({ name: 'panel' });
      port.onMessage.addListener(({ id, error }) => { if (id === 7) { port.disconnect(); resolve(error?.code); } });
      port.postMessage({ id: 7, method: 'drivers.give', params: { chromeTabId: 1, driverId: 'nobody' } });
    })`);
    assert.equal(gone, 'not-found');
  });

  test('a CDP client has its group, and ends with its connection', async () => {
    const cdp = await Raw.open((await scene.home.ok(['cdp', '--name', 'suite'])).trim());
    await grouped('CDP client (suite)');
    await cdp.send('Target.createTarget', { url: 'about:blank' });
    await grouped('CDP client (suite)', 2);
    cdp.socket.close();
    await noGroups('it has disconnected');
  });

  test('a shell with a name has its group, which ends with the shell and with a killed one', async () => {
    const [mine] = (await scene.home.json('tabs')).data.filter(({ url }) => url.endsWith('/form'));
    const shell = new Terminal(scene.home, 'shop');
    const other = new Terminal(scene.home, 'other');
    try {
      await shell.ok(`goto '${scene.site.origin}/counter'`);
      await grouped('terminal (shop)');
      await shell.ok(`newtab '${scene.site.origin}/long'`);
      await shell.ok(`lease ${mine.id}`);
      const { tabs } = await grouped('terminal (shop)', 3);
      await other.ok(`goto '${scene.site.origin}/counter'`);
      await grouped('terminal (other)');
      await shell.ok(`release ${mine.id}`);
      await grouped('terminal (shop)', 2);
      await shell.end();
      await until(async () => (await groups()).every(({ title }) => title === 'terminal (other)'), 'the group of the shell is gone');
      await grouped('terminal (other)');
      const left = await inWorker(scene.client, 'chrome.tabs.query({}).then((tabs) => tabs.map(({ id }) => id))');
      assert.ok(
        tabs.every((id) => left.includes(id)),
        'its tabs stay',
      );
    } finally {
      for (const { child } of [shell, other]) child.kill('SIGKILL');
    }
    await noGroups('the other shell was killed');
  });

  test('a tunnel has its group, which stays between its clients and ends when it is revoked', async () => {
    const [mine] = (await scene.home.json('tabs')).data.filter(({ url }) => url.endsWith('/form'));
    const tunnel = await openTunnel(scene.home, 'build', '--tabs', String(mine.id));
    await grouped('tunnel (build)');
    const there = await start('claims-to-be-cursor', '--socket', tunnel.socket);
    await there.call('newtab', { url: `${scene.site.origin}/counter` });
    const { id } = await grouped('tunnel (build)', 2);
    await there.client.close();
    const next = await start('another', '--socket', tunnel.socket);
    await next.call('newtab', { url: `${scene.site.origin}/counter` });
    assert.equal((await grouped('tunnel (build)', 3)).id, id, 'it is the same group');
    assert.equal((await groups()).length, 1);
    await scene.home.ok(['tunnel', 'revoke', 'build']);
    await noGroups('the tunnel is revoked');
    await tunnel.ended;
    const killed = await openTunnel(scene.home, 'far');
    const last = await start('there', '--socket', killed.socket);
    await last.call('url');
    await grouped('tunnel (far)');
    process.kill(killed.pid, 'SIGKILL');
    await noGroups('its command was killed');
  });

  test('in an everyday browser too, where a CDP client of another browser is not offered', async () => {
    const everyday = await Everyday.start(scene.home, { url: `${scene.site.origin}/mail`, permissions: ['tabGroups'] });
    try {
      const client = await start('cursor');
      await client.call('url');
      const tab = await until(
        async () => (await scene.home.json('tabs')).data.find(({ url }) => url.endsWith('/mail')),
        'the tab of the everyday browser',
      );
      await scene.home.ok(['lease', String(tab.id), '--to', 'cursor']);
      await until(async () => (await groupsIn(everyday.client)).some(({ title }) => title === 'cursor'), 'its group there');
      const cdp = await Raw.open((await scene.home.ok(['cdp', '--name', 'suite'])).trim());
      await grouped('CDP client (suite)');
      const there = await scene.home.run(['lease', String(tab.id), '--to', 'CDP client (suite)']);
      assert.match(there.stderr, /everyday browser/, 'it was opened for another browser');
      cdp.socket.close();
      await client.client.close();
      await until(async () => (await groupsIn(everyday.client)).length === 0, 'no group is left there');
    } finally {
      everyday.stop();
    }
  });
});

describe("tabs of the panel's agents, grouped", () => {
  let scene;
  const groups = () => groupsIn(scene.client);
  const grouped = (count, why) =>
    until(async () => {
      const all = await groups();
      return all.length === 1 && all[0].title === 'Claude Code' && all[0].tabs.length === count && all[0];
    }, `one group of Claude Code with ${count}: ${why}`);
  const noGroups = (why) => until(async () => (await groups()).length === 0, `no group: ${why}`);
  const opened = async (turn) =>
    Number(/Opened tab (\d+)/.exec(words(await turn.tool('newtab', { url: `${scene.site.origin}/counter` })))[1]);

  before(async () => {
    scene = await Scene.open();
    await scene.home.ok(['policy', 'allow', 'act', '--site', new URL(scene.site.origin).host]);
  });
  after(() => scene?.close());

  test('a message that gstack handles without the agent, between two of its turns, keeps the group and its name', async () => {
    const first = await scene.ask('Open one');
    const tabs = [await opened(first)];
    const { id, color } = await grouped(1, 'it opened one');
    first.end();
    await scene.panel.gone('stop');
    const loads = () => scene.page.evaluate('performance.timeOrigin');
    const before = await loads();
    await scene.panel.say('reload');
    await until(async () => (await loads().catch(() => before)) !== before, 'the page is loaded again');
    await scene.panel.gone('stop');
    await grouped(1, 'the message named nobody else');
    const second = await scene.ask('Open another one');
    tabs.push(await opened(second));
    const after = await grouped(2, "it is one agent's group");
    assert.deepEqual([after.id, after.color], [id, color], 'the group was not made again');
    second.end();
    await scene.panel.gone('stop');
    for (const tab of tabs) await scene.home.ok(['closetab', String(tab)]);
    await noGroups('its tabs are closed');
  });

  test("what it opens is in its group, after the turn too; the person's tab is not, and the group ends with the conversation", async () => {
    const turn = await scene.ask('Compare them');
    await noGroups("the conversation's own tab is the person's");
    const first = await opened(turn);
    await grouped(1, 'it opened one');
    const second = await opened(turn);
    const { tabs } = await grouped(2, 'it opened another one');
    const own = await inWorker(scene.client, `chrome.tabs.query({ url: '${scene.site.origin}/form' }).then(([tab]) => tab.id)`);
    assert.ok(!tabs.includes(own));
    turn.end();
    await scene.panel.gone('stop');
    await grouped(2, "they are the conversation's between turns too");
    // A client that is given one of them has it in its own group, for as long as it leases it.
    const { client, call } = await startClient(scene.home, 'cursor', '--tab', String(first));
    await call('url');
    await until(async () => {
      const all = await groups();
      return all.length === 2 && all.every((group) => group.tabs.length === 1) && all.some(({ title }) => title === 'cursor');
    }, 'each has one');
    await client.close();
    await grouped(2, 'the client has ended');
    await scene.home.ok(['closetab', String(second)]);
    await grouped(1, 'one was closed');
    const { conversations } = await scene.home.json('sessions');
    await scene.home.ok(['sessions', 'delete', conversations[0].conversationId]);
    await noGroups('the conversation is deleted');
    const left = await inWorker(scene.client, 'chrome.tabs.query({}).then((tabs) => tabs.map(({ url }) => url))');
    assert.ok(left.includes(`${scene.site.origin}/counter`), 'its tab stays');
  });
});
