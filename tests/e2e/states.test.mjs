/*
 * Every state of the panel for people who use a keyboard, a screen reader, large text or a narrow panel. The states are
 * those of the pictures, played by a fake host; axe's rules in both themes.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, describe, test } from 'node:test';
import { heightOf, inState, STATES } from '../extension/shots.mjs';
import { endSharedBrowser } from '../extension/shared-browser.mjs';
import { site } from '../extension/site.mjs';
import { usualOrLong } from './harness/long.mjs';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** An answer's headings come from the agent; elements under an open list cannot be clicked while it is open. */
const run = (rules, only) => `axe.run(document, { runOnly: ${JSON.stringify(only)}, rules: ${JSON.stringify(rules)} })
  .then(({ violations }) => violations.map(({ id, nodes }) =>
    id + ': ' + nodes.map((node) => node.target + ' ' + node.failureSummary).join(' | ')))`;

const ALL_RULES = ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** A theme differs in its colours alone. */
const COLOUR_RULES = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] };

/** The names of the elements that overflow the panel sideways. */
const WIDE = `[...document.querySelectorAll('.panel *')]
  .filter((one) => one.checkVisibility()
    && !one.closest('.visually-hidden, svg, pre, .table-scroll, .truncate, .turn-footer__facts')
    && (one.getBoundingClientRect().right > innerWidth + 1 || one.getBoundingClientRect().left < -1))
  .map((one) => one.className || one.localName).slice(0, 5)`;

/** The names of the elements whose text has the colour of their background. */
const UNSEEN = `[...document.querySelectorAll('.panel *')].filter((one) => one.checkVisibility()
  && !one.closest('.visually-hidden, svg')
  && [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim())).filter((one) => {
  let ground = one;
  while (ground && /rgba\\(.*, 0\\)/.test(getComputedStyle(ground).backgroundColor)) ground = ground.parentElement;
  return ground && getComputedStyle(ground).backgroundColor === getComputedStyle(one).color;
}).map((one) => one.className || one.localName).slice(0, 5)`;

/** States with the parts of another one, in other words or numbers: tested every night, like all in Japanese. */
const VARIANTS = new Set(
  `earlier no-agent-others approval-more clients-ask client-elsewhere client-works client-closed usage slot errors-away errors-daemon
  composer-folder twins history-reading settings-advanced debug-refs debug-inspector connection-agent connection-down ar-empty
  ar-no-agent ar-question ar-agents ar-debug ar-errors ar-errors-host`.split(/\s+/),
);
for (const name of VARIANTS) assert.ok(name in STATES, `${name} is no state`);
const states = Object.entries(STATES).filter(([name, { language }]) => usualOrLong(language !== 'ja' && !VARIANTS.has(name), true));

const drawn = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))';

describe('every state of the panel', { concurrency: 1, timeout: 900_000 }, () => {
  let pages;
  before(async () => {
    pages = await site();
  });
  after(async () => {
    await endSharedBrowser();
    await pages.close();
  });

  for (const [name, state] of states) {
    test(name, () =>
      inState(name, pages.origin, async (panel) => {
        await panel.evaluate(`${axe};0`);
        for (const [theme, only] of [
          ['dark', ALL_RULES],
          ['light', COLOUR_RULES],
        ]) {
          await panel.theme(theme);
          await panel.evaluate(drawn);
          const open = await panel.evaluate("[...document.querySelectorAll('.menu')].some((one) => one.checkVisibility())");
          const rules = { 'heading-order': { enabled: false }, ...(open ? { 'target-size': { enabled: false } } : {}) };
          assert.deepEqual(await panel.evaluate(run(rules, only)), [], theme);
        }
        // 280 pixels also equal a panel of 560 pixels at 200 % zoom.
        for (const width of [280, 320, 420, 900]) {
          await panel.size(width, heightOf(state, width));
          await panel.evaluate(drawn);
          assert.deepEqual(await panel.evaluate(WIDE), [], `at ${width} pixels`);
        }
        // The system's own high contrast: no text has the colour of its background.
        await panel.size(420, heightOf(state, 420));
        await panel.send('Emulation.setEmulatedMedia', {
          features: [
            { name: 'forced-colors', value: 'active' },
            { name: 'prefers-reduced-motion', value: 'reduce' },
          ],
        });
        await panel.evaluate(drawn);
        assert.deepEqual(await panel.evaluate(UNSEEN), [], 'in high contrast');
        assert.equal(await panel.evaluate('document.activeElement !== document.body'), true, 'the focus is somewhere');
        assert.deepEqual(
          await panel.evaluate("document.getAnimations().filter((one) => one.playState === 'running').length"),
          0,
          'nothing moves for who asked for no motion',
        );
      }),
    );
  }
});
