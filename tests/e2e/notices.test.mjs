/*
 * Desktop notifications of approvals: off by default, one for each approval that no panel in view shows, gone as soon as
 * it is answered anywhere, and never an answer by themselves.
 */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { startClient } from '../mcp/client.mjs';
import { Scene } from './harness/scene.mjs';
import { words } from './harness/stand-in.mjs';
import { until } from './harness/wait.mjs';
import { inWorker, stopWorker } from './harness/worker.mjs';

const SWITCH = '[data-setting="permissions.notifications"]';
const isOn = `document.querySelector('${SWITCH}')?.getAttribute('aria-checked')`;

describe('desktop notifications are off until the person turns them on', () => {
  let scene;
  before(async () => {
    scene = await Scene.open();
  });
  after(() => scene?.close());

  test('the setting asks Chrome for the permission, within the click, and stays off if the person refuses', async () => {
    const { page } = scene.panel;
    assert.equal(await inWorker(scene.client, 'typeof chrome.notifications'), 'undefined');
    await page.click('.statusbar [aria-label=Settings]');
    await page.waitFor(`${isOn} === 'false'`, 'the switch is off');
    await page.evaluate(`{
      globalThis.asked = [];
      chrome.permissions.request = async (what) => { asked.push([what, navigator.userActivation.isActive]); return false; };
    }`);
    await page.click(SWITCH);
    assert.deepEqual(await page.waitFor('globalThis.asked.length > 0 && globalThis.asked', 'Chrome is asked'), [
      [{ permissions: ['notifications'] }, true],
    ]);
    await page.waitFor(`${isOn} === 'false'`, 'it stays off');
  });
});

