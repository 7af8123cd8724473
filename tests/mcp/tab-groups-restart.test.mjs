/*
 * Tab groups after a restart of the browser, which restores its windows with their groups: those that gstack made are removed,
 * because their leases have ended, and those of the person stay as they are.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Scene } from '../e2e/harness/scene.mjs';
import { until } from '../e2e/harness/wait.mjs';
import { inWorker } from '../e2e/harness/worker.mjs';

describe('tab groups that the browser restores', () => {
  let scene;

  /** The groups with the paths of their tabs, in the order of their titles and colors. */
  const groups = () =>
    inWorker(
      scene.client,
      `(async () => {
        const paths = async (groupId) =>
          (await chrome.tabs.query({ groupId })).map(({ url }) => new URL(url || 'about:blank').pathname);
        const groups = await chrome.tabGroups.query({});
        const all = await Promise.all(groups.map(async ({ id, title, color, collapsed }) =>
          ({ title, color, collapsed, tabs: await paths(id) })));
        return all.sort((a, b) => (a.title + a.color).localeCompare(b.title + b.color));
      })()`,
    );
  /** Closes the browser and opens it again with its windows. */
  const restart = async () => {
    await scene.home.ok(['disconnect']);
    await until(() => scene.home.processes('browser').length === 0, 'the browser has closed');
    await scene.home.connect(['--headless', `${scene.site.origin}/form`, '--', '--restore-last-session']);
    scene.client = await scene.home.devtools();
    const restored = `chrome.tabs.query({}).then((tabs) => tabs.map(({ url }) => new URL(url || 'about:blank').pathname))`;
    await until(async () => {
      const paths = await inWorker(scene.client, restored);
      return ['/cart', '/counter'].every((one) => paths.includes(one));
    }, 'the tabs are restored');
    const looked = `chrome.storage.session.get('tabsGrouped').then(({ tabsGrouped }) => tabsGrouped !== undefined)`;
    await until(() => inWorker(scene.client, looked), 'the extension has looked at the restored groups');
  };

  before(async () => {
    scene = await Scene.open();
    await scene.home.ok(['policy', 'allow', 'act', '--site', new URL(scene.site.origin).host]);
  });
  after(() => scene?.close());

  test("the person's own group of an agent's name stays, while that of the agent is removed", async () => {
    const turn = await scene.ask('Open one');
    await turn.tool('newtab', { url: `${scene.site.origin}/counter` });
    const [made] = await until(async () => {
      const all = await groups();
      return all.length === 1 && all;
    }, 'the agent has its group');
    assert.equal(made.title, 'Claude Code');
    turn.end();
    await scene.panel.gone('stop');
    await inWorker(
      scene.client,
      `(async () => {
        const own = await chrome.tabs.create({ url: '${scene.site.origin}/cart', active: false });
        const groupId = await chrome.tabs.group({ tabIds: [own.id], createProperties: { windowId: own.windowId } });
        await chrome.tabGroups.update(groupId, { title: 'Claude Code', color: 'red', collapsed: true });
      })()`,
    );
    assert.notEqual(made.color, 'red');
    const own = { title: 'Claude Code', color: 'red', collapsed: true, tabs: ['/cart'] };
    await until(async () => (await groups()).some(({ tabs }) => tabs.includes('/cart')), 'the tab of the person is loaded');
    await restart();
    await until(async () => (await groups()).every(({ color }) => color !== made.color), 'the group of the agent is removed');
    assert.deepEqual(await groups(), [own]);
    // Nothing of gstack's was there at the end of this browser: the next start has nothing to remove.
    await restart();
    assert.deepEqual(await groups(), [own]);
  });

  test('the permission is as the person left it after each start', async () => {
    const has = () => inWorker(scene.client, `chrome.permissions.contains({ permissions: ['tabGroups'] })`);
    assert.equal(await has(), true, 'after two restarts');
    assert.equal(await inWorker(scene.client, `chrome.permissions.remove({ permissions: ['tabGroups'] })`), true);
    for (const start of ['first', 'second']) {
      await scene.home.ok(['disconnect']);
      await until(() => scene.home.processes('browser').length === 0, 'the browser has closed');
      await scene.home.connect(['--headless']);
      scene.client = await scene.home.devtools();
      assert.equal(await has(), false, `after the ${start} restart`);
    }
  });
});
