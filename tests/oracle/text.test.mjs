/*
 * `text` reads long pages through the engine's `innerText` and walks the blocks where that could differ. Both return
 * the same lines.
 */
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { usualOrLong } from '../e2e/harness/long.mjs';
import { Gstack } from './harness/gstack.mjs';
import { walkerScript } from './harness/injected.mjs';
import { Oracle } from './harness/playwright.mjs';
import { Site } from './harness/site.mjs';

const folders = ['pages', '../fixtures/pages'].map((name) => path.resolve(import.meta.dirname, name));
/** Parts of pages with their `text` output. */
const PARTS = {
  'a link in a sentence': ['<p>Some <b>words</b> and <a href="#a">a link</a>.</p>', 'Some words and a link.'],
  'a list': ['<ul><li>One<li>Two</ul>', 'One\nTwo'],
  'a table': ['<table><caption>All</caption><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table>', 'All\nA B\n1 2'],
  'lines that are kept': ['<pre>one\n  two\n\nthree</pre>', 'one\ntwo\nthree'],
  'line breaks': ['<p>one<br>two<br><br>three</p>', 'one\ntwo\nthree'],
  'odd spaces': ['<p>a&nbsp;&nbsp;b&#8203;c &shy;d</p>', 'a bc \u00add'],
  'flex items and buttons': [
    '<div style="display:flex"><span>a</span><span>b</span></div><button>c</button><button>d</button>',
    'a\nb\ncd',
  ],
  'display: contents': ['<div style="display:contents">a</div><div style="display:contents">b</div>', 'ab'],
  'letters that a style changes': ['<p style="text-transform:uppercase">quiet</p>', 'quiet'],
  'what is not displayed': ['<p>seen</p><p style="display:none">none</p><script>let a</script><style>p{}</style>', 'seen'],
  visibility: ['<div style="visibility:hidden">h<span style="visibility:visible">v</span></div>', 'v'],
  'content-visibility': ['<p>seen</p><div style="content-visibility:hidden">raw text<p>inner</p></div>', 'seen'],
  'a closed disclosure': ['<details><summary>More</summary>raw text<p>inner</p></details>', 'More'],
  'an open disclosure': ['<details open><summary>More</summary>raw text<p>inner</p></details>', 'More\nraw text\ninner'],
  'what a search in the page would open': ['<p>x</p><div hidden="until-found">raw text</div>', 'x'],
  fields: ['<p>a<select><option>o1<option>o2</select><textarea>t</textarea><input value="v">b</p>', 'ab'],
  'a drawing': ['<p>a<svg width="9" height="9"><title>T</title><text y="9">s</text></svg>b</p>', 'a\ns\nb'],
  'a shadow root': ['<div><template shadowrootmode="open"><p>in it</p><slot></slot></template>slotted</div>', 'in it\nslotted'],
  'a dialog and a popover': ['<p>x</p><dialog>d</dialog><div popover>p</div>', 'x'],
  ruby: ['<p><ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby></p>', '漢kan'],
};

describe('text', () => {
  let gstack;
  let site;
  before(async () => {
    site = await Site.start();
    gstack = await Gstack.start();
  });
  after(async () => {
    await site.stop();
    assert.deepEqual(await gstack.stop(), [], 'no process had to be forced');
  });

  const lines = async () => (await gstack.run('text')).split('\n').slice(1, -1).join('\n');
  const open = (html) => gstack.run('goto', site.put('text', html));
  /** Long enough for `innerText`; each part is short enough to be walked when the whole is not plain. */
  const long = (part) => `<section>${part}</section>`.repeat(Math.ceil(3000 / part.replace(/<[^>]*>/g, '').length));
  /** A slot anywhere makes the script walk the whole page. */
  const walked = (html) => `${html}<slot></slot>`;

  for (const [name, [part, expected]] of Object.entries(PARTS)) {
    test(name, async () => {
      const whole = `<!doctype html><meta charset="utf-8"><title>t</title><body>${long(part)}`;
      await open(whole);
      const read = await lines();
      assert.equal(read.slice(0, expected.length + 1), `${expected}\n`);
      await open(walked(whole));
      assert.equal(await lines(), read);
    });
  }

  test('every page of the fixtures is read the same way whole and walked', async () => {
    const pages = folders.flatMap((folder) =>
      readdirSync(folder)
        .filter((name) => name.endsWith('.html'))
        .map((name) => path.join(folder, name)),
    );
    assert.ok(pages.length > 15);
    for (const page of pages) {
      // Hundreds of frames would only take time.
      const html = readFileSync(page, 'utf8').replace(/<(script|iframe)\b[\s\S]*?<\/\1>/g, '');
      await open(html);
      const once = await lines();
      // Long enough for `innerText` if the page is plain.
      const copies = Math.ceil(2500 / Math.max(once.length, 1));
      const repeated = `document.body.innerHTML = document.body.innerHTML.repeat(${Math.min(copies, 200)})`;
      await gstack.run('js', '--timeout', '300000', repeated);
      const read = await lines();
      await gstack.run('js', 'document.body.append(document.createElement("slot"))');
      assert.equal(await lines(), read, page);
    }
  });
});

