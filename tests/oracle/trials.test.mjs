/* Difficult interactions in real pages: drags of all kinds, fields that move the focus, editors, frames. */
import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { sides } from './harness/sides.mjs';

describe('trials', () => {
  const both = sides();
  beforeEach(async () => {
    await both.gstack.run('goto', both.site.url('trials.html'));
    await both.oracle.page.goto(both.site.url('trials.html'));
  });

  async function dragBoth(from, to, end = '') {
    assert.equal(await both.gstack.run('drag', from, to), `Dragged ${from} onto ${to}${end}`);
    await both.oracle.page.locator(from).dragTo(both.oracle.page.locator(to));
    return [await both.gstack.js('[heard, order()]'), await both.oracle.page.evaluate('[heard, order()]')];
  }

  test("HTML's own drag and drop carries its data", async () => {
    const [ours, theirs] = await dragBoth('#native', '#native-drop');
    assert.ok(ours[0].includes('got native data') && ours[0].includes('dragend native'), ours[0].join());
    assert.deepEqual(
      ours[0].filter((one) => !one.startsWith('drag') || /start|end|native-drop/.test(one)),
      theirs[0].filter((one) => !one.startsWith('drag') || /start|end|native-drop/.test(one)),
    );
  });
  test('a drag by pointer events ends where it was meant to', async () => {
    const [ours, theirs] = await dragBoth('#pointer', '#pointer-drop');
    assert.deepEqual(ours[0], ['pointer drag', 'pointer drop']);
    assert.deepEqual(theirs[0], ours[0]);
  });
  test('a list is put in another order', async () => {
    const [ours, theirs] = await dragBoth('#l1', '#l3');
    assert.equal(ours[1], 'Two,Three,One');
    assert.equal(theirs[1], ours[1]);
  });
  test('what may not be dragged, or prevents it, hears only the pointer', async () => {
    for (const from of ['#nothing', '#prevented']) {
      const [ours, theirs] = await dragBoth(from, '#native-drop', '; nothing in the page moved');
      assert.deepEqual(ours[0], theirs[0], from);
    }
  });
  test('a drag beyond the window scrolls there', async () => {
    await both.gstack.run('drag', '#native', '#far-drop');
    assert.ok((await both.gstack.js('heard')).includes('got native data'));
    // The button is up again.
    await both.gstack.run('click', '#nothing');
  });

  test('text for a field that gives the focus to another goes nowhere, and it is said', async () => {
    const answer = await both.gstack.ask('fill', '--timeout', '500', '#thief-victim', 'secret');
    assert.equal(answer.ok, false);
    assert.match(answer.error, /moved the focus to <input id="thief">/);
    assert.equal(await both.gstack.js("document.getElementById('thief').value"), '');
    // The browser types on where the focus was, if nothing else has it.
    await both.gstack.run('fill', '--timeout', '500', '#shy', 'text');
    assert.equal(await both.gstack.js("document.getElementById('shy').value"), 'text');
  });
  test('a code of single fields is filled one by one', async () => {
    for (const [at, digit] of ['4', '2', '7'].entries()) await both.gstack.run('fill', `#c${at + 1}`, digit);
    assert.equal(await both.gstack.js("[...document.querySelectorAll('#code input')].map((one) => one.value).join('')"), '427');
    await both.gstack.run('click', '#c1');
    await both.gstack.run('press', 'Control+A');
    await both.gstack.run('type', '981');
    assert.equal(await both.gstack.js("[...document.querySelectorAll('#code input')].map((one) => one.value).join('')"), '981');
  });
  test('an editor that writes its text itself takes it', async () => {
    await both.gstack.run('fill', '#editor', 'Rewritten');
    assert.equal(await both.gstack.js('written()'), 'Rewritten');
    await both.oracle.page.locator('#editor').fill('Rewritten');
    assert.equal(await both.oracle.page.evaluate('written()'), 'Rewritten');
    await both.gstack.run('fill', '#editor', '');
    assert.equal(await both.gstack.js('written()'), '');
  });
  test('in a scrolled frame, and not beneath a cover', async () => {
    await both.gstack.run('goto', both.site.url('actionable.html'));
    await both.gstack.run('click', 'text="In frame"');
    assert.deepEqual(await both.gstack.js('clicked'), ['in-frame']);
    const covered = await both.gstack.ask('click', '--timeout', '600', 'text="In covered frame"');
    assert.match(covered.error, /its frame: it is covered by <div class="over">/);
  });
});
