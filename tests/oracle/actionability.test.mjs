/* When an action waits, works or fails, and for which reason: with gstack and with Playwright. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sides } from './harness/sides.mjs';

/** The timeout for actions that can succeed, so that a busy machine decides nothing. */
const PATIENCE_MS = 15_000;
/** The timeout for actions that cannot succeed, longer than anything on the page takes to change. */
const IN_VAIN_MS = 1000;
const IN_VAIN = new Set(
  (
    '#disabled #aria-disabled #in-fieldset #gone #unseen #empty #small #covered #no-events #moving #outside #offscreen #custom-check ' +
    '#disabled-span #in-closed #inert #label-of-off #missing ' +
    '#readonly #aria-readonly #field-off #check #file #text #submit #aria-box #select-off'
  ).split(' '),
);

const CLICKS = (
  '#plain #disabled #aria-disabled #in-fieldset #in-legend #gone #unseen #clear #empty #small #covered #glass #half ' +
  '#uncovered-later #no-events #child-no-events #icon #child-events #moving #arriving #fading #outside #offscreen ' +
  '#custom-check #custom-label #with-span #span #bold #disabled-span #in-scroller #in-smooth #at-side #clipped ' +
  '#in-contents #contents #wrapped #scaled #zoomed #rotated #shape #circle #line #big #summary #in-closed #inert ' +
  '#in-shadow #slotted #enabled-button-later #appearing .swap #last #cover #label-of-field #label-of-off #missing button'
).split(' ');
const HOVERS = '#plain #disabled #covered #gone #moving #arriving #outside #in-scroller #no-events #clear #inert #missing'.split(' ');
const FILLS = (
  '#field #readonly #aria-readonly #field-off #check #file #text #rich #in-rich #area #submit #aria-box #label-of-field ' +
  '#label-of-off #number #date #range #color #enabled-later #select #gone #plain #covered #missing'
).split(' ');
const SELECTS = '#select #select-off #field #missing'.split(' ');
const VALUES = { '#number': '5', '#date': '2024-01-31', '#range': '4', '#color': '#00ff00' };

/* Intended differences: action → reason. */
const ON_PURPOSE = {
  'click #custom-check': 'a label that lies over its own field works it, as it does for a person',
  'click #label-of-field': 'the middle of its line, not of its first part: the field gets the focus both ways',
};

/** Returns what blocks the action, as one word, from either tool's message. */
function reasonOf(message) {
  if (/strict mode violation|elements match/.test(message)) return 'several';
  if (/intercepts pointer events|is covered by|a click there reaches|takes no pointer events/.test(message)) return 'covered';
  if (/is not visible|it is not visible/.test(message)) return 'not visible';
  if (/outside of the viewport/.test(message)) return 'outside';
  if (/is not stable|still moving/.test(message)) return 'moving';
  if (/is not enabled|is disabled/.test(message)) return 'disabled';
  if (/is not editable|read-only/.test(message)) return 'read-only';
  if (
    /is not an <input>|cannot be filled|takes no text|use select|not a <select>|<select> element|Cannot type|does not have a role/i.test(
      message,
    )
  )
    return 'kind';
  if (/did not appear|waiting for/.test(message)) return 'missing';
  return message;
}

describe('actionability', () => {
  const both = sides();

  async function outcomes(action, selector, argument, limit) {
    const url = both.site.url('actionable.html');
    const timeout = { timeout: limit };
    const ours = async () => {
      await both.gstack.run('goto', url);
      await both.gstack.run('js', 'later(); 0');
      const answer = await both.gstack.ask(action, '--timeout', String(limit), selector, ...(argument === undefined ? [] : [argument]));
      return answer.ok ? `ok ${await both.gstack.js('clicked')}` : reasonOf(answer.error);
    };
    const theirs = async () => {
      await both.oracle.page.goto(url);
      await both.oracle.page.evaluate('later(); 0');
      const locator = both.oracle.page.locator(selector);
      try {
        if (action === 'click') await locator.click(timeout);
        else if (action === 'hover') await locator.hover(timeout);
        else if (action === 'fill') await locator.fill(argument, timeout);
        else await locator.selectOption(argument, timeout);
      } catch (error) {
        return reasonOf(error.message);
      }
      return `ok ${await both.oracle.page.evaluate('clicked')}`;
    };
    return Promise.all([ours(), theirs()]);
  }

  for (const [action, selectors] of Object.entries({ click: CLICKS, hover: HOVERS, fill: FILLS, select: SELECTS })) {
    test(action, async () => {
      let agreed = 0;
      const unexplained = [];
      for (const selector of selectors) {
        const argument = action === 'fill' ? (VALUES[selector] ?? 'text') : action === 'select' ? '2' : undefined;
        let [ours, theirs] = await outcomes(action, selector, argument, IN_VAIN.has(selector) ? IN_VAIN_MS : PATIENCE_MS);
        // On a busy machine a short wait may end before either tool has checked, so differences are tried again with a
        // longer timeout.
        if (ours !== theirs && IN_VAIN.has(selector)) [ours, theirs] = await outcomes(action, selector, argument, PATIENCE_MS);
        // A wait that cannot succeed may end before Playwright has logged its reason.
        if (ours === theirs || (IN_VAIN.has(selector) && theirs === 'missing' && !ours.startsWith('ok'))) agreed += 1;
        else if (!ON_PURPOSE[`${action} ${selector}`]) unexplained.push(`${action} ${selector}: ours ${ours}; theirs ${theirs}`);
      }
      console.log(`${action}: ${agreed}/${selectors.length} with the same outcome, ${unexplained.length} unexplained`);
      assert.equal(unexplained.join('\n'), '');
    });
  }
});
