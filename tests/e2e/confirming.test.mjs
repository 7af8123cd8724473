/* An everyday browser is confirmed once: its panel asks for it, keeps the typed text, and continues by itself. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Everyday } from './harness/everyday.mjs';
import { TestHome } from './harness/home.mjs';
import { Site } from './harness/site.mjs';
import { StandIn } from './harness/stand-in.mjs';
import { until } from './harness/wait.mjs';

const CODE = /gstack panels confirm ([A-Z]{6})/;

describe('a browser that the person has not confirmed', () => {
  let home;
  let site;
  let agent;
  let browser;
  before(async () => {
    home = new TestHome();
    site = await Site.start();
    agent = await StandIn.install(home);
    browser = await Everyday.start(home, { url: `${site.origin}/form`, confirm: false });
  });
  after(async () => {
    agent?.stop();
    browser?.stop();
    await site?.stop();
    assert.deepEqual(await home.stop(), [], 'no process had to be forced');
  });

  const shown = (panel) => panel.page.evaluate('document.body?.innerText ?? ""');
  const code = (panel) => until(async () => (await shown(panel)).match(CODE)?.[1], 'the panel shows no code');

  test('its panel shows the command, keeps what is typed, and goes on when it was run', async () => {
    const panel = await browser.panel();
    const typed = await code(panel);
    assert.match(await shown(panel), /Confirm this browser once/);
    assert.equal(await panel.page.evaluate('Boolean(document.querySelector(".command button"))'), true, 'a button copies it');
    await panel.page.click('.composer__text');
    await panel.page.insert('please wait for me');
    // `connect --everyday` says so and names the command; only the panel shows the code.
    const refused = await home.run(['connect', '--everyday']);
    assert.notEqual(refused.code, 0);
    assert.match(refused.stderr, /waits to be confirmed[\s\S]*gstack panels confirm CODE[\s\S]*connect --everyday` again/);
    const told = await home.run(['connect', '--everyday', '--json']);
    const { fault } = JSON.parse(told.stdout);
    assert.equal(fault.code, 'panel-unconfirmed');
    assert.equal(fault.command, 'gstack panels confirm CODE');
    for (const { stdout, stderr } of [refused, told]) assert.ok(!`${stdout}${stderr}`.includes(typed), 'the code is not told');
    // Nothing about it is revealed: neither its tabs nor that it could be driven.
    assert.doesNotMatch(await home.ok(['tabs']).catch((error) => error.message), /Everyday browser/);
    assert.match((await home.run(['doctor'])).stdout, /a browser waits to be confirmed/);
    assert.match(await home.ok(['panels']), /waiting/);
    assert.match(await home.ok(['panels', 'confirm', typed.toLowerCase()]), /Confirmed/);
    await panel.connected();
    assert.equal(await panel.page.evaluate('document.querySelector(".composer__text").value'), 'please wait for me');
    assert.match(await home.ok(['panels']), /confirmed/);
    assert.match(await home.ok(['tabs']), /Everyday browser/);
    await panel.page.click('.composer__text');
    await panel.page.enter();
    const turn = await agent.prompt();
    assert.ok(turn.prompt.includes('please wait for me'));
    turn.say('Here.');
    turn.end();
    await panel.seen('answer', 'Here.');
  });

  test('it is known again after a restart of gstack, and not when it was forgotten', async () => {
    const panel = await browser.panel();
    await panel.connected();
    await home.ok(['stop']);
    await panel.connected();
    // gstack's own browser, which a command opened, is in the list too.
    const { id } = JSON.parse(await home.ok(['panels', '--json'])).panels.find((known) => known.confirmedBy === 'terminal');
    await home.ok(['panels', 'forget', id]);
    const again = await code(panel);
    await home.ok(['panels', 'confirm', again]);
    await panel.connected();
  });
});
