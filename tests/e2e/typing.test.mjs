/*
 * A person types into the panel while an agent acts in the page, with real keys of a real keyboard. Every letter
 * reaches the composer and none reaches the page.
 */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { Display, noDisplay } from './harness/display.mjs';
import { Everyday } from './harness/everyday.mjs';
import { TestHome } from './harness/home.mjs';
import { drawn } from './harness/marks.mjs';
import { Scene } from './harness/scene.mjs';
import { Site } from './harness/site.mjs';
import { StandIn } from './harness/stand-in.mjs';
import { until } from './harness/wait.mjs';

const SENTENCE = 'wait, what is the total? i would rather not order this before i know the price of it ';
const COMPOSER = `document.querySelector('.composer__text')`;

/** The page records each key event and each loss of focus. */
const WATCH = `window.seen = []; window.lost = 0;
  for (const type of ['keydown', 'keypress', 'keyup', 'beforeinput', 'input']) addEventListener(type, (event) => seen.push(type + ' ' + (event.key ?? event.data)), true);
  addEventListener('blur', () => { lost += 1; });`;

/** Gives the keyboard to the panel, as if the person had clicked into it. */
async function giveToPanel(panel) {
  await panel.page.send('Page.bringToFront');
  await panel.page.evaluate(`${COMPOSER}.focus()`);
  await panel.page.waitFor(`document.hasFocus()`);
}

/** Types a sentence while `act` is repeated, at least once. */
async function typeDuring(display, act) {
  let typing = true;
  const typed = display.type(SENTENCE).finally(() => {
    typing = false;
  });
  let acts = 0;
  while (typing || acts === 0) {
    await act();
    acts += 1;
  }
  await typed;
}

async function reachesPanelAlone(panel, page, sentence = SENTENCE) {
  await panel.page.waitFor(`${COMPOSER}.value.length >= ${sentence.length}`);
  // In order: a key that the page received for a moment is inserted by its time.
  assert.equal(await panel.page.evaluate(`${COMPOSER}.value`), sentence);
  assert.deepEqual(await page.evaluate('seen'), []);
  assert.equal(await panel.page.evaluate('document.hasFocus()'), true);
  await panel.page.evaluate(`${COMPOSER}.value = ''; ${COMPOSER}.dispatchEvent(new Event('input', { bubbles: true }))`);
}

describe('typing for the panel', { skip: noDisplay }, () => {
  let display;
  before(async () => {
    display = await Display.open();
  });
  after(() => display?.close());

  describe('in the browser of connect', () => {
    let scene;
    before(async () => {
      scene = await Scene.open({ display });
    });
    afterEach(() => scene.agent.settle());
    after(() => scene?.close());

    test("an agent's clicks take no key away from the composer, and the page keeps its focus in its own eyes", async () => {
      const { panel, page } = scene;
      await page.evaluate(WATCH);
      await page.evaluate(`document.body.insertAdjacentHTML('beforeend', '<button id="plain" type="button">Plain</button>')`);
      const turn = await scene.ask('Click about');
      const first = turn.tool('click', { selector: '#plain' });
      await panel.answer('conversation');
      assert.ok(!(await first).isError);
      await display.focus('Chromium');
      await giveToPanel(panel);
      await page.evaluate('lost = 0; seen.length = 0');
      await typeDuring(display, async () => {
        for (const selector of ['#plain', '#name']) assert.ok(!(await turn.tool('click', { selector })).isError);
      });
      await reachesPanelAlone(panel, page);
      assert.equal(await page.evaluate('document.activeElement.id'), 'name', 'the click focuses what it clicks');
      assert.equal(await page.evaluate('lost'), 0, 'a menu of the page that closes on blur stays open');
      turn.end();
      await panel.gone('stop');
    });

    test('what is typed after an element was picked in the page is for the composer', async () => {
      const { panel, page } = scene;
      await display.focus('Chromium');
      await giveToPanel(panel);
      await panel.page.evaluate(`[...document.querySelectorAll('.quick button')].at(-1).click()`);
      await panel.page.waitFor(`document.querySelector('#toast').checkVisibility()`);
      const at = await page.evaluate(
        `(() => { const { x, y, width, height } = document.querySelector('#email').getBoundingClientRect(); return { x: x + width / 2, y: y + height / 2 }; })()`,
      );
      await until(async () => {
        for (const x of [at.x - 1, at.x]) await page.send('Input.dispatchMouseEvent', { type: 'mouseMoved', x, y: at.y });
        return (await drawn(page)).some(({ names }) => names.includes('name'));
      }, 'a pick under way');
      await page.evaluate('seen.length = 0');
      // Like a click by hand: it moves the keyboard focus into the page.
      for (const type of ['mousePressed', 'mouseReleased'])
        await page.send('Input.dispatchMouseEvent', { type, ...at, button: 'left', clickCount: 1 });
      await panel.page.waitFor(`document.querySelector('.attachment[data-kind=element]')`);
      await panel.page.waitFor(`document.hasFocus() && document.activeElement === ${COMPOSER}`);
      await display.type('what is this ');
      await reachesPanelAlone(panel, page, 'what is this ');
    });
  });

  describe('in an everyday browser', () => {
    let home;
    let site;
    let agent;
    let everyday;
    before(async () => {
      home = new TestHome();
      site = await Site.start();
      agent = await StandIn.install(home);
      everyday = await Everyday.start(home, { display, url: `${site.origin}/form` });
    });
    after(async () => {
      everyday?.stop();
      agent?.stop();
      await home?.stop();
      await site?.stop();
    });

    test("an agent's clicks take no key away from the composer", async () => {
      const panel = await everyday.sidePanel();
      const page = await everyday.page(site.origin);
      await page.evaluate(WATCH);
      await panel.say('Click about');
      const turn = await agent.prompt();
      const first = turn.tool('click', { selector: '#name' });
      await panel.answer('conversation');
      assert.ok(!(await first).isError);
      await display.focus('Chromium');
      await giveToPanel(panel);
      await page.evaluate('seen.length = 0');
      await typeDuring(display, async () => assert.ok(!(await turn.tool('click', { selector: '#name' })).isError));
      await reachesPanelAlone(panel, page);
      turn.end();
      await panel.gone('stop');
    });
  });
});
