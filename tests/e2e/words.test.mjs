/* Each failure between the panel and the agent has its own message in the panel, and a remedy that works. */
import assert from 'node:assert/strict';
import { mkdirSync, renameSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { EXTENSION_ID } from './harness/home.mjs';
import { Scene } from './harness/scene.mjs';

/** From now on, records everything that the panel shows about its connection. */
const WATCH = `(() => {
  globalThis.said = [];
  const look = () => {
    const words = document.querySelector('.connection').getAttribute('aria-label') + ' | ' + document.querySelector('#banner').innerText;
    if (globalThis.said.at(-1) !== words) globalThis.said.push(words);
  };
  new MutationObserver(look).observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
})()`;
const said = (words) => `globalThis.said?.some((one) => one.includes(${JSON.stringify(words)}))`;

describe('what the panel says', () => {
  let scene;
  before(async () => {
    scene = await Scene.open();
    const turn = await scene.ask('Hello');
    turn.say('Hello.');
    turn.end();
    await scene.panel.gone('stop');
  });
  after(() => scene?.close());

  test('of a worker that was stopped: it connects again', async () => {
    const { panel, client } = scene;
    await panel.page.evaluate(WATCH);
    const worker = await client.target((one) => one.type === 'service_worker' && one.url.includes(EXTENSION_ID), 'the worker');
    await panel.page.send('ServiceWorker.enable');
    await panel.page.send('ServiceWorker.stopAllWorkers');
    await client.gone(worker.targetId, 'the worker');
    await panel.page.waitFor(said('connecting'));
    await panel.connected();
    assert.deepEqual(
      await panel.page.evaluate(`globalThis.said.filter((one) => /daemon/i.test(one))`),
      [],
      'nothing of the daemon, which lives',
    );
  });

  test('of a host that was killed: the host, and that nothing is lost', async () => {
    const { panel, home } = scene;
    await panel.page.evaluate(WATCH);
    await home.kill(await home.only('host'));
    await panel.page.waitFor(`${said('gstack: reconnecting')} && ${said('The connection to gstack was lost.')}`);
    await panel.connected();
    await panel.page.waitFor(`document.querySelector('#banner').hidden`);
  });

  test('of a daemon that was killed: the daemon', async () => {
    const { panel, home } = scene;
    await panel.page.evaluate(WATCH);
    await home.kill(await home.only('daemon'));
    await panel.page.waitFor(said('gstack: '));
    await panel.connected();
    await panel.page.waitFor(`document.querySelector('#banner').hidden`);
  });

  test('of a host that is not installed: the command that installs it; then it goes on without a reload', async () => {
    const { panel, home } = scene;
    const hosts = path.join(home.home, 'chromium-profile/NativeMessagingHosts');
    const aside = path.join(home.folder, 'aside');
    renameSync(hosts, aside);
    await home.kill(await home.only('host'));
    await panel.page.waitFor(`document.querySelector('#banner').innerText.includes('find gstack')
      && document.querySelector('#banner code')?.innerText === 'gstack install-host'`);
    await panel.say('Is it lost?');
    await panel.page.waitFor(`document.querySelector('.bubble-note--failed')?.innerText.includes('not sent')`);
    mkdirSync(path.dirname(hosts), { recursive: true });
    renameSync(aside, hosts);
    await panel.page.evaluate(`document.querySelector('#banner .button').click()`);
    await panel.connected();
    const turn = await scene.agent.prompt();
    assert.match(turn.prompt, /Is it lost\?/);
    turn.say('No.');
    turn.end();
    await panel.seen('answer', 'No.');
    await panel.gone('stop');
  });

  test('of an agent that is not there any more: how to get it; once it is back the message goes again', async () => {
    const { panel, home } = scene;
    const program = path.join(home.person, '.local/bin/claude');
    // A new conversation starts a new process of the agent.
    await panel.say('/new');
    await panel.page.waitFor(`!document.querySelector('.bubble')`);
    renameSync(program, `${program}.aside`);
    await panel.say('Are you there?');
    await panel.page.waitFor(`document.querySelector('.card--danger')`, 'a card that says why');
    const words = await panel.page.evaluate(`document.querySelector('.card--danger').innerText`);
    assert.match(words, /Claude Code/);
    renameSync(`${program}.aside`, program);
    await panel.page.evaluate(
      `[...document.querySelectorAll('.card--danger button')].find((one) => /installed it|Retry/.test(one.innerText)).click()`,
    );
    const turn = await scene.agent.prompt();
    assert.match(turn.prompt, /Are you there\?/);
    turn.end();
    await panel.gone('stop');
  });
});
