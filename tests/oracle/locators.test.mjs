/* Which elements a selector matches: the product's and Playwright's, on the same page. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { walkerScript } from './harness/injected.mjs';
import { sides } from './harness/sides.mjs';

// biome-ignore format: a list of words
const SELECTORS = [
  '#b1', 'button', 'button.primary', '.item', 'ul .item', '#u1 > .item', 'li.selected + li', 'li.selected ~ .item', '.item:first-child',
  '.item:nth-child(2)', 'ul > li:last-child',
  'li:not(.selected)', 'p:has(span)', 'button:has(b)', '[data-test~="a"]', '[data-num="5"]', '[aria-label="Deep"]', 'a[href^="#"]',
  'input[name=user]', '#b1, #b2', 'h1, h2, h3', 'x-card button', 'x-card > section',
  'section button', 'section > div > button', 'x-deep li', 'x-card li', '#card .item', '#card #db1', 'x-card h4', 'x-card > h4',
  'x-card .in-card', '#wrap .in-card', '#sec h4', 'body button', 'html body #sb1', ':is(h2, h3)', ':is(x-card) button',
  'div div span', '*:checked', 'input:disabled, button:disabled', 'option:checked', 'custom-el', '#data-x', '[id="data-x"]', 'svg a',
  'svg text', 'button:not([disabled]):not(.primary)', ':root', 'body', 'x-deep > ul > li', 'x-card x-deep', 'ul:has(> .selected)',
  'css=button.primary', 'li:nth-of-type(3)', '#u1 li:nth-child(odd)', 'td', 'tr:has(td) > td:nth-child(2)', '#missing', 'section p', 'p',
  'text=Save', 'text="Save"', 'text=save all', 'text=/^save$/i', 'text=/save (all|now)/i', 'text="Save now"', 'text=Log in',
  'text="Log in"', 'text=Cancel', 'text=hello', 'text="hello"', 'text="Hello, World"', 'text=Hello, World', 'text=dear', 'text=Nested',
  'text="Nested text"', 'text=One', 'text="One"', 'text=Read more', 'text="Read more"', 'text=/^Read more$/', 'text=Shadow save',
  'text="Deep one"', 'text=Slotted', 'text=light text', 'text=Hello, shadow', 'text=Invisible words', 'text=Unseen', 'text=Ghost',
  'text=It\'s a "quoted"', 'text="It\'s a \\"quoted\\" text"', 'text=first line', 'text=second line', 'text="second line"', 'text=größe',
  'text=Your name', 'text=nowhere', 'text=custom', 'text=Part', 'text=/^Part \\d$/', 'text=Red', "text='One'", 'text=Drawn',
  'text="Hello,"',
  'button:visible', 'li:visible', ':text("Save")', 'button:has-text("save")', 'button:text("now")', 'button:text-is("Save")',
  'li:has-text("One")', 'ul:has-text("Two") li', 'section button:has-text("shadow")', 'button:has-text("Save"):not(.primary)',
  'p:has-text("a"), h1:visible',
  '#u1 >> li', '#u1 >> text=Two', 'li >> nth=0', 'li >> nth=-1', 'button >> visible=true', 'ul >> .item >> nth=1', '#card >> text=Hello',
  'section >> role=button', 'xpath=//ul >> li', '#u1 >> xpath=//li', 'table >> role=cell[name="36"]', 'text="Part 1 >> 2"', 'p >> span',
  '#d1 >> text=Nested',
  'role=button', 'role=button[name="Save"]', 'role=button[name="save"]', 'role=button[name="save" i]', 'role=button[name="save"i]',
  'role=button[name*="ave"]', 'role=button[name^="Save"]', 'role=button[name$="now"]', 'role=button[name=/^save/i]',
  'role=button[name=/now$/]', 'role=button[name=Save]', "role=button[name='Save now']", 'role=button[name="Close dialog"]',
  'role=button[disabled]', 'role=button[disabled=false]', 'role=button[pressed]', 'role=button[pressed=true]',
  'role=button[expanded=false]', 'role=button[include-hidden]', 'role=button[name="Save"][include-hidden=true]',
  'role=button[name="Ghost"]', 'role=button[name="Deep"]',
  'role=checkbox', 'role=checkbox[checked]', 'role=checkbox[checked=true]', 'role=checkbox[checked=false]', 'role=switch[checked]',
  'role=heading', 'role=heading[level=2]', 'role=heading[level=4]', 'role=heading[name="Part 3"]', 'role=link',
  'role=link[name="Read more"]', 'role=listitem', 'role=list', 'role=textbox[name="Your name"]', 'role=textbox', 'role=combobox',
  'role=option', 'role=option[selected]', 'role=cell', 'role=columnheader', 'role=row', 'role=table', 'role=row[name="Ada 36"]',
  'role=paragraph', 'role=img', 'role=article',
  'xpath=//button', 'xpath=//button[@id="b1"]', '//button[text()="Save"]', '//li[contains(@class,"selected")]', 'xpath=//ul/li[1]',
  'xpath=//*[@aria-label]', '(//li)[2]', 'xpath=//label[@for="i4"]/following-sibling::input[1]', 'xpath=//p[contains(., "World")]',
  'xpath=//nothing', 'xpath=//*[name()="svg"]', '//button/..',
];

/* Intended differences: selector → reason. */
const SEEN = 'hidden elements count only where no visible one matches: what a person sees is meant';
const WHOLE = 'the whole text may be spread over inline elements, and goes before a part of it';
const ON_PURPOSE = {
  'text=Save': SEEN,
  'text=/^save$/i': SEEN,
  'text="Save"': `${SEEN}; ${WHOLE}`,
  'text="Save now"': WHOLE,
  'text="Read more"': WHOLE,
  'button:text-is("Save")': WHOLE,
  'text=Drawn': 'the title of a drawing is its name, not its text',
  'role=img': 'a drawing without a name says nothing (as Chromium has it)',
};

