/*
 * A snapshot's notes about what it omits: lines beyond the cap, options, the end of a long text. Each at its boundary.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { walkerScript } from './harness/injected.mjs';
import { Oracle } from './harness/playwright.mjs';

/** Pages of many equal parts, each with different rules for which elements have a line. */
const PARTS = {
  entries: (at) =>
    `<li><article><h3>Entry ${at}</h3><p>Some <em>words</em>.</p><a href="#">Open ${at}</a>` +
    '<button>Keep</button><label>Amount <input></label><span>left</span></article></li>',
  sections: (at) =>
    `<section aria-labelledby="h${at}"><h2 id="h${at}">Part</h2><ul><li><a href="#">One</a></li>` +
    `<li><label for="f${at}">Two</label><input id="f${at}"></li></ul></section>`,
  rows: (at) => `<tr><td>${at}</td><td>Customer ${at}</td><td></td><td>Total <a href="#">x</a></td><td><button>Edit</button></td></tr>`,
  mixed: (at) =>
    `<div role="group" title="${at % 2 ? 't' : ''}">` +
    `<figure><img src="x" alt="${at % 3 ? 'pic' : ''}"><figcaption>cap</figcaption></figure>text <a href="#"><img alt="logo"></a>\n    ` +
    `<select>${'<option>o'.repeat(at % 60)}</select><details><summary>more</summary>inner</details>` +
    '<fieldset><legend>L</legend><input type="checkbox"></fieldset>\n    ' +
    '<table><tr><th>h</th><td><input></td><td></td></tr></table><div tabindex="0">reach</div><nav></nav>' +
    '<ul><li></li><li><span>a</span><b>b</b><p>c</p>d</li></ul></div>',
};
const FLAGS = [{}, { interactive: true }, { compact: true }, { depth: 2 }, { compact: true, depth: 1 }, { interactive: true, depth: 0 }];

describe('what a snapshot leaves out', () => {
  let oracle;
  before(async () => {
    oracle = await Oracle.start();
    await oracle.page.setContent('<!doctype html><title>many</title><body>');
    await oracle.page.addScriptTag({ content: walkerScript(['takeSnapshot']) });
  });
  after(() => oracle.stop());

  const lines = (html, options = {}) =>
    oracle.page.evaluate(
      ([body, given]) => {
        document.body.innerHTML = body;
        return globalThis.__walker
          .takeSnapshot(given)
          .lines.split('\n')
          .map((line) => line.split('\t'));
      },
      [html, options],
    );

  for (const [kind, part] of Object.entries(PARTS)) {
    test(`is counted as it would be printed, wherever the cap lies: ${kind}`, async () => {
      const body = Array.from({ length: 150 }, (_, at) => part(at)).join('');
      const wrong = await oracle.page.evaluate(
        ([inner, all]) => {
          document.body.innerHTML = inner;
          const count = (text) => (text ? text.split('\n').length : 0);
          const found = [];
          for (const flags of all) {
            const whole = count(globalThis.__walker.takeSnapshot(flags).lines);
            for (const limit of [0, 1, 100, 999, 1000, 1001, 2500, 5000, 9000, 20_000, 1e9]) {
              const { lines: printed, more } = globalThis.__walker.takeSnapshot({ ...flags, limit });
              if (count(printed) + more !== whole) found.push({ flags, limit, printed: count(printed), more, whole });
            }
          }
          return found;
        },
        [kind === 'rows' ? `<table>${body}</table>` : body, FLAGS],
      );
      assert.deepEqual(wrong, []);
    });
  }

  test('a row in which the cap is reached says that it goes on', async () => {
    const row = (at) => `<tr>${'<td>word</td>'.repeat(20)}<td>${at}</td></tr>`;
    const table = `<table>${Array.from({ length: 40 }, (_, at) => row(at)).join('')}</table>`;
    const printed = await lines(table, { compact: true, limit: 60 });
    assert.match(printed.at(-1).at(-1), /^word( \| word)* \| …$/);
  });

  test('the 51st option is counted, the 50th is listed', async () => {
    const options = async (count) => {
      const printed = await lines(`<select aria-label="s">${Array.from({ length: count }, (_, at) => `<option>o${at}`).join('')}</select>`);
      return [
        printed.filter((line) => line[3] === 'option').length,
        printed
          .filter((line) => line[3] === 'text')
          .map((line) => line.at(-1))
          .join(),
      ];
    };
    assert.deepEqual(await options(50), [50, '']);
    assert.deepEqual(await options(51), [50, '… 1 more options']);
    assert.deepEqual(await options(300), [50, '… 250 more options']);
  });

  test('a text of 2,000 characters is whole, a longer one says how much is missing', async () => {
    const text = async (html) => (await lines(html))[0].at(-1);
    assert.equal(await text(`<p>${'a'.repeat(2000)}</p>`), 'a'.repeat(2000));
    assert.equal(await text(`<p>${'a'.repeat(2001)}</p>`), `${'a'.repeat(1999)}… (2 more characters)`);
    assert.match(await text(`<p>${'word '.repeat(1_000_000)}</p>`), /^(word )+w?o?r?d?… \(499\d{4} more characters\)$/);
    assert.match(await text(`<textarea aria-label=t>${'a'.repeat(5_000_000)}</textarea>`), /^a{1999}… \(4998001 more characters\)$/);
  });

  test('an attribute of 5 MB does not make a line long', async () => {
    const huge = 'x'.repeat(5_000_000);
    for (const html of [
      `<button aria-label="${huge}">a</button>`,
      `<p title="${huge}" tabindex=0>p</p>`,
      `<input aria-invalid="${huge}">`,
      `<div role=slider aria-valuetext="${huge}"></div>`,
      `<img alt="${huge}">`,
    ]) {
      const [line] = await lines(html);
      assert.ok(line.join('').length < 3000, `${line.join('').length} characters of ${html.slice(0, 20)}`);
    }
  });
});
