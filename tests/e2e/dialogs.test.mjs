/*
 * Dialogs and downloads in an agent's turn: the person is asked, also where acting on the site is allowed.
 */
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
    turn.end();
  });
});
