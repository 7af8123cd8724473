/*
 * `audit-a11y` finds what axe-core finds when a page itself runs it, in each frame; and its axe-core is the published one.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { sides } from './harness/sides.mjs';

const published = dirname(createRequire(import.meta.url).resolve('axe-core/package.json'));
const vendored = join(import.meta.dirname, '../../src/browser/injected/vendor/axe-core');

test('axe-core is what its authors published, with its licences', () => {
  assert.deepEqual(readdirSync(vendored).toSorted(), ['LICENSE', 'LICENSE-3RD-PARTY.txt', 'axe.min.js']);
  for (const name of readdirSync(vendored)) {
    assert.equal(readFileSync(join(vendored, name), 'utf8'), readFileSync(join(published, name), 'utf8'), name);
  }
});

/** Rules about the page as a whole: axe-core joins what its frames say, and gstack asks the main frame alone. */
const PAGE_WIDE = ['bypass', 'landmark-one-main', 'page-has-heading-one', 'region'];

function ofEachFrame({ violations, incomplete, passed }) {
  const kept = (rules) => Object.fromEntries(Object.entries(rules).filter(([rule]) => !PAGE_WIDE.includes(rule)));
  return { violations: kept(violations), incomplete: kept(incomplete), passed: passed.filter((rule) => !PAGE_WIDE.includes(rule)) };
}

describe('audit-a11y', () => {
  const them = sides();
  const source = readFileSync(join(published, 'axe.min.js'), 'utf8');

  async function byAxe(url) {
    const { page } = them.oracle;
    await page.goto(url);
    for (const frame of page.frames()) await frame.addScriptTag({ content: source });
    const found = await page.evaluate(() => globalThis.axe.run({ preload: false, rules: { 'frame-tested': { enabled: false } } }));
    const counts = (rules) => Object.fromEntries(rules.map(({ id, impact, nodes }) => [id, `${impact} ${nodes.length}`]).toSorted());
    const [violations, incomplete] = [counts(found.violations), counts(found.incomplete)];
    const passed = found.passes.map(({ id }) => id).filter((id) => !violations[id] && !incomplete[id]);
    return { violations, incomplete, passed: passed.toSorted() };
  }

  async function byGstack(url) {
    await them.gstack.run('goto', url);
    const { data } = await them.gstack.ask('audit-a11y', '--timeout', '120000');
    const counts = (rules) => Object.fromEntries(rules.map(({ rule, impact, count }) => [rule, `${impact} ${count}`]).toSorted());
    assert.deepEqual(data.unfinished, []);
    return { violations: counts(data.violations), incomplete: counts(data.incomplete), passed: data.passed };
  }

  for (const name of ['article.html', 'form20.html', 'mail.html', 'shop.html', 'rows.html']) {
    test(`${name} breaks the same rules as often`, async () => {
      const url = them.site.url(name);
      assert.deepEqual(await byGstack(url), await byAxe(url));
    });
  }

  for (const name of ['locators.html', 'roles.html', 'frames.html']) {
    test(`${name} breaks the same rules in each of its frames`, async () => {
      const url = them.site.url(name);
      assert.deepEqual(ofEachFrame(await byGstack(url)), ofEachFrame(await byAxe(url)));
    });
  }
});
