/* The panel and the welcome page for people who use a keyboard or a screen reader: axe's rules, in both themes. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, describe, test } from 'node:test';
import { Scene } from './harness/scene.mjs';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Describes axe's violations on a page. */
async function violations(page) {
  await page.evaluate(`${axe};0`);
  const found = await page.evaluate(`axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'] }).then(({ violations }) =>
    violations.map(({ id, help, nodes }) => id + ': ' + help + ' ' + nodes.map((node) => node.target).join(' ')))`);
  return found;
}

describe('accessibility', () => {
  let scene;
  before(async () => {
    scene = await Scene.open();
  });
  after(() => scene?.close());

  for (const theme of ['dark', 'light']) {
    test(`the panel in the ${theme} theme, empty, asking and done`, async () => {
      const { panel } = scene;
      await panel.page.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: theme }] });
      assert.deepEqual(await violations(panel.page), [], 'at rest');
      const turn = await scene.ask('Order');
      turn.say('# Heading\n\nSome *text*, a [link](https://example.com) and `code`.\n\n```js\nconst a = 1;\n```\n');
      const filling = turn.tool('fill', { selector: '#name', value: 'Ada' });
      await panel.seen('approval', 'fill');
      assert.deepEqual(await violations(panel.page), [], 'while it asks');
      await panel.answer('once');
      await filling;
      turn.end();
      await panel.gone('stop');
      assert.deepEqual(await violations(panel.page), [], 'with an answer');
      await panel.page.click('.statusbar [aria-label=Debug]');
      for (const [tab, there] of [
        ['activity', '.log-row'],
        ['refs', '.drawer__body'],
        ['inspector', 'button'],
        ['connection', '.hop'],
      ]) {
        await panel.page.click(`#debug-tab-${tab}`);
        await panel.page.waitFor(`document.querySelector('#debug-${tab} ${there}')?.checkVisibility()`);
        assert.deepEqual(await violations(panel.page), [], `debug: ${tab}`);
      }
      await panel.page.click('.debug-head [aria-label=Close]');
    });
  }
});
