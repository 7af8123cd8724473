/*
 * Failures anywhere between the panel and the agent: no message is lost, and the failure recovers by itself or says
 * what to do.
 */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { EXTENSION_ID } from './harness/home.mjs';
import { Scene } from './harness/scene.mjs';
import { isAlive } from './harness/processes.mjs';

describe('in the middle of an answer', () => {
  let scene;
  beforeEach(async () => {
    scene = await Scene.open();
  });
  afterEach(() => scene?.close());

  /** Starts a turn and waits for its first words in the panel. */
  async function begun() {
    const turn = await scene.ask('Tell me');
    turn.say('One, ');
    await scene.panel.seen('answer', 'One,');
    return turn;
  }

  /** Checks that the rest of the turn arrives once and in order. */
  async function goesOn(turn) {
    turn.say('two, ');
    turn.say('three.');
    await scene.panel.seen('answer', 'One, two, three.');
    turn.end();
    await scene.panel.gone('stop');
    assert.equal((await scene.panel.texts('bubble')).length, 1);
    assert.equal((await scene.panel.texts('answer')).join(''), 'One, two, three.');
  }

  test('the service worker is stopped: the panel wakes it and goes on', async () => {
    const turn = await begun();
    const worker = await scene.client.target((one) => one.type === 'service_worker' && one.url.includes(EXTENSION_ID), 'the worker');
    await scene.panel.page.send('ServiceWorker.enable');
    await scene.panel.page.send('ServiceWorker.stopAllWorkers');
    await scene.client.gone(worker.targetId, 'the worker');
    await scene.panel.connected();
    await goesOn(turn);
  });

  test('the native host is killed: another one takes over', async () => {
    const turn = await begun();
    const host = await scene.home.only('host');
    await scene.home.kill(host);
    turn.say('two, ');
    await scene.panel.seen('answer', 'One, two,');
    assert.notEqual(await scene.home.only('host'), host);
    turn.say('three.');
    await scene.panel.seen('answer', 'One, two, three.');
    turn.end();
    await scene.panel.gone('stop');
  });

  test('the extension is reloaded: the panel comes back with all of it', async () => {
    const turn = await begun();
    const worker = await scene.client.target((one) => one.type === 'service_worker' && one.url.includes(EXTENSION_ID), 'the worker');
    const session = await scene.client.attach(worker.targetId);
    session.evaluate('chrome.runtime.reload()').catch(() => {});
    await scene.panelAgain();
    await goesOn(turn);
  });

  test('the renderer of the extension is killed: it is loaded again and the panel comes back', async () => {
    const turn = await begun();
    // A CDP client keeps a crashed target in the list while it is attached to it.
    await scene.lookAway();
    for (const { pid } of scene.home.processes('extension-renderer')) await scene.home.kill(pid);
    await scene.lookAgain();
    await goesOn(turn);
  });

  test('the daemon is killed: the browser stays, what was said stays, the next message works', async () => {
    const turn = await begun();
    const browser = await scene.home.only('browser');
    const folder = await scene.panel.page.evaluate(`document.querySelector('.folder-button').innerText`);
    assert.notEqual(folder, '');
    await scene.home.kill(await scene.home.only('daemon'));
    await turn.gone();
    await scene.panel.connected();
    await scene.panel.page.waitFor(
      `document.querySelector('.folder-button').innerText === ${JSON.stringify(folder)}`,
      'the folder, also of the next daemon',
    );
    await scene.panel.seen('bubble', 'Tell me');
    await scene.panel.seen('answer', 'One,');
    await scene.panel.gone('stop');
    assert.equal(await scene.home.only('browser'), browser, 'the same browser');
    const next = await scene.ask('Again');
    const filling = next.tool('fill', { selector: '#name', value: 'Grace' });
    await scene.panel.answer('once');
    const filled = await filling;
    assert.ok(!filled.isError, JSON.stringify(filled));
    assert.equal(await scene.page.evaluate('document.querySelector("#name").value'), 'Grace');
    next.say('Done.');
    next.end();
    await scene.panel.seen('answer', 'Done.');
    await scene.panel.gone('stop');
  });

  test('the daemon is killed while a message goes into an empty conversation: the next daemon gets it', async () => {
    const host = await scene.home.only('host');
    // The message is under way when the daemon, and with it the empty conversation, ends.
    process.kill(host, 'SIGSTOP');
    await scene.panel.say('Are you there?');
    await scene.home.kill(await scene.home.only('daemon'));
    process.kill(host, 'SIGCONT');
    const turn = await scene.agent.prompt();
    assert.ok(turn.prompt.includes('Are you there?'), turn.prompt);
    turn.say('Yes.');
    turn.end();
    await scene.panel.seen('answer', 'Yes.');
    assert.equal((await scene.panel.texts('bubble')).length, 1);
  });

  test('the browser is killed: the turn ends, commands say so, connect opens it again with the history', async () => {
    const turn = await begun();
    const browser = await scene.home.only('browser');
    await scene.home.kill(browser);
    const { code, stderr } = await scene.home.run(['text'], { environment: { GSTACK_NO_AUTOSTART: '1' } });
    assert.notEqual(code, 0);
    assert.match(stderr, /gstack connect/);
    turn.end();
    await scene.home.connect(['--headless', scene.site.origin]);
    assert.notEqual(await scene.home.only('browser'), browser);
    assert.match(await scene.home.ok(['url']), /127\.0\.0\.1/);
  });
});

describe('ends in order', () => {
  test('stop leaves the browser, connect finds it again, disconnect closes it', async () => {
    const scene = await Scene.open({ agent: false });
    try {
      const browser = await scene.home.only('browser');
      await scene.home.ok(['stop']);
      assert.ok(isAlive(browser), 'the browser stays');
      await scene.home.connect();
      assert.equal(await scene.home.only('browser'), browser);
      await scene.home.ok(['disconnect']);
      assert.ok(!isAlive(browser), 'the browser is closed');
    } finally {
      await scene.close();
    }
  });
});
