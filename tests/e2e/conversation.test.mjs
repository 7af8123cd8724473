/* A conversation from a person's view: in the side panel of a real browser, about a real page. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { PARTS } from './harness/panel.mjs';
import { Scene } from './harness/scene.mjs';

describe('a conversation in the side panel', () => {
  let scene;
  before(async () => {
    scene = await Scene.open();
  });
  afterEach(() => scene.agent.settle());
  after(() => scene?.close());

  test('connect tells each step and says what comes next', () => {
    assert.match(scene.connected, /Connected/);
    assert.match(scene.connected, /ms/);
  });

  test('a message shows at once, the agent thinks, streams, acts, and the page really changes', async () => {
    const { panel, page } = scene;
    const turn = await scene.ask('Order for Ada, please');
    await panel.seen('bubble', 'Order for Ada, please');
    await panel.seen('thinking');
    turn.say('I fill ');
    await panel.seen('answer', 'I fill');
    turn.say('the **form**.');
    await panel.seen('answer', 'I fill the form.');
    const filling = turn.tool('fill', { selector: '#name', value: 'Ada' });
    // A change of the page needs an approval; an action that is allowed for the conversation does not need another one.
    await panel.seen('approval', 'fill');
    assert.equal(await page.evaluate('document.querySelector("#name").value'), '', 'nothing happens before the answer');
    await panel.answer('conversation');
    const filled = await filling;
    assert.ok(!filled.isError, JSON.stringify(filled));
    await panel.seen('stepDone', 'Filling Name');
    assert.equal(await page.evaluate('document.querySelector("#name").value'), 'Ada');
    // Submitting a form is a scope of its own: an approval for typing does not cover it.
    const ordering = turn.tool('click', { selector: 'text=Order now' });
    await panel.seen('approval', 'Order now');
    assert.equal(await page.evaluate('document.querySelector("#said").textContent'), '', 'nothing is sent before the answer');
    await panel.answer('once');
    assert.ok(!(await ordering).isError);
    assert.equal(await page.waitFor('document.querySelector("#said").textContent'), 'Ordered by Ada');
    turn.end();
    await panel.seen('footer', 'claude code');
    await panel.gone('stop');
    assert.equal((await panel.texts('bubble')).length, 1, 'the message stands there once');
  });

  test('what a page says is marked as untrusted for the agent', async () => {
    const turn = await scene.ask('What does it say?');
    const read = await turn.tool('text', {});
    const text = read.content.map((one) => one.text).join('\n');
    assert.match(text, /UNTRUSTED TEXT [0-9a-f]{8}\]/);
    assert.match(text, /Order/);
    turn.end();
    await scene.panel.gone('stop');
  });

  test('secrets of the browser are not among the tools', async () => {
    const turn = await scene.ask('Which tools?');
    const names = (await turn.tools()).tools.map((tool) => tool.name);
    for (const secret of ['cookies', 'cdp', 'storage', 'cookie-import-browser']) assert.ok(!names.includes(secret), secret);
    for (const needed of ['goto', 'snapshot', 'click', 'fill', 'text']) assert.ok(names.includes(needed), needed);
    turn.end();
    await scene.panel.gone('stop');
  });

  test('a question waits across a reload of the panel, and no means no', async () => {
    await scene.panel.page.click('button[aria-label^="New"], button[title^="New"]');
    await scene.panel.page.waitFor(`!document.querySelector('.bubble')`, 'an empty conversation');
    const turn = await scene.ask('Change my name');
    const filling = turn.tool('fill', { selector: '#name', value: 'Mallory' });
    await scene.panel.seen('approval', 'fill');
    await scene.panel.page.send('Page.reload');
    await scene.panel.connected();
    await scene.panel.answer('Deny');
    const { isError, content } = await filling;
    assert.ok(isError);
    assert.match(content[0].text, /denied|said no|not allowed/i);
    assert.notEqual(await scene.page.evaluate('document.querySelector("#name").value'), 'Mallory');
    turn.end();
    await scene.panel.gone('stop');
  });

  test('stop ends the turn, keeps what was said, and the agent answers the next message', async () => {
    const turn = await scene.ask('Talk long');
    turn.say('Once upon a time');
    await scene.panel.seen('answer', 'Once upon a time');
    await scene.panel.page.click('.stop');
    await turn.interrupted();
    await scene.panel.gone('stop');
    await scene.panel.seen('answer', 'Once upon a time');
    const next = await scene.ask('And now?');
    next.say('Here I am.');
    next.end();
    await scene.panel.seen('answer', 'Here I am.');
    await scene.panel.gone('stop');
  });

  test('stopping at an unanswered approval says that nothing was sent, not that the outcome is unknown', async () => {
    const { panel, page } = scene;
    const turn = await scene.ask('Fill in my name');
    const filling = turn.tool('fill', { selector: '#name', value: 'Mallory' });
    await panel.seen('approval', 'fill');
    await panel.page.click('.stop');
    await turn.interrupted();
    await panel.gone('stop');
    await filling.catch(() => {});
    await panel.page.waitFor(`[...document.querySelectorAll('.step__reason')].at(-1)?.textContent.includes('it did nothing')`);
    assert.notEqual(await page.evaluate('document.querySelector("#name").value'), 'Mallory');
  });

  test('what is typed at an approval only joined the queue: it denies the action and reaches the agent next', async () => {
    const { panel, agent } = scene;
    const turn = await scene.ask('Fill in my name again');
    const filling = turn.tool('fill', { selector: '#name', value: 'Mallory' });
    await panel.seen('approval', 'fill');
    await panel.say('Write Grace instead');
    assert.ok((await filling).isError);
    await turn.interrupted();
    const next = await agent.prompt();
    assert.match(next.prompt, /Write Grace instead/);
    await panel.page.waitFor(`document.querySelector('.decided--no')?.textContent.includes('by you')`);
    await panel.gone('queued');
    next.end();
    await panel.gone('stop');
  });

  test('messages wait in a queue, in order, and can be taken back', async () => {
    const { panel } = scene;
    const first = await scene.ask('first');
    await panel.say('second');
    await panel.say('third');
    await panel.count('queued', 2);
    await panel.page.waitFor(`!document.querySelector('.queue-chip:last-of-type button').disabled`);
    await panel.page.click('.queue-chip:last-of-type button:last-of-type');
    await panel.count('queued', 1);
    first.end();
    const second = await scene.agent.prompt();
    assert.ok(second.prompt.includes('second'));
    second.end();
    await panel.gone('stop');
    assert.ok(!(await panel.texts('bubble')).some((text) => text.includes('third')));
  });

  test('the panel reloaded in mid-turn shows all of it and goes on', async () => {
    const turn = await scene.ask('Tell in two parts');
    turn.say('Part one. ');
    await scene.panel.seen('answer', 'Part one.');
    await scene.panel.page.send('Page.reload');
    turn.say('Part two.');
    await scene.panel.connected();
    await scene.panel.seen('answer', 'Part one. Part two.');
    turn.end();
    await scene.panel.gone('stop');
  });

  test('doctor proves every hop by an answer of its own', async () => {
    const { hops } = JSON.parse(await scene.home.ok(['doctor', '--json']));
    assert.deepEqual(
      hops.map((hop) => hop.hop),
      ['daemon', 'browser', 'host', 'background', 'panel', 'agent'],
    );
    assert.deepEqual(
      hops.filter((hop) => !hop.ok),
      [],
    );
    for (const asked of ['browser', 'background', 'panel']) assert.ok(hops.find((hop) => hop.hop === asked).millis > 0, asked);
  });

  test('a draft survives the panel', async () => {
    const { panel } = scene;
    await panel.page.click('.composer__text');
    await panel.page.insert('half a thou');
    await panel.page.waitFor(`chrome.storage.local.get(null).then((all) => Object.values(all).includes('half a thou'))`);
    await panel.page.send('Page.reload');
    await panel.connected();
    await panel.page.waitFor(`document.querySelector('.composer__text').value === 'half a thou'`);
    await panel.page.evaluate(`(() => {
      const box = document.querySelector('.composer__text');
      box.value = '';
      box.dispatchEvent(new Event('input', { bubbles: true }));
    })()`);
  });

  test('an agent that crashes is named, and the next message starts it again', async () => {
    const turn = await scene.ask('Crash');
    turn.say('I am about to');
    await scene.panel.seen('answer', 'I am about to');
    turn.crash();
    await turn.gone();
    await scene.panel.page.waitFor(`/Claude Code/.test(document.body.innerText) && /ended|crashed|stopped/i.test(document.body.innerText)`);
    await scene.panel.gone('stop');
    const next = await scene.ask('Are you back?');
    next.say('I am back.');
    next.end();
    await scene.panel.seen('answer', 'I am back.');
    await scene.panel.gone('stop');
  });

  test('the same conversation from the terminal streams the answer', async () => {
    const child = scene.home.run(['chat', 'from the shell']);
    const turn = await scene.agent.prompt();
    turn.say('Hello shell.');
    turn.end();
    const { code, stdout, stderr } = await child;
    assert.equal(code, 0, stderr);
    assert.match(stdout, /Hello shell\./);
    await scene.panel.seen('answer', 'Hello shell.');
  });

  test('a conversation that is deleted in a terminal leaves the panel, and the next message begins another', async () => {
    const { home, panel } = scene;
    const first = await scene.ask('soon deleted');
    first.end();
    await panel.gone('stop');
    const listed = JSON.parse(await home.ok(['sessions', '--json']));
    const { conversationId } = listed.conversations.find((one) => one.tabId);
    await panel.page.click(PARTS.composer);
    await panel.page.insert('half typed');
    await home.ok(['sessions', 'delete', conversationId]);
    await panel.page.waitFor(`!/soon deleted/.test(document.querySelector('main').innerText)`, 'the conversation is still shown');
    assert.equal(await panel.page.evaluate(`document.querySelector('textarea').value`), 'half typed', 'it goes on in the next one');
    const next = await scene.ask('and another one');
    next.say('Here I am.');
    next.end();
    await panel.seen('answer', 'Here I am.');
    await panel.gone('stop');
  });

  test('the panel closed and opened again by connect shows the conversation', async () => {
    const turn = await scene.ask('Stay');
    await scene.client.send('Target.closeTarget', { targetId: scene.panel.page.targetId });
    turn.say('Still here.');
    await scene.client.gone(scene.panel.page.targetId, 'the panel');
    await scene.home.connect();
    const panel = await scene.panelAgain();
    await panel.seen('bubble', 'Stay');
    await panel.seen('answer', 'Still here.');
    turn.end();
    await panel.gone('stop');
  });
});

describe('a machine without an agent', () => {
  let scene;
  before(async () => {
    scene = await Scene.open({ agent: false, at: '/counter' });
  });
  after(() => scene?.close());

  test('the built-in agent answers and does plain commands', async () => {
    const { panel, page } = scene;
    await panel.say('help');
    await panel.seen('answer');
    await panel.gone('stop');
    await panel.say('click text=Add one');
    assert.equal(await page.waitFor(`document.querySelector('#count').textContent === '1' && '1'`), '1');
    await panel.gone('stop');
  });

  test('it says that no agent was found and how to get one', async () => {
    const agents = await scene.home.ok(['agents']);
    assert.match(agents, /claude/i);
    assert.match(agents, /Built-in/);
  });
});
