/* The size and cost of a snapshot: the cap, a long table, the size of a form, the work for a huge page. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Gstack } from './harness/gstack.mjs';
import { walkerScript } from './harness/injected.mjs';
import { sides } from './harness/sides.mjs';

/** Estimates the tokens of a text: a model's tokenizer takes about four characters of English and markup for one. */
const tokens = (text) => Math.ceil(text.length / 4);
/** Returns the lines between the marks of untrusted content. */
const inner = (output) =>
  output
    .split('\n')
    .slice(1, -1)
    .filter((line) => !line.startsWith('---'))
    .join('\n');

describe('a snapshot', () => {
  const both = sides();

  test('of a form with 20 fields is small', async () => {
    await both.gstack.run('goto', both.site.url('form20.html'));
    const text = inner(await both.gstack.run('snapshot', '-i'));
    await both.oracle.page.goto(both.site.url('form20.html'));
    const theirs = await both.oracle.page.locator('body').ariaSnapshot({ mode: 'ai' });
    console.log(`20 fields: ${text.length} characters, about ${tokens(text)} tokens; Playwright's with refs about ${tokens(theirs)}`);
    assert.equal(text.split('\n').length, 23, 'a line a field, option and button');
    assert.ok(tokens(text) < 214, `${tokens(text)} tokens`);
  });

  test('of 2,000 rows is cut, says so, and leads to any row', async () => {
    await both.gstack.run('goto', both.site.url('rows.html'));
    const whole = await both.gstack.run('snapshot');
    const more = Number(/^… (\d+) more, narrow with -s or -d \(/m.exec(whole)[1]);
    assert.ok(whole.length < 64_000 && more > 5_000, `${whole.length} characters, ${more} more`);
    assert.match(whole, /\[columnheader\] "Name"/, 'its first part shows what the columns are');
    assert.match(whole, /\[cell\] "Customer 1"/, 'and what a row looks like');
    const compact = await both.gstack.run('snapshot', '-c');
    const rows = compact.match(/\[row\]/g).length;
    console.log(`2,000 rows: ${whole.match(/\[row\]/g).length} in the whole tree, ${rows} in the compact one`);
    assert.match(compact, /\[row\]: Number \| Name \| Town/);
    assert.match(compact, /@e\d+ \[row\]: 7 \| Customer 7 \| Town 6\n +@e\d+ \[button\] "Edit"/);
    const row = await both.gstack.run('snapshot', '-s', 'tr:has-text("Customer 1998")');
    const ref = /(@e\d+) \[button\] "Edit"/.exec(row)[1];
    await both.gstack.run('click', ref);
    assert.equal(await both.gstack.run('js', 'document.title'), 'Edit 1998');
    await both.gstack.run('click', 'tr:has-text("Customer 1777") button');
    assert.equal(await both.gstack.run('js', 'document.title'), 'Edit 1777');
  });

  test('is cut where its person chose', async () => {
    const own = await Gstack.start('[browser]\nsnapshot-limit = 4000\n');
    try {
      await own.run('goto', both.site.url('rows.html'));
      const short = await own.run('snapshot');
      assert.ok(short.length < 5_000, `${short.length} characters`);
      assert.match(short, /… \d+ more, narrow with -s or -d/);
    } finally {
      assert.deepEqual(await own.stop(), [], 'no process had to be forced');
    }
  });

  test('of a huge page costs in proportion to it, and its memory is bounded', async () => {
    const examine = (nodes) => {
      document.body.innerHTML = Array.from(
        { length: nodes / 10 },
        (_, at) =>
          `<section aria-labelledby="h${at}"><h2 id="h${at}">Part ${at}</h2><ul><li><a href="#${at}">One</a></li>` +
          `<li><label for="f${at}">Two</label><input id="f${at}"></li></ul><p>Words <b>bold</b></p></section>`,
      ).join('');
      let calls = 0;
      const undo = [];
      const count = (owner, name) => {
        const before = owner[name];
        owner[name] = function counted(...given) {
          calls += 1;
          return before.apply(this, given);
        };
        undo.push(() => {
          owner[name] = before;
        });
      };
      for (const name of ['checkVisibility', 'getAttribute', 'hasAttribute', 'querySelector', 'querySelectorAll', 'closest', 'matches'])
        count(Element.prototype, name);
      count(Node.prototype, 'getRootNode');
      count(Document.prototype, 'getElementById');
      count(Document.prototype, 'querySelectorAll');
      count(globalThis, 'getComputedStyle');
      const taken = globalThis.__walker.takeSnapshot({ limit: 60_000 });
      undo.forEach((one) => one());
      return {
        calls,
        here: document.querySelectorAll('*').length,
        printed: taken.lines.length,
        more: taken.more,
        named: globalThis.__walker.elements.size,
      };
    };
    await both.oracle.page.setContent('<!doctype html><title>huge</title><body>');
    await both.oracle.page.addScriptTag({ content: walkerScript(['takeSnapshot', 'elements']) });
    const small = await both.oracle.page.evaluate(examine, 10_000);
    const large = await both.oracle.page.evaluate(examine, 100_000);
    const perElement = (one) => one.calls / one.here;
    console.log(
      `${large.here} elements: ${perElement(large).toFixed(1)} calls into the page for each, ` +
        `${perElement(small).toFixed(1)} with ${small.here}; ${large.printed} characters, ${large.named} elements numbered`,
    );
    assert.ok(large.here > 90_000);
    assert.ok(perElement(large) <= perElement(small), 'the work for an element does not grow with the page');
    assert.ok(large.printed < 90_000 && large.more > 50_000, 'what is beyond the cap is only counted');
    assert.ok(large.named < 6_000, 'only what was printed is remembered');
  });
});
