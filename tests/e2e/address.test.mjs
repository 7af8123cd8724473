/*
 * A page whose URL and title are longer than a message may be: the panel continues to work, and so does the terminal.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Scene } from './harness/scene.mjs';

let scene;
before(async () => {
  scene = await Scene.open();
});
after(() => scene?.close());

test('an address of 600,000 characters silences no panel and no terminal', async () => {
  await scene.talk('Before', 'It was short.');
  await scene.page.evaluate(`history.replaceState(0, '', '#' + 'x'.repeat(600000)); document.title = 'y'.repeat(300000) + '\\ud83d'`);
  await scene.talk('After', 'It is long.');
  await scene.panel.page.send('Page.reload');
  await scene.panel.connected();
  await scene.panel.seen('answer', 'It is long.');
  const said = scene.home.run(['chat', 'From the terminal']);
  const turn = await scene.agent.prompt();
  assert.ok(turn.prompt.includes('From the terminal'));
  turn.say('It reads you.');
  turn.end();
  const { code, stdout, stderr } = await said;
  assert.equal(code, 0, stderr);
  assert.match(stdout, /It reads you\./);
  const tabs = await scene.home.json('tabs');
  assert.ok(JSON.stringify(tabs).includes('#xxx'));
  assert.match(await scene.home.ok(['sessions']), /Before/);
});
