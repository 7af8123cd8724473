/*
 * Text from style sheets: no element with such text is missed, whatever rule generates it, and a page without such
 * rules costs no query at all.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { walkerScript } from './harness/injected.mjs';
import { Oracle } from './harness/playwright.mjs';
import { Site } from './harness/site.mjs';

const MANY_RULES = Array.from({ length: 150 }, (_, at) => `.a${at}::before { content: "x" }`).join('');

/**
 * name → markup of a page whose `[t]` elements, and no others, have text from a sheet. `{sheets}` is the other origin.
 */
const PAGES = {
  'a class': '<style>.a::before { content: "x" }</style><p class="a" t>1<p>2',
  'one colon': '<style>.a:after { content: "x" }</style><p class="a" t>1<p>2',
  'no selector but the pseudo-element': '<style>main ::before { content: "x" }</style><main><p t>1</p></main><p>2',
  'several selectors': '<style>.a, .b::before, .c > ::after { content: "x" }</style><p class="a">1<p class="b" t>2<p class="c">3<b t>4</b>',
  'an attribute as text': '<style>p::before { content: attr(title) }</style><p title="x" t>1',
  'a variable as text': '<style>p { --x: "x" } .a::before { content: var(--x) }</style><p class="a" t>1',
  'in a media query, a layer and a condition':
    '<style>@layer a { @media all { @supports (color: red) { .a::before { content: "x" } } } }</style><p class="a" t>1<p>2',
  'nested rules': '<style>.a { color: red; &::before { content: "x" } }</style><p class="a" t>1<p>2',
  'a scope': '<style>@scope (main) { :scope::before { content: "x" } }</style><main t><p>1</p></main>',
  'an animation': '<style>@keyframes k { from, to { content: "x" } } .a::before { content: ""; animation: k 100s }</style><p class="a" t>1',
  'an imported sheet': '<style>@import "data:text/css,.a::before{content:\\"x\\"}";</style><p class="a" t>1',
  'a sheet of another origin': '<link rel="stylesheet" href="{sheets}"><p class="a" t>1',
  'a quoted word in the selector': `<style>[title="::before"]::before { content: "x" }</style><p title="::before" t>1`,
  'a hundred rules and more': `<style>${MANY_RULES}</style><p class="a149" t>1`,
  'a shadow root': '<div><template shadowrootmode="open"><style>b::before { content: "x" }</style><b t>1</b></template></div>',
  'the host of a shadow root':
    '<div t><template shadowrootmode="open"><style>:host::before { content: "x" }</style><b>1</b></template></div>',
  'a slotted element':
    '<div><template shadowrootmode="open"><style>::slotted(i)::before { content: "x" }</style><slot></slot></template><i t>1</i></div>',
  'a part': '<style>div::part(p)::before { content: "x" }</style><div><template shadowrootmode="open"><b part="p" t>1</b></template></div>',
};

/** name → what a script does to the page after it was read once; then `[t]` has text. */
const CHANGES = {
  'a rule put in': () => document.styleSheets[0].insertRule('[t]::before { content: "x" }'),
  'a rule whose words are changed': () => {
    document.styleSheets[0].cssRules[0].selectorText = '[t]::before';
  },
  'an adopted sheet': () => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync('[t]::before { content: "x" }');
    document.adoptedStyleSheets = [sheet];
  },
};

/** Returns every element with text from a sheet, according to the browser, and the product script's result for each. */
function examine() {
  const { beginPass, mayGenerate, pseudoText } = globalThis.__walker;
  const all = [];
  const collect = (root) => {
    for (const element of root.querySelectorAll('*')) {
      all.push(element);
      if (element.shadowRoot) collect(element.shadowRoot);
    }
  };
  collect(document);
  beginPass();
  const seen = [];
  let asked = 0;
  for (const element of all) {
    const given = ['::before', '::after'].some((which) => /"[^"]/.test(getComputedStyle(element, which).content));
    if (mayGenerate(element)) asked += 1;
    seen.push({
      tag: element.localName,
      marked: element.hasAttribute('t'),
      given,
      ours: (pseudoText(element, '::before') + pseudoText(element, '::after')).trim() !== '',
    });
  }
  beginPass();
  return { seen: seen.filter((one) => one.given || one.marked || one.ours), asked };
}

describe('text from style sheets', () => {
  let oracle;
  let site;
  before(async () => {
    oracle = await Oracle.start();
    site = await Site.start();
  });
  after(async () => {
    await oracle.stop();
    await site.stop();
  });

  async function open(html) {
    await oracle.page.route('**/sheet.css', (route) => route.fulfill({ contentType: 'text/css', body: '.a::before { content: "x" }' }));
    await oracle.page.goto(
      site.put('page', `<!doctype html><title>t</title><body>${html.replaceAll('{sheets}', `${site.otherOrigin}/sheet.css`)}`),
    );
    await oracle.page.addScriptTag({ content: walkerScript(['beginPass', 'mayGenerate', 'pseudoText']) });
  }

  const allSeen = ({ seen }) => {
    assert.ok(seen.length > 0, 'the case has text from a sheet');
    for (const one of seen) assert.deepEqual(one, { ...one, marked: true, given: true, ours: true });
  };

  for (const [name, html] of Object.entries(PAGES)) {
    test(name, async () => {
      await open(html);
      allSeen(await oracle.page.evaluate(examine));
    });
  }

  for (const [name, change] of Object.entries(CHANGES)) {
    test(`${name} after the page was read`, async () => {
      await open('<style>nothing::before { content: "x" }</style><p t>1');
      assert.equal((await oracle.page.evaluate(examine)).seen.filter((one) => one.ours).length, 0);
      await oracle.page.evaluate(change);
      allSeen(await oracle.page.evaluate(examine));
    });
  }

  test('no element is asked about where no rule makes text', async () => {
    await open(
      '<style>*, ::before { box-sizing: border-box } .clear::after { content: ""; clear: both }</style>' +
        '<main class="clear"><p>1<q>2</q></main>',
    );
    const { asked, seen } = await oracle.page.evaluate(examine);
    assert.deepEqual({ asked, seen }, { asked: 0, seen: [] });
  });
});
