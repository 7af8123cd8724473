/* Roles and names of single elements against the standards' own cases, and against Chromium's own results. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { difference, readCases, sameRole } from './harness/cases.mjs';
import { walkerScript } from './harness/injected.mjs';
import { Oracle } from './harness/playwright.mjs';

/**
 * The minimum number of cases that each suite must pass, apart from intended differences: raise it when it rises, never
 * lower it.
 */
const FLOORS = { accname: 403, 'aria-roles': 197, 'html-roles': 158 };
/** The same for Chromium's own role and name of each element. Every difference has its reason in the table. */
const CHROMIUM_FLOORS = { accname: 445, 'aria-roles': 191, 'html-roles': 153 };

/** Loads each markup and asks the product's script, and Chromium, for the element's role and name. */
function examine(cases) {
  const deep = (root) => {
    for (const element of root.querySelectorAll('*')) {
      if (element.hasAttribute('t')) return element;
      const inner = element.shadowRoot && deep(element.shadowRoot);
      if (inner) return inner;
    }
    return null;
  };
  const { roleOf, nameOf, beginPass, rendering } = globalThis.__walker;
  return cases.map(({ html }) => {
    document.body.setHTMLUnsafe(html);
    const element = deep(document.body);
    beginPass();
    const role = roleOf(element);
    const shown = rendering(element) !== 0;
    const ours = { role, name: shown ? nameOf(element, role) : '' };
    return { ours, chromium: { role: element.computedRole, name: (element.computedName ?? '').replace(/\s+/g, ' ').trim() } };
  });
}

describe('roles and names', () => {
  let oracle;
  before(async () => {
    oracle = await Oracle.start();
  });
  after(() => oracle.stop());

  for (const suite of Object.keys(FLOORS)) {
    test(suite, async () => {
      const cases = readCases(suite);
      await oracle.page.setContent('<!doctype html><title>cases</title><body>');
      await oracle.page.addScriptTag({ content: walkerScript(['roleOf', 'nameOf', 'beginPass', 'rendering']) });
      const found = await oracle.page.evaluate(examine, cases);
      let agreed = 0;
      let asChromium = 0;
      let purposely = 0;
      const unexplained = [];
      cases.forEach((one, at) => {
        const { ours, chromium } = found[at];
        const wrong = difference(one, ours);
        if (wrong) unexplained.push(`${one.html}\n    ${wrong}`);
        else if (one.differs) purposely += 1;
        else agreed += 1;
        const same =
          (one.role === undefined || sameRole(chromium.role) === sameRole(ours.role)) &&
          (one.name === undefined || chromium.name === ours.name);
        if (same) asChromium += 1;
        else if (!one.chromium && !wrong)
          unexplained.push(`${one.html}\n    ours ${ours.role} “${ours.name}”, Chromium's ${chromium.role} “${chromium.name}”`);
      });
      console.log(`${suite} ${agreed}/${cases.length} (${purposely} differ on purpose); as Chromium: ${asChromium}/${cases.length}`);
      assert.deepEqual(unexplained, [], 'every difference has a reason in the table');
      assert.ok(agreed >= FLOORS[suite], `${suite}: ${agreed} agree, it was ${FLOORS[suite]}`);
      assert.ok(asChromium >= CHROMIUM_FLOORS[suite], `${suite}: ${asChromium} are as Chromium has them, it was ${CHROMIUM_FLOORS[suite]}`);
    });
  }
});
