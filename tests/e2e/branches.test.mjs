/*
 * An earlier message, edited: the conversation goes on from there in a branch, and the old one stays whole. With the real
 * panel, host and daemon.
 */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { Scene } from './harness/scene.mjs';
import { until } from './harness/wait.mjs';

const COMPOSER = `document.querySelector('.composer__text')`;
const EDITING = '#editing:not([hidden])';

describe('an earlier message is edited', () => {
  let scene;
  beforeEach(async () => {
    scene = await Scene.open();
  });
  afterEach(() => scene?.close());

  const bubbles = () => scene.panel.texts('bubble');
  /** Opens the editor of a message of the person: 0 for the first. */
  const edit = async (index) => {
    const { page } = scene.panel;
    const button = `document.querySelectorAll('.turn--message')[${index}]?.querySelector('.bubble-edit')`;
    await page.waitFor(button, 'the message can be edited');
    assert.equal(await page.evaluate(`${button}.getAttribute('aria-label')`), 'Edit and go on from here');
    await page.evaluate(`${button}.focus()`);
    assert.equal(await page.evaluate(`getComputedStyle(${button}).opacity`), '1', 'the keyboard shows the button');
    await page.enter();
    await page.waitFor(`document.querySelector('${EDITING}') && document.activeElement === ${COMPOSER}`, 'the message is in the composer');
  };
  /** Replaces the composer's text. */
  const write = async (text) => {
    await scene.panel.page.evaluate(`${COMPOSER}.select()`);
    await scene.panel.page.insert(text);
  };
  /** Returns the conversations of the history. */
  const history = async () => (await scene.home.json('sessions')).conversations;
  const stored = (words, fits) => until(async () => fits(await scene.panel.page.evaluate('chrome.storage.local.get(null)')), words);
  /** Returns the message and answer texts of the branch and of the old conversation, once the branch is shown. */
  const shown = async (texts) => {
    await scene.panel.page.waitFor(
      `JSON.stringify([...document.querySelectorAll('.bubble')].map((one) => one.textContent))
        === ${JSON.stringify(JSON.stringify(texts))}`,
      `the branch shows ${texts.join()}`,
    );
  };

  test('an earlier message could not be edited: a branch goes on from there, and the old conversation stays in History', async () => {
    await scene.talk('My cat is Tom', 'Noted.');
    await scene.talk('Draw a dog', 'A dog.');
    await scene.panel.page.insert('half a thought');
    await edit(1);
    assert.equal(await scene.panel.page.evaluate(`${COMPOSER}.value`), 'Draw a dog');
    assert.equal(await scene.panel.page.evaluate(`document.querySelector('.turn--edited .bubble').textContent`), 'Draw a dog');
    await write('Draw my cat');
    await scene.panel.page.enter();
    const turn = await scene.agent.prompt();
    assert.match(turn.prompt, /My cat is Tom[\s\S]*Noted\.[\s\S]*Draw my cat/, 'the agent knows what came before');
    assert.doesNotMatch(turn.prompt, /dog/i, 'and nothing that came after');
    turn.say('Tom, drawn.');
    turn.end();
    await scene.panel.seen('answer', 'Tom, drawn.');
    await shown(['My cat is Tom', 'Draw my cat']);
    assert.equal(await scene.panel.page.evaluate(`${COMPOSER}.value`), '', 'what was half written belongs to the old conversation');
    const { page } = scene.panel;
    assert.match(
      await page.evaluate(`document.querySelector('#origin').innerText.replace(/[\u2066-\u2069]/g, '')`),
      /A branch of .*My cat is Tom.*Open it/,
    );
    const list = await history();
    assert.equal(list.length, 2);
    const [branch, old] = [list.find((one) => one.branchOf), list.find((one) => !one.branchOf)];
    assert.equal(branch.branchOf.conversationId, old.conversationId);
    assert.equal(branch.title, 'Draw my cat');
    assert.ok(branch.tabId && !old.tabId, 'the tab is the branch’s');
    await page.click('#origin .link');
    await shown(['My cat is Tom', 'Draw a dog']);
    await scene.panel.seen('answer', 'A dog.');
    assert.equal(await page.evaluate(`document.querySelector('.bubble-edit')`), null, 'only the tab’s own conversation is edited');
    await page.evaluate(`document.querySelector('#reading .button--solid').click()`);
    await page.waitFor(`${COMPOSER}.value === 'half a thought'`, 'what was half written is still there');
    await page.click('button[aria-label=History]');
    await page.waitFor(`document.querySelector('#history')?.innerText.includes('A branch of')`, 'the history says what is a branch');
  });

  test('the daemon is killed between the edit and its sending: the edit stays, and is sent once', async () => {
    await scene.talk('One', 'First.');
    await scene.talk('Two', 'Second.');
    await scene.panel.page.insert('before');
    await edit(1);
    await write('Two, but shorter');
    await stored('the edit is saved', (all) => Object.values(all).includes('Two, but shorter'));
    await scene.home.kill(await scene.home.only('daemon'));
    await scene.panel.page.send('Page.reload');
    await scene.panel.connected();
    await scene.panel.page.waitFor(
      `document.querySelector('${EDITING}') && ${COMPOSER}.value === 'Two, but shorter'`,
      'the edit is there again',
    );
    await scene.home.kill(await scene.home.only('daemon'));
    await scene.panel.page.evaluate(`${COMPOSER}.focus()`);
    await scene.panel.page.enter();
    const turn = await scene.agent.prompt();
    assert.match(turn.prompt, /One[\s\S]*First\.[\s\S]*Two, but shorter/);
    turn.say('2');
    turn.end();
    await scene.panel.seen('answer', '2');
    await shown(['One', 'Two, but shorter']);
    // The same request again, after a daemon that does not know that it had answered it.
    await scene.home.kill(await scene.home.only('daemon'));
    await scene.panel.connected();
    await shown(['One', 'Two, but shorter']);
    const list = await history();
    assert.deepEqual(list.map((one) => one.title).sort(), ['One', 'Two, but shorter']);
    await stored('nothing is left to send', (all) => !Object.keys(all).some((key) => /^(?:unsent|edit):/.test(key)));
  });

  test('a turn runs and a message waits: the branch stops the turn, and what waited stays with the old conversation', async () => {
    await scene.talk('One', 'First.');
    const running = await scene.ask('Two');
    running.say('Sec');
    await scene.panel.seen('answer', 'Sec');
    await scene.panel.say('Later');
    await scene.panel.seen('queued', 'Later');
    await edit(1);
    await scene.panel.page.waitFor(
      `document.querySelector('${EDITING}').innerText.includes('is stopped then')`,
      'the line says what happens',
    );
    await write('Two, again');
    await scene.panel.page.enter();
    await running.interrupted();
    const turn = await scene.agent.prompt();
    turn.say('Again.');
    turn.end();
    await scene.panel.seen('answer', 'Again.');
    await shown(['One', 'Two, again']);
    const old = (await history()).find((one) => !one.branchOf);
    assert.equal(old.queued, 1);
    await scene.panel.page.click('#origin .link');
    await scene.panel.page.waitFor(`document.querySelector('#conversation').innerText.includes('stopped')`, 'the old turn was stopped');
  });

  test('Cancel and Escape put back what was in the composer, and an unsent edit is taken back as an edit', async () => {
    await scene.talk('One', 'First.');
    const { page } = scene.panel;
    for (const leave of [() => page.click('#editing .button'), () => page.press('Escape', { keyCode: 27 })]) {
      await write('half a thought');
      await edit(0);
      await write('One!');
      await leave();
      await page.waitFor(`${COMPOSER}.value === 'half a thought' && !document.querySelector('${EDITING}')`, 'the edit is over');
    }
    await edit(0);
    await write('字'.repeat(220_000));
    await page.enter();
    await page.waitFor(`document.querySelector('.bubble--failed')`, 'a message that is too long is refused');
    assert.equal((await history()).length, 1, 'nothing was branched');
    await page.waitFor(`[...document.querySelectorAll('.bubble-note button')].at(-1)?.click() ?? true`, 'Take back');
    await page.waitFor(`document.querySelector('${EDITING}') && ${COMPOSER}.value.length === 220_000`, 'it is edited again');
    await write('Uno');
    await page.enter();
    const turn = await scene.agent.prompt();
    turn.say('Primero.');
    turn.end();
    await scene.panel.seen('answer', 'Primero.');
    await shown(['Uno']);
    assert.deepEqual((await bubbles()).length, 1);
  });
});
