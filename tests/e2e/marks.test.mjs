/*
 * What a person sees in the page: the agent's cursor, frame and pill, refs, an outline, the picker. And what the page
 * sees: one element without content, and no event.
 */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { drawn, seen, visible } from './harness/marks.mjs';
import { Scene } from './harness/scene.mjs';
import { until } from './harness/wait.mjs';

/** Returns the position of a drawn mark, in the page's viewport. */
async function boxOf(page, { nodeId }) {
  const {
    model: {
      border: [left, top, , , right, bottom],
    },
  } = await page.send('DOM.getBoxModel', { nodeId });
  return { left, top, right, bottom };
}

const hosts = 'document.querySelectorAll("[data-gstack]").length';
const buttonOf = (text) => `[...document.querySelectorAll('button')].find((one) => one.textContent === ${JSON.stringify(text)})`;

describe('in the page', () => {
  let scene;
  before(async () => {
    scene = await Scene.open();
  });
  afterEach(() => scene.agent.settle());
  after(() => scene?.close());

  test('an agent that acts has a cursor, a frame and a pill with its name; all of it goes', async () => {
    const { panel, page } = scene;
    await page.evaluate(`window.noticed = []; window.added = [];
      new MutationObserver((records) => {
        const nodes = records.flatMap(({ addedNodes }) => [...addedNodes]);
        added.push(...nodes.filter((node) => node.nodeType === 1 && node.matches('[data-gstack]')));
      }).observe(document, { subtree: true, childList: true });
      for (const type of ['click', 'pointerdown', 'mousedown'])
        document.addEventListener(type, (event) => noticed.push(event.target.localName), true);`);
    const turn = await scene.ask('Order for Ada');
    await seen(page, 'pill', 'Claude Code');
    const filling = turn.tool('fill', { selector: '#name', value: 'Ada' });
    await panel.answer('conversation');
    await filling;
    const ordering = turn.tool('click', { selector: 'text=Order now' });
    await panel.answer('once');
    await ordering;
    const { style } = await seen(page, 'cursor');
    const middle = await page.evaluate(`(() => {
      const { x, y, width, height } = ${buttonOf('Order now')}.getBoundingClientRect();
      return [x + width / 2, y + height / 2];
    })()`);
    const [, x, y] = /translate\(([\d.]+)px, ([\d.]+)px\)/.exec(style);
    assert.ok(Math.abs(x - middle[0]) <= 1 && Math.abs(y - middle[1]) <= 1, `${style} is not at ${middle}`);
    const size = await page.evaluate('({ right: innerWidth, bottom: innerHeight })');
    assert.deepEqual(await boxOf(page, await seen(page, 'frame')), { left: 0, top: 0, ...size });
    const pill = await boxOf(page, await seen(page, 'pill'));
    assert.deepEqual([size.right - pill.right, size.bottom - pill.bottom], [16, 16]);
    assert.equal(await page.evaluate(hosts), 1);
    assert.deepEqual(await page.evaluate('[added[0].shadowRoot, added[0].childNodes.length, noticed.includes("div")]'), [null, 0, false]);
    turn.end();
    await panel.gone('stop');
    await page.waitFor(`${hosts} === 0`);
    assert.equal(await page.evaluate('new Set(added).size'), 1);
  });

  test('cursor and pill can each be switched off in the settings, and stay so', async () => {
    const { panel, page } = scene;
    const flip = async (name) => {
      await panel.page.click('button[aria-label=Settings]');
      await panel.page.waitFor(`document.querySelector('[data-setting="marks.${name}"]')`);
      const before = await panel.page.evaluate(`document.querySelector('[data-setting="marks.${name}"]').getAttribute('aria-checked')`);
      await panel.page.click(`[data-setting="marks.${name}"]`);
      await panel.page.waitFor(`document.querySelector('[data-setting="marks.${name}"]').getAttribute('aria-checked') !== '${before}'`);
      await panel.page.press('Escape', { keyCode: 27 });
    };
    const off = async (name) => (await drawn(page)).some(({ names }) => names.includes(name) && names.includes('is-off'));
    await flip('pill');
    const turn = await scene.ask('Look at it');
    await seen(page, 'frame');
    await until(() => off('pill'), 'no pill');
    assert.equal(await off('frame'), false);
    await flip('pill');
    await flip('cursor');
    await until(async () => (await off('cursor')) && (await off('frame')) && !(await off('pill')), 'the pill alone');
    await flip('cursor');
    await until(async () => !(await off('cursor')), 'the cursor again');
    turn.end();
    await panel.gone('stop');
  });

  test('the marks lie above a modal dialog and what fills the screen, and take neither focus nor Escape', async () => {
    const { panel, page } = scene;
    await page.evaluate(`window.toggled = [];
      document.head.append(Object.assign(document.createElement('style'), { textContent: '::backdrop { background: red }' }));
      document.body.insertAdjacentHTML('beforeend',
        '<dialog id="modal"><input id="inside"></dialog><div id="other" popover>Popover</div>');
      document.addEventListener('toggle', ({ target }) => toggled.push(target.id), true);`);
    await page.send('DOM.enable');
    /** Returns the ids of the elements in the top layer, topmost last, without backdrops; ours is "gstack". */
    const layer = async () => {
      await page.send('DOM.getDocument', { depth: 0 });
      const { nodeIds } = await page.send('DOM.getTopLayerElements');
      const nodes = await Promise.all(
        nodeIds.map(async (nodeId) => (await page.send('DOM.describeNode', { nodeId })).node.attributes ?? []),
      );
      return nodes.map((words) => (words.includes('data-gstack') ? 'gstack' : words[words.indexOf('id') + 1])).filter(Boolean);
    };
    const turn = await scene.ask('Look at it');
    await seen(page, 'pill', 'Claude Code');
    await page.evaluate(`document.querySelector('#modal').showModal()`);
    await until(async () => (await layer()).join(' ') === 'modal gstack', 'our element above the dialog');
    assert.equal(await page.evaluate('document.activeElement.id'), 'inside', 'the focus stays in the dialog');
    assert.equal(await page.evaluate(`getComputedStyle(document.querySelector('[data-gstack]'), '::backdrop').display`), 'none');
    await page.evaluate(`document.querySelector('#other').showPopover()`);
    await until(async () => (await layer()).join(' ') === 'modal other gstack', 'our element above the popover');
    await page.evaluate(`document.querySelector('#other').hidePopover()`);
    await page.press('Escape', { keyCode: 27 });
    await page.waitFor(`!document.querySelector('#modal').open`);
    await page.evaluate(`document.documentElement.requestFullscreen()`);
    await until(
      async () => (await layer()).at(-1) === 'gstack' && (await page.evaluate('document.fullscreenElement !== null')),
      'our element above what fills the screen',
    );
    await page.evaluate(`document.exitFullscreen()`);
    assert.ok(
      (await page.evaluate('toggled')).every((id) => id !== ''),
      'the page hears of its own popovers alone',
    );
    const { content } = await turn.tool('snapshot', {});
    assert.doesNotMatch(content.map((one) => one.text ?? '').join(''), /Claude Code/);
    turn.end();
    await panel.gone('stop');
    await page.waitFor(`${hosts} === 0`);
  });

  test('the pill lets an agent through that clicks where it is, and is in no picture', async () => {
    const { panel, page } = scene;
    await page.evaluate(`{
      const corner = Object.assign(document.createElement('button'), { id: 'corner', textContent: 'Corner' });
      corner.style.cssText = 'position: fixed; right: 16px; bottom: 16px; width: 200px; height: 32px';
      corner.onclick = () => { corner.textContent = 'Hit'; };
      document.body.append(corner);
    }`);
    const turn = await scene.ask('Click the corner');
    // Between two actions a person can click the pill.
    await until(
      async () => (await drawn(page)).some(({ names }) => names.includes('pill') && names.includes('is-open')),
      'a pill that can be clicked',
    );
    await turn.tool('click', { selector: '#corner' });
    assert.equal(await page.waitFor(`document.querySelector('#corner').textContent === 'Hit' && 'Hit'`), 'Hit');
    turn.end();
    await panel.gone('stop');
    await page.evaluate(`document.querySelector('#corner').remove()`);
  });

  test("the drawer shows a snapshot's refs in the page, in one element with the agent's marks; its target is marked", async () => {
    const { panel, page } = scene;
    await panel.page.click('.statusbar [aria-label=Debug]');
    await panel.page.click('#debug-tab-refs');
    await panel.page.click('#debug-refs .drawer__tools .button');
    await panel.page.waitFor(`${visible('.ref-row')}.some((row) => row.innerText.includes('Order now'))`);
    const ref = await panel.page.evaluate(
      `${visible('.ref-row')}.find((row) => row.innerText.includes('Order now')).querySelector('.ref').innerText`,
    );
    await panel.page.click('#debug-refs .switch');
    const badge = await until(
      async () => (await drawn(page)).find((one) => one.names.includes('ref') && one.text === ref && one.style.includes('translate')),
      `${ref} at its place`,
    );
    const at = await page.evaluate(`(() => {
      const { x, y } = ${buttonOf('Order now')}.getBoundingClientRect();
      return [x, y];
    })()`);
    const [, x, y] = /translate\(([\d.]+)px, ([\d.]+)px\)/.exec(badge.style);
    assert.ok(Math.abs(x - at[0]) < 8 && Math.abs(y - at[1]) < 16, `${badge.style} is not at ${at}`);
    await panel.page.evaluate(
      `${visible('.ref-row')}.find((row) => row.innerText.includes('Order now')).dispatchEvent(new PointerEvent('pointerenter'))`,
    );
    await seen(page, 'name', `${ref} button "Order now"`);
    await panel.page.click('.composer__text');
    // Sending a message shows the conversation; the refs return with their drawer.
    const turn = await scene.ask('Look at it');
    await seen(page, 'pill', 'Claude Code');
    await panel.page.click('.statusbar [aria-label=Debug]');
    await seen(page, 'ref', ref);
    assert.equal(await page.evaluate(hosts), 1);
    const field = await panel.page.evaluate(
      `${visible('.ref-row')}.find((row) => /textbox\\s*Name/.test(row.innerText)).querySelector('.ref').innerText`,
    );
    const { nodeId } = await seen(page, 'ref', field);
    /** Records how the field's badge and the other marks change, because an action may end within a frame. */
    const changes = [];
    const stop = scene.client.on(({ method, params }) => {
      if (method === 'DOM.attributeModified' && params.nodeId === nodeId && params.name === 'class') changes.push(params.value);
      if (method === 'DOM.childNodeInserted' && params.node.attributes?.includes('touched')) changes.push('outline');
    });
    const filling = turn.tool('fill', { selector: field, value: 'Ada' });
    assert.ok(!(await filling).isError);
    await until(
      () => changes.length === 3,
      () => `the field is marked, and then is not: ${JSON.stringify(changes)}`,
    );
    stop();
    assert.deepEqual(changes, ['outline', 'ref is-target', 'ref']);
    assert.deepEqual(
      (await drawn(page)).filter(({ names }) => names.includes('touched')),
      [],
    );
    turn.end();
    await panel.gone('stop');
    await seen(page, 'ref', ref);
    await panel.page.click('.debug-head [aria-label=Close]');
    await page.waitFor(`${hosts} === 0`);
  });

  test('what a panel has drawn goes when the panel does', async () => {
    const { panel, page } = scene;
    await panel.page.click('.statusbar [aria-label=Debug]');
    await panel.page.waitFor(`${visible('.ref-row')}.length > 0`);
    await page.waitFor(`${hosts} === 1`);
    await panel.page.send('Page.reload');
    await page.waitFor(`${hosts} === 0`);
    await panel.connected();
    // Also if it goes while it is being drawn.
    for (const pause of [0, 0, 20, 40, 60, 80, 100, 150, 200]) {
      await panel.page.click('.statusbar [aria-label=Debug]');
      await new Promise((passed) => setTimeout(passed, pause));
      await panel.page.send('Page.reload');
      await panel.connected();
    }
    await page.waitFor(`${hosts} === 0`);
  });

  test('a picked element goes into the message, and the page notices nothing', async () => {
    const { panel, page } = scene;
    await page.evaluate(`window.noticed = [];
      for (const type of ['pointermove', 'mousemove', 'pointerdown', 'mousedown', 'mouseup', 'click'])
        addEventListener(type, () => noticed.push(type), true);`);
    await panel.page.click('.composer__bar [aria-haspopup=menu]');
    await panel.page.waitFor(`${visible('.menu__item')}.find((item) => /element/i.test(item.innerText))`);
    await panel.page.evaluate(`${visible('.menu__item')}.find((item) => /element/i.test(item.innerText)).click()`);
    await panel.page.waitFor(`document.querySelector('#toast').checkVisibility()`);
    const at = await page.evaluate(`(() => {
      const { x, y, width, height } = document.querySelector('#name').getBoundingClientRect();
      return { x: x + width / 2, y: y + height / 2 };
    })()`);
    await until(async () => {
      await page.evaluate('noticed.length = 0');
      await page.send('Input.dispatchMouseEvent', { type: 'mouseMoved', x: at.x - 1, y: at.y });
      await page.send('Input.dispatchMouseEvent', { type: 'mouseMoved', ...at });
      return (await page.evaluate('noticed.length')) === 0;
    }, 'a pick under way');
    await seen(page, 'name', 'textbox');
    const button = (type) => page.send('Input.dispatchMouseEvent', { type, ...at, button: 'left', clickCount: 1 });
    await button('mousePressed');
    await panel.page.waitFor(`document.querySelector('.attachment[data-kind=element]')?.innerText.includes('input#name')`);
    await page.waitFor(`${hosts} === 0`);
    // A person holds the button longer than a pick takes to end.
    await button('mouseReleased');
    assert.deepEqual(await page.evaluate('noticed'), []);
    // It becomes the element that `inspect` uses by default.
    assert.match(await scene.home.ok(['inspect']), /<input[^>]* id="name"|<input id="name"/);
    await panel.page.click('.attachment__remove');
  });
});
