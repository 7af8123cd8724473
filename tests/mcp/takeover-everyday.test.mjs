/*
 * The person takes a tab of their everyday browser over from an MCP client or an agent of the panel, and hands it back. The
 * person's clicks are those of the test's own DevTools connection and, if there is an X server, of its mouse.
 */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { after, afterEach, before, describe, test } from 'node:test';
import { Display, noDisplay } from '../e2e/harness/display.mjs';
import { Everyday } from '../e2e/harness/everyday.mjs';
import { TestHome } from '../e2e/harness/home.mjs';
import { Site } from '../e2e/harness/site.mjs';
import { StandIn, words } from '../e2e/harness/stand-in.mjs';
import { until } from '../e2e/harness/wait.mjs';
import { startClient } from './client.mjs';

const STRIP = `document.querySelector('#takeover')`;
const value = `document.querySelector('#name').value`;

describe('taking a tab of an everyday browser over', () => {
  let home;
  let site;
  let agent;
  let display;
  let everyday;
  let panel;
  let page;
  const open = [];
  const running = async () => {
    const { entries } = await home.json('activity');
    return entries.filter(({ driver, outcome }) => driver && outcome === 'running').map(({ command }) => command);
  };
  const paused = (who) => panel.page.waitFor(`!${STRIP}.hidden && ${STRIP}.innerText.includes('${who}')`, `${who} is paused`);
  const notPaused = () => panel.page.waitFor(`${STRIP}.hidden`, 'nobody is paused');
  const handBack = async (note) => {
    await panel.page.evaluate(`{
      ${STRIP}.querySelector('input').value = ${JSON.stringify(note)};
      ${STRIP}.querySelector('button').click();
    }`);
    await notPaused();
  };
  /** What a worker is told that asked for an act while the person had its tab. */
  const handedBack = (text, note) => {
    assert.match(text, new RegExp(`has handed it back\\. They say: ${note}`));
    assert.match(text, /UNTRUSTED TEXT[\s\S]*textbox/, 'the page as it is now');
  };

  /** Brings a tab into view, as the person does by a click on it. */
  const view = (at) =>
    everyday.inWorker(`(async () => {
      const [tab] = await chrome.tabs.query({ url: '${site.origin}${at}' });
      await chrome.tabs.update(tab.id, { active: true });
    })()`);

  before(async () => {
    home = new TestHome();
    mkdirSync(home.home, { mode: 0o700 });
    site = await Site.start();
    agent = await StandIn.install(home);
    display = noDisplay ? undefined : await Display.open();
    everyday = await Everyday.start(home, { url: `${site.origin}/form`, display });
    page = await everyday.page(site.origin);
    panel = await everyday.sidePanel();
    await home.ok(['connect', '--everyday']);
    await home.ok(['policy', 'allow', 'act', '--site', new URL(site.origin).host]);
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((client) => client.close()));
    agent.settle();
    await panel.gone('stop');
    await notPaused();
  });
  after(async () => {
    agent?.stop();
    await everyday?.stop();
    display?.close();
    await site?.stop();
    assert.deepEqual(await home.stop(), [], 'nothing is left behind');
  });

  test("a click in an MCP client's tab cancels what runs and holds back its acts until the tab is handed back", async () => {
    const [{ id }] = (await home.json('tabs')).data.filter(({ url }) => url.endsWith('/form'));
    const { client, call, run } = await startClient(home, 'cursor', '--tab', String(id));
    open.push(client);
    await call('fill', { selector: '#name', value: 'Ada' });
    await call('click', { selector: '#name' });
    await call('press', { key: 'End' });
    await notPaused();
    const waits = run('wait', { selector: '#never', timeout: 45_000 });
    await until(async () => (await running()).includes('wait'), 'the command runs');
    await page.click('#email');
    await paused('cursor');
    const filling = run('fill', { selector: '#name', value: 'Mallory' });
    await until(async () => (await running()).includes('fill'), 'the act has arrived');
    await handBack('I chose the email field.');
    const told = [await waits, await filling];
    assert.ok(
      told.every(({ failed }) => failed),
      JSON.stringify(told),
    );
    const noted = told.filter(({ text }) => text.includes('They say'));
    assert.equal(noted.length, 1, 'the note is given once');
    handedBack(noted[0].text, 'I chose the email field');
    assert.equal(await page.evaluate(value), 'Ada');
    await call('fill', { selector: '#name', value: 'Grace' });
    assert.equal(await page.evaluate(value), 'Grace', 'it goes on');
  });

  test("a click of the real mouse in an MCP client's own tab, which the person looks at, pauses it", { skip: noDisplay }, async () => {
    const { client, call, run } = await startClient(home, 'zed');
    open.push(client);
    await call('goto', { url: `${site.origin}/counter` });
    await view('/counter');
    await display.focus('Counter');
    await call('text');
    await display.x('mousemove', '300', '600', 'click', '1');
    await paused('zed');
    const clicking = run('click', { selector: 'button' });
    await until(async () => (await running()).includes('click'), 'the act has arrived');
    assert.match(await home.ok(['resume', 'I', 'only', 'looked']), /handed back tab \d+ to zed/);
    const { failed, text } = await clicking;
    assert.ok(failed, text);
    assert.match(text, /They say: I only looked[\s\S]*UNTRUSTED TEXT[\s\S]*Add one/);
  });

  test('a click in the tab of an agent of the panel pauses it in its turn, and it goes on after it', async () => {
    await view('/form');
    await panel.say('Fill in the form');
    const turn = await agent.prompt();
    assert.ok(!(await turn.tool('fill', { selector: '#name', value: 'Ada' })).isError);
    await page.click('#email');
    await paused('Claude Code');
    const filling = turn.tool('fill', { selector: '#name', value: 'Mallory' });
    await handBack('Go on with the address');
    const answer = await filling;
    assert.ok(answer.isError, words(answer));
    handedBack(words(answer), 'Go on with the address');
    assert.equal(await page.evaluate(value), 'Ada');
    assert.ok(!(await turn.tool('fill', { selector: '#name', value: 'Lin' })).isError);
    assert.equal(await page.evaluate(value), 'Lin', 'it goes on');
    turn.end();
  });
});
