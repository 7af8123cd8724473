/*
 * `text` reads long, plain parts of a page by the engine's `innerText` and walks the rest. Both give the same lines.
 */
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Gstack } from './harness/gstack.mjs';
import { Site } from './harness/site.mjs';

const folders = ['pages', '../fixtures/pages'].map((name) => path.resolve(import.meta.dirname, name));
/** Parts of pages with what `text` says of each. */
const PARTS = {
  'a link in a sentence': ['<p>Some <b>words</b> and <a href="#a">a link</a>.</p>', 'Some words and a link.'],
  'a list': ['<ul><li>One<li>Two</ul>', 'One\nTwo'],
  'a table': ['<table><caption>All</caption><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table>', 'All\nA B\n1 2'],
  'lines that are kept': ['<pre>one\n  two\n\nthree</pre>', 'one\ntwo\nthree'],
  'line breaks': ['<p>one<br>two<br><br>three</p>', 'one\ntwo\nthree'],
  'odd spaces': ['<p>a&nbsp;&nbsp;b&#8203;c &shy;d</p>', 'a bc \u00add'],
  'flex items and buttons': ['<div style="display:flex"><span>a</span><span>b</span></div><button>c</button><button>d</button>', 'a\nb\ncd'],
  'display: contents': ['<div style="display:contents">a</div><div style="display:contents">b</div>', 'ab'],
  'letters that a style changes': ['<p style="text-transform:uppercase">quiet</p>', 'quiet'],
  'what is not displayed': ['<p>seen</p><p style="display:none">none</p><script>let a</script><style>p{}</style>', 'seen'],
  'visibility': ['<div style="visibility:hidden">h<span style="visibility:visible">v</span></div>', 'v'],
  'content-visibility': ['<p>seen</p><div style="content-visibility:hidden">raw text<p>inner</p></div>', 'seen'],
  'a closed disclosure': ['<details><summary>More</summary>raw text<p>inner</p></details>', 'More'],
  'an open disclosure': ['<details open><summary>More</summary>raw text<p>inner</p></details>', 'More\nraw text\ninner'],
  'what a search in the page would open': ['<p>x</p><div hidden="until-found">raw text</div>', 'x'],
  'fields': ['<p>a<select><option>o1<option>o2</select><textarea>t</textarea><input value="v">b</p>', 'ab'],
  'a drawing': ['<p>a<svg width="9" height="9"><title>T</title><text y="9">s</text></svg>b</p>', 'ab'],
  'a shadow root': ['<div><template shadowrootmode="open"><p>in it</p><slot></slot></template>slotted</div>', 'in it\nslotted'],
  'a dialog and a popover': ['<p>x</p><dialog>d</dialog><div popover>p</div>', 'x'],
  'ruby': ['<p><ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby></p>', '漢kan'],
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
  /** Long enough for the engine to be asked; each part is short enough to be walked when the whole is not plain. */
  const long = (part) => `<section>${part}</section>`.repeat(Math.ceil(3000 / part.replace(/<[^>]*>/g, '').length));
  /** A slot anywhere makes the whole page be walked. */
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
    const pages = folders.flatMap((folder) => readdirSync(folder).filter((name) => name.endsWith('.html')).map((name) => path.join(folder, name)));
    assert.ok(pages.length > 15);
    for (const page of pages) {
      const html = readFileSync(page, 'utf8').replace(/<script\b[\s\S]*?<\/script>/g, '');
      await open(html);
      const once = await lines();
      // So long that the engine is asked where the page is plain.
      const copies = Math.ceil(2500 / Math.max(once.length, 1));
      await gstack.run('js', `document.body.innerHTML = document.body.innerHTML.repeat(${Math.min(copies, 200)})`);
      const read = await lines();
      await gstack.run('js', 'document.body.append(document.createElement("slot"))');
      assert.equal(await lines(), read, page);
    }
  });
});