describe('desktop notifications of approvals', () => {
  let scene;
  const open = [];
  /** The options of the notifications that were made since `listen`. */
  const listen = () =>
    inWorker(
      scene.client,
      `{
        globalThis.made = [];
        globalThis.create ??= chrome.notifications.create;
        chrome.notifications.create = (key, options, done) => {
          made.push({ key, options });
          return create.call(chrome.notifications, key, options, done);
        };
      }`,
    );
  const made = () => inWorker(scene.client, 'globalThis.made');
  const shown = () => inWorker(scene.client, 'new Promise((resolve) => chrome.notifications.getAll((all) => resolve(Object.keys(all))))');
  const none = (why) => until(async () => (await shown()).length === 0, `no notification: ${why}`);
  const one = () =>
    until(async () => {
      const all = await shown();
      return all.length === 1 && all[0];
    }, 'one notification');
  /** Shows a new tab, which has no conversation, or the page of the test again. */
  const elsewhere = async () => {
    await scene.panel.page.evaluate(`chrome.tabs.create({ url: '${scene.site.origin}/long', active: true })`);
    await scene.panel.page.waitFor(`document.querySelector('.tabchip__title').innerText === 'Long'`, 'the panel follows');
  };
  const back = async () => {
    await scene.panel.page.evaluate(`(async () => {
      for (const tab of await chrome.tabs.query({ url: '${scene.site.origin}/*' }))
        if (tab.url.endsWith('/form')) await chrome.tabs.update(tab.id, { active: true });
        else await chrome.tabs.remove(tab.id);
    })()`);
    await scene.panel.page.waitFor(`document.querySelector('.tabchip__title').innerText === 'Form'`, 'the panel is back');
  };
  /** Headless, every window that is not minimized has the focus. */
  const window = (state) =>
    inWorker(scene.client, `chrome.windows.getAll().then(([{ id }]) => chrome.windows.update(id, { state: '${state}' })).then(() => {})`);
  const fill = (turn, value) => turn.tool('fill', { selector: '#name', value });
  const denied = async (answer) => assert.ok((await answer).isError, words(await answer));
  const deny = async () => {
    const { approvalId } = await scene.approval();
    await scene.home.ok(['approvals', 'deny', approvalId]);
    return approvalId;
  };

  before(async () => {
    scene = await Scene.open({ home: { permissions: ['notifications'] } });
    await listen();
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((client) => client.close()));
    scene.agent.settle();
    await window('normal');
    await scene.panel.gone('stop');
    await back();
  });
  after(() => scene?.close());

  test('a panel in view shows the approval, so nothing else does; elsewhere there is one notification until it is answered', async () => {
    const turn = await scene.ask('Fill in the form');
    const first = fill(turn, 'Ada');
    await scene.panel.seen('approval');
    await deny();
    await denied(first);
    await elsewhere();
    const second = fill(turn, 'a secret');
    await one();
    const all = await made();
    assert.equal(all.length, 1, 'the approval in view was not notified');
    const [{ options }] = all;
    assert.equal(options.title, 'Claude Code asks for your approval');
    assert.match(options.message, /^Fill “Name”/);
    assert.equal(options.contextMessage, new URL(scene.site.origin).host);
    assert.ok(!JSON.stringify(options).includes('a secret'), 'what it would type is not shown');
    assert.ok(!('buttons' in options), 'nothing in it answers');
    await deny();
    await denied(second);
    await none('it was answered in the terminal');
    assert.equal((await made()).length, 1, 'there was no other one');
    turn.end();
  });

  test('a click leads to the card and answers nothing; what the panel shows is closed', async () => {
    const turn = await scene.ask('Fill in the form');
    await elsewhere();
    const filling = fill(turn, 'Ada');
    const key = await one();
    const { approvalId } = await scene.approval();
    await inWorker(scene.client, `chrome.notifications.onClicked.dispatch(${JSON.stringify(key)})`);
    await scene.panel.page.waitFor(`document.querySelector('.tabchip__title').innerText === 'Form'`, 'its tab is in front');
    await scene.panel.seen('approval');
    await none('it was clicked');
    assert.equal((await scene.approval()).approvalId, approvalId, 'it still waits');
    await deny();
    await denied(filling);
    await elsewhere();
    const again = fill(turn, 'Ada');
    await one();
    await back();
    await none('the panel shows it');
    await deny();
    await denied(again);
    turn.end();
  });

  test('one that ends with its client, in its own time or with the daemon is closed', async () => {
    const client = await startClient(scene.home, 'zed');
    open.push(client.client);
    await client.call('newtab');
    await elsewhere();
    await window('minimized');
    const going = client.run('goto', { url: `http://localhost:${new URL(scene.site.origin).port}/counter` }).catch(() => {});
    await one();
    assert.equal((await made()).at(-1).options.title, 'zed asks for your approval');
    process.kill(client.pid, 'SIGKILL');
    await none('its client is gone');
    await going;
    await window('normal');
    await back();
    const turn = await scene.ask('Fill in the form');
    await elsewhere();
    // The daemon that would answer is killed.
    fill(turn, 'Ada').catch(() => {});
    await one();
    await scene.home.kill(await scene.home.only('daemon'));
    await none('its daemon is gone');
    await scene.panel.connected();
  });

  test('a worker that was stopped closes what was answered meanwhile, and shows none twice', async () => {
    const turn = await scene.ask('Fill in the form');
    await elsewhere();
    const first = fill(turn, 'Ada');
    const key = await one();
    await stopWorker(scene.client, scene.panel.page);
    await scene.panel.connected();
    await until(async () => (await shown()).includes(key), 'it is still shown');
    // The person dismisses it.
    await inWorker(scene.client, `new Promise((resolve) => chrome.notifications.clear(${JSON.stringify(key)}, resolve))`);
    await stopWorker(scene.client, scene.panel.page);
    await scene.panel.connected();
    await listen();
    const client = await startClient(scene.home, 'zed');
    open.push(client.client);
    await client.call('newtab');
    await window('minimized');
    const going = client.run('goto', { url: `http://localhost:${new URL(scene.site.origin).port}/counter` });
    const other = await one();
    assert.notEqual(other, key, 'the dismissed one does not come back');
    assert.equal((await made()).filter((each) => each.key === key).length, 0);
    await stopWorker(scene.client, scene.panel.page);
    for (const { approvalId } of (await scene.home.json('approvals')).approvals) await scene.home.ok(['approvals', 'deny', approvalId]);
    await none('they were answered without the worker');
    await denied(first);
    assert.ok((await going).failed);
    await window('normal');
    turn.end();
  });

  test('hostile text of a page and of a client is short and on one line', async () => {
    await listen();
    const client = await startClient(scene.home, `<b>gstack</b>\u202e\n${'x'.repeat(10_000)}`);
    open.push(client.client);
    await client.call('newtab');
    await elsewhere();
    await window('minimized');
    const going = client.run('goto', { url: `http://localhost:${new URL(scene.site.origin).port}/counter?${'y'.repeat(300)}` });
    await one();
    const { options } = (await made()).at(-1);
    for (const text of [options.title, options.message, options.contextMessage ?? ''])
      assert.ok([...text].length <= 200 && !/[\n\u202e]/.test(text), text);
    await deny();
    assert.ok((await going).failed);
    await none('it was answered');
    await window('normal');
  });

  test('turning it off closes what is shown and gives the permission back', async () => {
    const { page } = scene.panel;
    const turn = await scene.ask('Fill in the form');
    await page.click('.statusbar [aria-label=Settings]');
    await page.waitFor(`${isOn} === 'true'`, 'the switch is on');
    await elsewhere();
    const filling = fill(turn, 'Ada');
    await one();
    await page.evaluate(`{
      globalThis.cleared = [];
      const clear = chrome.notifications.clear;
      chrome.notifications.clear = (key, done) => clear.call(chrome.notifications, key, (was) => { cleared.push(was); done(was); });
    }`);
    await page.click(SWITCH);
    await page.waitFor(`${isOn} === 'false'`, 'the switch is off');
    assert.deepEqual(await page.evaluate('globalThis.cleared'), [true]);
    assert.equal(await page.evaluate(`chrome.permissions.contains({ permissions: ['notifications'] })`), false);
    await page.click('.statusbar [aria-label=Settings]');
    await deny();
    await denied(filling);
    turn.end();
  });
});
