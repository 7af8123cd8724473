/* Dialogs and downloads in an agent's turn need an approval, even if acting on the site is allowed. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import { Scene } from './harness/scene.mjs';
import { words } from './harness/stand-in.mjs';

describe('an agent that is allowed to act on a site', () => {
  let scene;
  before(async () => {
    scene = await Scene.open({ at: '/cart' });
    await scene.home.ok(['policy', 'allow', 'act', '--site', new URL(scene.site.origin).host]);
  });
  afterEach(async () => {
    scene.agent.settle();
    await scene.panel.gone('stop');
  });
  after(async () => {
    await scene?.close();
  });

  test("a confirm that its click opens is the person's to answer", async () => {
    const turn = await scene.ask('Empty the cart');
    for (const [answer, said, state] of [
      ['deny', 'dismissed', 'kept'],
      ['allow', 'accepted', 'emptied'],
    ]) {
      const click = turn.tool('click', { selector: '#empty' });
      const asked = await scene.approval();
      assert.match(asked.ask, /Accept “Empty the cart\?”/);
      assert.deepEqual(asked.choices, ['allow-once', 'deny']);
      await scene.home.ok(['approvals', answer, asked.approvalId]);
      const result = await click;
      assert.ok(!result.isError && words(result).includes(`confirm "Empty the cart?" → ${said}`), words(result));
      assert.equal(await scene.page.evaluate('document.querySelector("#empty").textContent'), state);
    }
    turn.end();
  });

  test("a prompt and a page that asks before it is left are the person's to answer too", async () => {
    const turn = await scene.ask('Answer and leave');
    await scene.page.evaluate(`document.body.insertAdjacentHTML('beforeend', '<button id="name" type="button">Name</button>');
      document.querySelector('#name').onclick = (event) => { event.target.textContent = String(prompt('Your name?', 'Ada')); };
      onbeforeunload = (event) => event.preventDefault();`);
    for (const [answer, shown] of [
      ['deny', 'null'],
      ['allow', 'Ada'],
    ]) {
      const click = turn.tool('click', { selector: '#name' });
      const asked = await scene.approval();
      assert.match(asked.ask, /Accept “Your name\?”/);
      await scene.home.ok(['approvals', answer, asked.approvalId]);
      assert.ok(!(await click).isError);
      assert.equal(await scene.page.evaluate('document.querySelector("#name").textContent'), shown);
    }
    const { pathname } = new URL(await scene.page.evaluate('location.href'));
    const leave = turn.tool('goto', { url: `${scene.site.origin}/form` });
    const asked = await scene.approval();
    assert.match(asked.ask, /Leave the page, although changes may be lost/);
    await scene.home.ok(['approvals', 'deny', asked.approvalId]);
    await leave;
    assert.equal(await scene.page.evaluate('location.pathname'), pathname, 'the page is not left');
    await scene.page.evaluate('onbeforeunload = null');
    turn.end();
  });

  test("a person's own command answers dialogs as the setting says", async () => {
    const { home, page } = scene;
    for (const [setting, said, state] of [
      ['dismiss', 'dismissed', 'kept'],
      // There is no window in which it could stay open.
      ['ask', 'dismissed', 'kept'],
      ['accept', 'accepted', 'emptied'],
    ]) {
      await home.ok(['settings', 'set', 'browser.dialogs', setting]);
      const clicked = await home.ok(['click', '#empty']);
      assert.ok(clicked.includes(`confirm "Empty the cart?" → ${said}`), `${setting}: ${clicked}`);
      assert.equal(await page.evaluate('document.querySelector("#empty").textContent'), state, setting);
    }
    await home.ok(['settings', 'unset', 'browser.dialogs']);
  });

  test('a file that its click downloads is kept only if the person allows it', async () => {
    const turn = await scene.ask('Get the invoice');
    const saved = () => readdirSync(path.join(scene.home.home, 'tmp')).filter((name) => name.startsWith('invoice'));
    for (const [answer, said, files] of [
      ['deny', /Download failed: invoice\.pdf \(the person did not allow it\)/, 0],
      ['allow', /Downloaded: .*invoice\.pdf \(16 B\)/, 1],
    ]) {
      const click = turn.tool('click', { selector: '#invoice' });
      const asked = await scene.approval();
      assert.match(asked.ask, /Keep the file “invoice\.pdf”/);
      await scene.home.ok(['approvals', answer, asked.approvalId]);
      assert.match(words(await click), said);
      assert.equal(saved().length, files);
    }
    assert.ok(existsSync(path.join(scene.home.home, 'audit.jsonl')));
    await scene.home.ok(['policy', 'deny', 'download']);
    const refused = words(await turn.tool('click', { selector: '#invoice' }));
    assert.match(refused, /Download failed: invoice\.pdf \(a rule denies it\)/);
    turn.end();
  });
});
