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
import { StandIn, words } from './harness/stand-in.mjs';
import { until } from './harness/wait.mjs';

const SENTENCE = 'wait, what is the total? i would rather not order this before i know the price of it ';
const COMPOSER = `document.querySelector('.composer__text')`;

/** The page records each key event and each loss of focus. */
const WATCH = `window.seen = []; window.lost = 0;
  for (const type of ['keydown', 'keypress', 'keyup', 'beforeinput', 'input'])
    addEventListener(type, (event) => seen.push(type + ' ' + (event.key ?? event.data)), true);
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
  await emptied(panel);
}

/** Empties the composer. */
const emptied = (panel) => panel.page.evaluate(`${COMPOSER}.value = ''; ${COMPOSER}.dispatchEvent(new Event('input', { bubbles: true }))`);

/** How often a person would type the words again before giving up. */
const TRIES = 3;

/**
 * Returns whether what is typed reaches the panel, whole. Chromium gives a new window the focus at any time after it has
 * reported the window, so the first keys may go there: then they are typed again.
 */
async function hasKeyboard(display, panel) {
  // Settles with the last letter, or without it after the time in which a person would notice.
  const shown = `new Promise((done) => {
    const box = ${COMPOSER};
    const look = () => box.value.endsWith('and so on ') && done(document.hasFocus());
    box.addEventListener('input', look);
    setTimeout(() => { box.removeEventListener('input', look); done(false); }, 2000);
    look();
  })`;
  for (let tries = 0; tries < TRIES; tries += 1) {
    await emptied(panel);
    await display.type('and so on ');
    if (await panel.page.evaluate(shown)) return emptied(panel).then(() => true);
  }
  return false;
}

/**
 * Does `act` until the panel has the keyboard after it. On a machine that stalls, Chromium can take so long to give a window
 * the focus that gstack takes it for an act of the person (after three seconds): only then is it done again.
 */
const keepsKeyboard = (display, panel, act) =>
  until(async () => {
    await act();
    return hasKeyboard(display, panel);
  }, 'the panel gets what is typed');

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

    /** Acts that move the focus of the browser, each with what shows that it has happened. */
    const takers = [
      ['a click that opens a window', ['click', '#popup'], 1],
      ['a click whose window comes later', ['click', '#late'], 1],
      ['a click that opens a tab', ['click', '#blank'], 1],
      ['a key that opens a tab', ['press', 'Enter'], 1],
      ['a script that opens a window', ['js', `window.open('/counter', 'script', 'width=300,height=200'); 1`], 1],
      ['a new tab', ['newtab'], 1],
      ['bringing the tab to the front', ['focus'], 0],
      ['bringing an element to the front', ['focus', '#name'], 0],
      ['the choice of the current tab', ['tab', '1'], 0],
      ['a tap', ['tap', '#name'], 0],
      ['a double click', ['dblclick', '#name'], 0],
      ['a right click', ['rightclick', '#name'], 0],
      ['a click on a list', ['click', '#size'], 0],
      ['a click on a date', ['click', '#date'], 0],
      ['a click that asks for a file', ['click', '#file'], 0],
      ['filling a field', ['fill', '#name', 'Ada'], 0],
      ['an element that is given the focus', ['focus', '#email', '--background'], 0],
      ['a script that asks for the focus', ['js', `window.focus(); document.querySelector('#email').focus(); 1`], 0],
    ];
    for (const [name, command, opens] of takers)
      test(`the panel has the keyboard again after ${name}`, async () => {
        const { home, panel, page } = scene;
        await home.ok(['tab', '1']);
        await page.evaluate(`document.querySelector('#openers')?.remove();
          document.body.insertAdjacentHTML('beforeend', \`<p id="openers">
            <button id="popup" type="button" onclick="window.open('/counter', 'popup', 'width=300,height=200')">Popup</button>
            <button id="late" type="button"
              onclick="setTimeout(() => window.open('/counter', 'late', 'width=300,height=200'), 200)">Late</button>
            <input id="date" type="date"><input id="file" type="file">
            <a id="blank" target="_blank" href="/counter">Blank</a></p>\`);
          document.querySelector('#blank').focus()`);
        const tabs = async () => (await home.ok(['tabs'])).match(/\[(\d+)\]/g).map((tab) => tab.slice(1, -1));
        const before = (await tabs()).length;
        const closeOthers = async () => {
          for (const tab of (await tabs()).slice(1)) await home.ok(['closetab', tab]);
        };
        await keepsKeyboard(display, panel, async () => {
          await closeOthers();
          await display.focus('Chromium');
          await giveToPanel(panel);
          await home.ok(command);
          await until(async () => (await tabs()).length === before + opens, 'the tab is open');
        });
        await closeOthers();
      });

    test('what is typed after an element was picked in the page is for the composer', async () => {
      const { panel, page } = scene;
      await display.focus('Chromium');
      await giveToPanel(panel);
      await panel.page.evaluate(`[...document.querySelectorAll('.quick button')].at(-1).click()`);
      await panel.page.waitFor(`document.querySelector('#toast').checkVisibility()`);
      const at = await page.evaluate(`(() => {
        const { x, y, width, height } = document.querySelector('#email').getBoundingClientRect();
        return { x: x + width / 2, y: y + height / 2 };
      })()`);
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
      await page.evaluate(`document.body.insertAdjacentHTML('beforeend', \`<a id="tab" target="_blank" href="/counter">Tab</a>
        <button id="window" onclick="open('/counter', 'window', 'width=300,height=200')">Window</button>\`)`);
      for (const selector of ['#window', '#tab']) {
        await keepsKeyboard(display, panel, async () => {
          await giveToPanel(panel);
          const clicked = await turn.tool('click', { selector });
          assert.ok(!clicked.isError, words(clicked));
        });
      }
      turn.end();
      await panel.gone('stop');
    });
  });
});
