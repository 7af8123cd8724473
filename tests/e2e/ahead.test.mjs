/* The agent's process that starts before there is a message, identified by its pid. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { isAlive } from './harness/processes.mjs';
import { Scene } from './harness/scene.mjs';
import { until } from './harness/wait.mjs';

describe('an agent that is started ahead', () => {
  let scene;

  before(async () => {
    scene = await Scene.open();
  });

  after(() => scene?.close());

  /** Agents in a conversation, without processes that only query a version or a sign-in. */
  const agents = () =>
    scene.home
      .processes()
      .filter(({ command }) => command.some((part) => part.endsWith('fake/claude.mjs')) && command.includes('-p'))
      .map(({ pid }) => pid);
  const count = (number, what) =>
    until(
      () => agents().length === number && agents(),
      () => `${what}: ${agents()}`,
    );
  const gone = (pid, what) => until(() => !isAlive(pid), `${what}: ${pid} lives on`);
  /** Shows another, empty tab. The panel has followed once the previous tab's typed text is gone. */
  const freshTab = async (name) => {
    const { targetId } = await scene.client.send('Target.createTarget', { url: `${scene.site.origin}/form?${name}` });
    await scene.client.send('Target.activateTarget', { targetId });
    await scene.panel.page.waitFor(
      `!document.querySelector('.turn') && document.querySelector('.composer__text').value === ''`,
      'an empty conversation',
    );
  };
  const type = async (words) => {
    await scene.panel.page.click('.composer__text');
    await scene.panel.page.insert(words);
  };

  test('an open panel has one for its empty conversation, and nothing is written down for it', async () => {
    const [pid] = await count(1, 'one agent waits');
    assert.ok(isAlive(pid));
    const sessions = path.join(scene.home.home, 'sessions');
    const written = existsSync(sessions) ? readdirSync(sessions).filter((one) => existsSync(path.join(sessions, one, 'chat.jsonl'))) : [];
    assert.deepEqual(written, []);
  });

  test('it is the one that answers the first message', async () => {
    const [pid] = await count(1, 'one agent waits');
    const turn = await scene.ask('first message');
    assert.deepEqual(agents(), [pid]);
    turn.say('answered');
    turn.end();
    await scene.panel.gone('stop');
  });

  test('with the first letter in a fresh tab another one is started, and never a second', async () => {
    const [first] = await count(1, 'the first conversation has its agent');
    await freshTab('two');
    assert.deepEqual(agents(), [first], 'a tab that only comes into view starts nothing');
    await type('w');
    const spare = (await count(2, 'one more with the first letter')).find((pid) => pid !== first);
    await freshTab('three');
    await type('x');
    await gone(spare, 'the one of the tab before');
    await count(2, 'one with a message and one without');
    assert.ok(isAlive(first), 'one that was given a message is left alone');
    const last = agents().find((pid) => pid !== first);
    const turn = await scene.ask('third tab');
    assert.ok(agents().includes(last) && agents().length === 2, 'what was started answers');
    turn.end();
    await scene.panel.gone('stop');
  });

  test('a click into the message box of a fresh tab starts it, before anything is written', async () => {
    const before = agents();
    await freshTab('clicked');
    await scene.panel.page.click('.composer__text');
    await until(() => agents().some((pid) => !before.includes(pid)), 'one is started');
    assert.equal(await scene.panel.page.evaluate(`document.querySelector('.composer__text').value`), '');
  });

  test('it ends with a setting of agents, with another folder and with another agent', async () => {
    await freshTab('four');
    const known = new Set(agents());
    const spare = async (words) => {
      await type(words);
      // Identified by new pids, not by their number: an earlier one may end in between.
      return until(() => agents().find((pid) => !known.has(pid) && known.add(pid)), 'one more');
    };
    const empty = () =>
      scene.panel.page.evaluate(`(() => {
      const box = document.querySelector('.composer__text');
      box.value = '';
      box.dispatchEvent(new InputEvent('input', { bubbles: true }));
    })()`);
    const one = await spare('a');
    await scene.home.ok(['settings', 'set', 'agents.sleep-minutes', '7']);
    await gone(one, 'the one of another setting');
    await empty();

    const two = await spare('b');
    await empty();
    const folder = path.join(scene.home.person, 'project');
    mkdirSync(folder);
    await type(`/folder ${folder}`);
    await scene.panel.page.enter();
    await gone(two, 'the one of another folder');
    await empty();
    const three = await spare('c');
    assert.notEqual(three, two);
    await empty();
    await scene.home.ok(['settings', 'set', 'agents.default', 'builtin']);
    await gone(three, 'the one of another agent');
    await scene.home.ok(['settings', 'set', 'agents.default', 'claude']);
    await empty();
  });

  test('nothing of it is left by a killed daemon, nor by a panel that is closed', async () => {
    await freshTab('five');
    const before = agents();
    await type('d');
    const spare = (await until(() => agents().length === before.length + 1 && agents(), 'one more')).find((pid) => !before.includes(pid));
    await scene.home.kill(await scene.home.only('daemon'));
    await gone(spare, 'the one of a killed daemon');
    const next = await until(() => agents().find((pid) => !before.includes(pid)), 'the panel, back at the next daemon, has one again');
    await scene.client.send('Target.closeTarget', { targetId: scene.panel.page.targetId });
    await gone(next, 'the one of a closed panel');
  });
});