/** The content of random pages. */
// biome-ignore format: a list of words
const WORDS = ['alpha', 'Beta', 'x', 'x', '7', ' ', '\n', 'two words', ' lead', 'trail ', 'line\nbreak', 'a  b', '&nbsp;',
  'z&#8203;y', '漢', '字\n漢', 'ß'];
// biome-ignore format: a list of words
const TAGS = ['div', 'p', 'span', 'span', 'a', 'b', 'li', 'ul', 'section', 'button', 'label', 'h2', 'td', 'tr', 'table', 'pre', 'details',
  'summary', 'article', 'em', 'ruby', 'fieldset'];
// biome-ignore format: a list of words
const VOID = ['<br>', '<br style="display:none">', '<hr>', '<img alt="i" src="data:,">', '<img style="display:block">', '<input value="v">',
  '<wbr>', '<svg width="9" height="9"><title>x</title></svg>',
  '<svg style="display:block"></svg>', '<svg width="9" height="9"><text y="9">drawn</text></svg>',
  '<select><option>alpha<option>x</select>', '<textarea>x</textarea>',
  '<script>x</script>', '<style>x{}</style>', '<iframe>x</iframe>', '<canvas>x</canvas>', '<template>x</template>',
  '<noscript>x</noscript>', '<div data-gstack></div>',
  '<div style="display:table"><div style="display:table-cell">one</div><div style="display:table-cell">two</div></div>'];
// biome-ignore format: a list of words
const STYLES = ['display:none', 'display:none', 'visibility:hidden', 'visibility:visible', 'display:contents', 'display:block',
  'display:inline', 'display:inline-block', 'display:flex', 'display:grid',
  'display:inline-flex', 'float:left', 'position:absolute', 'text-transform:uppercase', 'text-transform:capitalize', 'white-space:pre',
  'white-space:pre-line',
  'white-space:nowrap', 'display:block;content-visibility:hidden', 'opacity:0', 'width:0;overflow:hidden', 'columns:2', 'display:list-item',
  'display:flow-root', 'overflow:hidden'];

/** Returns a page of random parts, the same for the same seed. */
function randomPage(seed) {
  let state = seed + 1;
  const below = (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
  const one = (list) => list[below(list.length)];
  const part = (depth) => {
    const kind = below(10);
    if (depth > 4 || kind < 4) return one(WORDS);
    if (kind === 4) return one(VOID);
    const tag = one(TAGS);
    const declaration = below(4) === 0 && !tag.startsWith('t') && tag !== 'p' ? one(STYLES) : '';
    const style = declaration && ` style="${declaration}"`;
    // Hidden text uses its own word: the engine ignores an empty hidden block.
    const own = declaration.endsWith(':hidden') ? 'unseen' : '';
    const shadow = below(40) === 0 && tag === 'div' ? '<template shadowrootmode="open">in shadow <slot></slot></template>' : '';
    const hidden = below(25) === 0 ? ' hidden' : '';
    const open = tag === 'details' && below(2) ? ' open' : '';
    const inner = Array.from({ length: 1 + below(4) }, () => part(depth + 1)).join('');
    return `<${tag}${style}${hidden}${open}>${shadow}${own}${inner}</${tag}>`;
  };
  return Array.from({ length: 4 + below(8) }, () => `<div>${part(0)}${part(0)}</div>`).join(below(2) ? '' : '\n');
}

describe("the engine's text and the walk", () => {
  let oracle;
  const script = walkerScript(['engineText', 'walkText']);
  before(async () => {
    oracle = await Oracle.start();
  });
  after(() => oracle.stop());

  /** Returns both results for one page: [engine or null, walk]. */
  const both = async (html) => {
    await oracle.page.setContent(html);
    return oracle.page.evaluate((source) => {
      // biome-ignore lint/security/noGlobalEval: it runs in a page of the test alone.
      (0, eval)(source);
      return [globalThis.__walker.engineText(document.body, document.body.textContent), globalThis.__walker.walkText(document.body, null)];
    }, script);
  };

  for (const [name, [part]] of Object.entries(PARTS)) {
    test(`are the same: ${name}`, async () => {
      const [engine, walk] = await both(`<!doctype html><body><main><p>before</p><section>${part}</section><p>after</p></main>`);
      assert.equal(engine, walk);
    });
  }

  test('are the same on every page of the fixtures', async () => {
    const pages = folders.flatMap((folder) =>
      readdirSync(folder)
        .filter((name) => name.endsWith('.html'))
        .map((name) => path.join(folder, name)),
    );
    let read = 0;
    for (const page of pages) {
      const [engine, walk] = await both(readFileSync(page, 'utf8').replace(/<script\b[\s\S]*?<\/script>/g, ''));
      if (engine === null) continue;
      read += 1;
      assert.equal(engine, walk, page);
    }
    assert.ok(read > pages.length / 2, `${read} of ${pages.length} pages were read by the engine`);
  });

  test('are the same on random pages', async () => {
    const pages = usualOrLong(100, 300);
    let read = 0;
    for (let seed = 0; seed < pages; seed += 1) {
      const html = `<!doctype html><body>${randomPage(seed)}`;
      const [engine, walk] = await both(html);
      if (engine === null) continue;
      read += 1;
      assert.equal(engine, walk, `seed ${seed}: ${html}`);
    }
    assert.ok(read > pages / 2, `${read} of ${pages} pages were read by the engine`);
  });
});
