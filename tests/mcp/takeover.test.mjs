/*
 * The person takes a tab over from an agent or an MCP client by their own input, and hands it back. The person's input is
 * that of the test's own DevTools connection: trusted events that gstack did not send.
 */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { seen } from '../e2e/harness/marks.mjs';
import { Scene } from '../e2e/harness/scene.mjs';
import { words } from '../e2e/harness/stand-in.mjs';
import { until } from '../e2e/harness/wait.mjs';
import { startClient } from './client.mjs';
import { openTunnel, Terminal } from './holders.mjs';

const STRIP = `document.querySelector('#takeover')`;
const value = `document.querySelector('#name').value`;

describe('taking a tab over', () => {
  let scene;
  let mine;
  const open = [];
  const panel = () => scene.panel.page;
  const start = async (name, ...args) => {
    const started = await startClient(scene.home, name, ...args);
    open.push(started.client);
    return started;
  };
  const takenOver = (who) => panel().waitFor(`!${STRIP}.hidden && ${STRIP}.innerText.includes('${who}')`, `${who} is paused`);
  const running = async () => {
    const { entries } = await scene.home.json('activity');
    return entries.filter(({ driver, outcome }) => driver && outcome === 'running').map(({ command }) => command);
  };
  const notTaken = () => panel().waitFor(`${STRIP}.hidden`, 'nobody is paused');
  const handBack = async (note = '') => {
    await panel().evaluate(`{
      const field = ${STRIP}.querySelector('input');
      field.value = ${JSON.stringify(note)};
      ${STRIP}.querySelector('button').click();
    }`);
    await notTaken();
  };

  before(async () => {
    scene = await Scene.open();
    mine = (await scene.home.json('tabs')).data[0].id;
    await scene.home.ok(['policy', 'allow', 'act', '--site', new URL(scene.site.origin).host]);
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((client) => client.close()));
    await notTaken();
  });
  after(async () => {
    await scene?.close();
  });

  test("a client's own clicks and keys do not pause it, nor does the person's scrolling", async () => {
    const client = await start('busy', '--tab', String(mine));
    for (let round = 0; round < 5; round++) {
      await client.call('click', { selector: '#name' });
      await client.call('type', { text: `Ada ${round}` });
      await client.call('press', { key: 'Tab' });
    }
    await scene.page.send('Input.dispatchMouseEvent', { type: 'mouseWheel', x: 50, y: 50, deltaX: 0, deltaY: 40 });
    await scene.page.evaluate('document.activeElement.blur()');
    await scene.page.press('PageDown');
    await scene.page.press('Shift');
    // A page can neither call the binding nor forge a trusted event.
    await scene.page.evaluate(`{
      if (globalThis.gstackPersonActs || globalThis.__gstack) throw new Error('the page sees it');
      for (const type of ['pointerdown', 'keydown', 'pointerup']) {
        const made = type === 'keydown' ? new KeyboardEvent(type, { key: 'a', bubbles: true }) : new PointerEvent(type, { bubbles: true });
        document.querySelector('#name').dispatchEvent(made);
      }
      document.querySelector('button').click();
    }`);
    await client.call('fill', { selector: '#name', value: 'Lin' });
    assert.equal(await scene.page.evaluate(value), 'Lin');
    await notTaken();
  });

  test('a click of the person cancels what runs; no act starts until the tab is handed back, with a note and a fresh page', async () => {
    const client = await start('cursor', '--name', 'work', '--tab', String(mine));
    await client.call('fill', { selector: '#name', value: 'Ada' });
    const waits = client.run('wait', { selector: '#never', timeout: 45_000 });
    await until(async () => (await running()).includes('wait'), 'the command runs');
    await scene.page.click('#email');
    await takenOver('cursor (work)');
    assert.ok(await panel().evaluate(`document.querySelector('#lease').hidden`), 'it does not work there now');
    const filling = client.run('fill', { selector: '#name', value: 'Mallory' });
    await scene.page.insert('ada@shop.example');
    await scene.page.evaluate(`document.querySelector('h1').textContent = 'A new order'`);
    // A call that arrives after the tab is handed back may run: this one waits for it.
    await until(async () => (await running()).includes('fill'), 'the act has arrived');
    assert.equal(await scene.page.evaluate(value), 'Ada', 'nothing was done meanwhile');
    await handBack('I filled in the email.');
    for (const call of [waits, filling]) {
      const { failed, text } = await call;
      assert.ok(failed, text);
      assert.match(text, /The person took over this tab and has handed it back/);
      assert.match(text, /\[UNTRUSTED TEXT [0-9a-f]{8}[\s\S]*textbox/, 'the page as it is now');
    }
    const told = [(await waits).text, (await filling).text].filter((text) => text.includes('They say: I filled in the email.'));
    assert.equal(told.length, 1, 'the note is given once');
    assert.equal(await scene.page.evaluate(value), 'Ada');
    await client.call('fill', { selector: '#name', value: 'Grace' });
    assert.equal(await scene.page.evaluate(value), 'Grace', 'it goes on');
  });

  test('a press of the person in the tab of a tunnel pauses it; it goes on with the note and a fresh page', async () => {
    const tunnel = await openTunnel(scene.home, 'build', '--tabs', String(mine));
    try {
      const there = await start('there', '--socket', tunnel.socket);
      await there.call('fill', { selector: '#name', value: 'Ada' });
      await scene.page.press('a', { text: 'a', keyCode: 65 });
      await takenOver('tunnel (build)');
      const filling = there.run('fill', { selector: '#name', value: 'Mallory' });
      await until(async () => (await running()).includes('fill'), 'the act has arrived');
      await scene.page.evaluate(`document.querySelector('h1').textContent = 'An order from here'`);
      const before = await scene.page.evaluate(value);
      await handBack('I typed a letter.');
      const { failed, text } = await filling;
      assert.ok(failed, text);
      assert.match(text, /has handed it back\. They say: I typed a letter\./);
      assert.match(text, /UNTRUSTED TEXT[\s\S]*textbox/, 'the page as it is now');
      assert.equal(await scene.page.evaluate(value), before, 'what it asked for meanwhile is not done');
      await there.call('fill', { selector: '#name', value: 'Grace' });
      assert.equal(await scene.page.evaluate(value), 'Grace', 'it goes on');
      assert.match(await there.call('text'), /An order from here/);
    } finally {
      await tunnel.end();
    }
  });

  test('a click of the person in the tab of a named shell pauses it; its next command gets the note and does nothing', async () => {
    const shell = new Terminal(scene.home, 'shop');
    try {
      await shell.ok(`lease ${mine}`);
      await shell.ok(`--tab ${mine} fill '#name' Ada`);
      const waits = shell.run(`--tab ${mine} wait '#never' --timeout 120000`);
      await until(async () => (await running()).includes('wait'), 'the command runs');
      await scene.page.click('#email');
      await takenOver('terminal (shop)');
      assert.notEqual((await waits).code, 0, 'what runs is cancelled');
      const filling = shell.run(`--tab ${mine} fill '#name' Mallory`);
      await until(async () => (await running()).includes('fill'), 'the act has arrived');
      await handBack('I chose the email field.');
      const { code, said } = await filling;
      assert.notEqual(code, 0, said);
      assert.match(said, /has handed it back\. They say: I chose the email field\.[\s\S]*Take a snapshot, and decide again/);
      assert.equal(await scene.page.evaluate(value), 'Ada');
      assert.match(await shell.ok(`--tab ${mine} snapshot -i`), /textbox/);
      await shell.ok(`--tab ${mine} fill '#name' Grace`);
      assert.equal(await scene.page.evaluate(value), 'Grace', 'it goes on');
    } finally {
      await shell.end();
    }
  });

  test("the terminal takes over and hands back; only the person's", async () => {
    const client = await start('zed', '--tab', String(mine));
    await client.call('url');
    assert.match(await scene.home.ok(['pause', String(mine)]), /You took over tab \d+ from zed/);
    await takenOver('zed');
    const reading = client.run('text', {});
    assert.match(await scene.home.ok(['resume', 'Look', 'at', 'the', 'form']), /RESUMED: handed back tab \d+ to zed/);
    const { failed, text } = await reading;
    assert.ok(!failed, text);
    assert.match(text, /They say: Look at the form[\s\S]*Order/);
    const nobody = await scene.home.run(['resume', 'a', 'note']);
    assert.match(nobody.stderr, /you have not taken over a tab/);
    // A client may neither pause another one nor hand a tab back to itself.
    const trusted = await start('broad', '--trusted', '--profile', 'all', '--secrets');
    assert.match(await trusted.fault('pause'), /only the person/);
    for (const tool of ['pause', 'resume']) await assert.rejects(client.call(tool), /Unknown tool/);
    await client.call('tabs');
    await scene.home.ok(['pause', String(mine)]);
    assert.match(await trusted.fault('resume'), /only the person/);
    await client.client.close();
    await notTaken();
  });

  test('an agent of the panel is paused in its turn, and goes on after it; the setting turns this off', async () => {
    const turn = await scene.ask('Fill in the form');
    assert.ok(!(await turn.tool('fill', { selector: '#name', value: 'Ada' })).isError);
    await scene.page.click('#email');
    await panel().waitFor(`!${STRIP}.hidden`, 'the agent is paused');
    await seen(scene.page, 'pill', 'paused until you hand the tab back');
    const filling = turn.tool('fill', { selector: '#name', value: 'Mallory' });
    await handBack('Go on');
    const answer = await filling;
    assert.ok(answer.isError && words(answer).includes('They say: Go on'), words(answer));
    await seen(scene.page, 'pill', 'thinking');
    assert.equal(await scene.page.evaluate(value), 'Ada');
    await scene.home.ok(['settings', 'set', 'agents.pause-on-input', 'false']);
    assert.ok(!(await turn.tool('fill', { selector: '#name', value: 'Lin' })).isError);
    await scene.page.click('#email');
    assert.ok(!(await turn.tool('fill', { selector: '#name', value: 'Grace' })).isError, 'it is not paused');
    await scene.home.ok(['settings', 'set', 'agents.pause-on-input', 'true']);
    await scene.page.click('#email');
    await panel().waitFor(`!${STRIP}.hidden`, 'the agent is paused again');
    turn.end();
    await notTaken();
  });
});