describe('locators', () => {
  const both = sides(async ({ gstack, oracle, site }) => {
    await gstack.run('goto', site.url('locators.html'));
    await oracle.page.goto(site.url('locators.html'));
    await oracle.page.addScriptTag({ content: walkerScript(['queryAll']) });
  });

  test('the same elements in the same order', async () => {
    let agreed = 0;
    const unexplained = [];
    for (const selector of SELECTORS) {
      const theirs = await both.oracle.page.locator(selector).evaluateAll((found) => found.map((one) => one.id || one.localName));
      const ours = await both.oracle.page.evaluate((one) => {
        try {
          return globalThis.__walker.queryAll(one).map((element) => element.id || element.localName);
        } catch (error) {
          return [String(error)];
        }
      }, selector);
      if (ours.join() === theirs.join()) agreed += 1;
      else if (!ON_PURPOSE[selector]) unexplained.push(`${selector}\n  ours   ${ours.join(' ')}\n  theirs ${theirs.join(' ')}`);
    }
    console.log(`locators ${agreed}/${SELECTORS.length} (${Object.keys(ON_PURPOSE).length} differ on purpose)`);
    assert.equal(unexplained.join('\n'), '');
  });

  test('one match is it, several are counted: by the program itself', async () => {
    let single = 0;
    let several = 0;
    for (const selector of SELECTORS) {
      const found = await both.oracle.page.evaluate((one) => globalThis.__walker.queryAll(one).map((element) => element.id), selector);
      if (found.length === 0) continue;
      const answer = await both.gstack.ask('attrs', selector);
      if (found.length === 1) {
        assert.ok(
          answer.ok && (!found[0] || answer.output.includes(`"id": ${JSON.stringify(found[0])}`)),
          `${selector}: ${JSON.stringify(answer)}`,
        );
        single += 1;
      } else {
        assert.ok(
          !answer.ok && answer.error.includes(`${found.length} elements match`),
          `${selector} has ${found.length}: ${JSON.stringify(answer)}`,
        );
        several += 1;
      }
    }
    console.log(`strictness: ${single} single matches found, ${several} ambiguous ones counted`);
  });

  test('in frames of this and of another process', async () => {
    for (const [frame, host] of [
      ['#same', '127.0.0.1'],
      ['#cross', 'localhost'],
    ]) {
      const theirs = await both.oracle.page
        .frameLocator(frame)
        .locator('role=button[name="Inner save"]')
        .evaluate((one) => [one.id, location.hostname]);
      assert.deepEqual(theirs, ['inner', host]);
      await both.gstack.run('frame', frame);
      assert.match(await both.gstack.run('attrs', 'role=button[name="Inner save"]'), /"id": "inner"/);
      assert.equal((await both.gstack.ask('attrs', '#b1')).ok, false, 'the page around is not searched');
      await both.gstack.run('click', 'text=Inner save');
      assert.equal(await both.gstack.run('js', 'location.hostname + document.title'), `${host}clicked`);
      await both.gstack.run('frame', 'main');
    }
    // Without a chosen frame both search all frames, and two matches in two frames are two.
    const answer = await both.gstack.ask('attrs', 'text=Only in frames');
    assert.match(answer.error, /2 elements match|several|frames/);
  });
});
