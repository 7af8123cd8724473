/*
 * Requests of an agent that wait for a person: outlined in the page with the text to type, the selector shown as a
 * name, several calls as one card, and the person's own text in place of the agent's.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import { drawn, seen } from './harness/marks.mjs';
import { Scene } from './harness/scene.mjs';
import { words } from './harness/stand-in.mjs';
import { until } from './harness/wait.mjs';

const armed = `document.querySelector('.approval:not(.is-arming)')`;
const unseen = (page, name) => until(async () => !(await drawn(page)).some((one) => one.names.includes(name)), `no ${name} in the page`);
/** Types into a field of a card as a person does. */
const write = ({ page }, index, text) =>
  page.evaluate(`{
  const field = document.querySelectorAll('.asked-text')[${index}];
  field.value = ${JSON.stringify(text)};
  field.dispatchEvent(new Event('input', { bubbles: true }));
}`);

describe('what is asked about', () => {
  let scene;
  before(async () => {
    scene = await Scene.open();
  });
  afterEach(() => scene.agent.settle());
  after(() => scene?.close());

  test('a field that an open card is about is outlined with the text in it, and no page, snapshot or picture has that', async () => {
    const { panel, page, home } = scene;
    await page.evaluate(`window.noticed = []; scrollTo(0, 0);
      for (const type of ['input', 'change', 'focusin', 'scroll']) addEventListener(type, (event) => noticed.push(type), true);`);
    const turn = await scene.ask('Order for Ada');
    const filling = turn.tool('fill', { selector: '#name', value: 'Ada Lovelace' });
    const ghost = await seen(page, 'ghost', 'Ada Lovelace');
    const box = async ({ nodeId }) => (await page.send('DOM.getBoxModel', { nodeId })).model.border;
    const ghosts = await box(ghost);
    const fields = await page.evaluate(`(() => {
      const { left, top, right, bottom } = document.querySelector('#name').getBoundingClientRect();
      return [left, top, right, top, right, bottom, left, bottom];
    })()`);
    assert.ok(
      ghosts.every((at, index) => Math.abs(at - fields[index]) <= 1),
      `${ghosts} is not over ${fields}`,
    );
    await seen(page, 'outline');
    const read = `${await home.ok(['snapshot'])} ${await home.ok(['text'])} ${await home.ok(['html'])}`;
    assert.match(read, /\[textbox\] "Name"/);
    assert.doesNotMatch(read, /Lovelace/);
    const value = await page.evaluate(`document.querySelector('#name').value`);
    const others = await page.evaluate(
      `[document.body.innerText.includes('Lovelace'), noticed, document.querySelector('[data-gstack]').shadowRoot]`,
    );
    assert.deepEqual([value, ...others], ['', false, [], null]);
    const picture = async (name) => {
      const file = path.join(home.folder, `${name}.png`);
      await home.ok(['screenshot', '--viewport', file]);
      return readFileSync(file);
    };
    const asked = await picture('asked');
    await panel.answer('Deny');
    assert.ok((await filling).isError);
    await unseen(page, 'ghost');
    await unseen(page, 'outline');
    assert.ok(asked.equals(await picture('answered')), 'a picture without what was drawn over the page');
    turn.end();
    await panel.gone('stop');
  });

  test('a selector is said as the role and name of what it finds, in the card and in the step', async () => {
    const { panel } = scene;
    const turn = await scene.ask('Order for Ada');
    const filling = turn.tool('fill', { selector: 'form input[name="email"]', value: 'ada@example.com' });
    await panel.page.waitFor(armed);
    const asked = await panel.page.evaluate(
      `[document.querySelector('.approval__ask').innerText, document.querySelector('.approval__does').innerText]`,
    );
    assert.equal(asked[0], 'Fill “Email”');
    assert.match(asked[1], /textbox “Email”/);
    await panel.page.waitFor(
      `[...document.querySelectorAll('.step__label')].some(({ innerText }) => innerText === 'Filling Email')`,
      'the step with the name of its element',
    );
    await panel.answer('Allow once');
    assert.ok(!(await filling).isError);
    turn.end();
    await panel.gone('stop');
  });

  test('the text that the person writes into the card is what is typed, recorded and told', async () => {
    const { panel, page, home } = scene;
    const turn = await scene.ask('Order for Ada');
    const filling = turn.tool('fill', { selector: '#name', value: 'Ada Lovelace' });
    await panel.page.waitFor(armed);
    await write(panel, 0, 'Mary Shelley');
    const choices = `[...document.querySelectorAll('.approval .choice:is(button)')].filter(({ disabled }) => !disabled)`;
    assert.deepEqual(await panel.page.evaluate(`${choices}.map((one) => one.dataset.choice)`), ['allow-once', 'deny']);
    await panel.answer('Allow once');
    const result = await filling;
    assert.ok(!result.isError, words(result));
    assert.match(words(result), /The person changed the text before they allowed it\. It is now: "Mary Shelley"/);
    assert.equal(await page.evaluate(`document.querySelector('#name').value`), 'Mary Shelley');
    const audit = await home.ok(['audit', '--json']);
    const last = JSON.parse(audit).findLast(({ answer }) => answer === 'allow-once');
    assert.match(JSON.stringify(last), /Mary Shelley/);
    assert.doesNotMatch(JSON.stringify(last), /Ada Lovelace/);
    turn.end();
    await panel.gone('stop');
  });

  test('calls that wait together are one card: fields are filled as written, the form is not sent', async () => {
    const { panel, page } = scene;
    await page.evaluate(`document.querySelector('form').reset(); document.querySelector('#said').textContent = ''`);
    const turn = await scene.ask('Order for Ada');
    const filling = [
      turn.tool('fill', { selector: '#name', value: 'Ada' }),
      turn.tool('fill', { selector: '#email', value: 'ada@example.com' }),
    ];
    const sending = turn.tool('click', { selector: 'text=Order now' });
    await panel.page.waitFor(
      `document.querySelectorAll('.approval--group .asked__line').length === 3 && ${armed}`,
      'one card for three calls',
    );
    const headline = await panel.page.evaluate(`document.querySelector('.approval__ask').innerText`);
    assert.equal(headline, 'Fill 2 fields, then click “Order now”');
    await until(
      async () => (await drawn(page)).filter(({ names }) => names.includes('ghost')).filter(({ text }) => text).length === 2,
      'both texts in the page',
    );
    const ada = await panel.page.evaluate(`[...document.querySelectorAll('.asked-text')].findIndex(({ value }) => value === 'Ada')`);
    await write(panel, ada, 'Grace');
    await panel.answer('Allow 2 chosen');
    for (const call of filling) assert.ok(!(await call).isError);
    await panel.page.waitFor(`!document.querySelector('.approval--group') && ${armed}`, 'the card of the button alone');
    assert.deepEqual(
      await page.evaluate(
        `[document.querySelector('#name').value, document.querySelector('#email').value, document.querySelector('#said').textContent]`,
      ),
      ['Grace', 'ada@example.com', ''],
    );
    await panel.answer('Allow once');
    assert.ok(!(await sending).isError);
    await page.waitFor(`document.querySelector('#said').textContent === 'Ordered by Grace'`);
    turn.end();
    await panel.gone('stop');
  });

  test('a text is not taken where none was asked about, nor for longer than once', async () => {
    const { panel, home } = scene;
    const turn = await scene.ask('Order for Ada');
    const calls = [turn.tool('click', { selector: 'text=Order now' }), turn.tool('fill', { selector: '#name', value: 'Ada' })];
    await panel.page.waitFor(`document.querySelectorAll('.asked__line').length === 2 && ${armed}`);
    const { approvals } = JSON.parse(await home.ok(['approvals', '--json'])).data ?? JSON.parse(await home.ok(['approvals', '--json']));
    const answer = (ask, decision) => {
      const { conversationId, approvalId } = approvals.find((one) => one.ask.startsWith(ask));
      const params = JSON.stringify({ conversationId, approvalId, decision, text: 'mine' });
      return panel.page.evaluate(`new Promise((resolve) => {
        const port = chrome.runtime.connect({ name: 'panel' });
        port.onMessage.addListener(({ id, error }) => { if (id === 7) { port.disconnect(); resolve(error?.code ?? 'taken'); } });
        port.postMessage({ id: 7, method: 'approval.answer', params: ${params} });
      })`);
    };
    assert.equal(await answer('Click', 'allow-once'), 'bad-request');
    assert.equal(await answer('Fill', 'allow-conversation'), 'bad-request');
    assert.equal(await answer('Fill', 'deny'), 'bad-request');
    await panel.answer('Deny all');
    for (const call of calls) assert.ok((await call).isError);
    turn.end();
    await panel.gone('stop');
  });
});
