/* The same cases through the real program: the element's line in `gstack snapshot` has its role and its name. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { readCases, sameRole } from './harness/cases.mjs';
import { Gstack } from './harness/gstack.mjs';
import { Site } from './harness/site.mjs';

/** Roles that have no line of their own, or whose name is what their parts print line by line. */
const WITHOUT_LINE = new Set(
  'generic none paragraph caption rowgroup row strong emphasis subscript superscript insertion deletion mark code time'.split(' '),
);
/** Invisible elements have no line. */
const UNSEEN = /style='display:none'><button t|t hidden|<area|<img t role='none'|<slot|<optgroup t/;

describe('the snapshot', () => {
  let gstack;
  let site;
  before(async () => {
    site = await Site.start();
    gstack = await Gstack.start();
    await gstack.run('goto', site.put('cases', '<!doctype html><title>cases</title><body>'));
  });
  after(async () => {
    await site.stop();
    assert.deepEqual(await gstack.stop(), [], 'no process had to be forced');
  });

  for (const suite of ['accname', 'aria-roles', 'html-roles']) {
    test(suite, async () => {
      const missing = [];
      let shown = 0;
      for (const one of readCases(suite)) {
        const role = one.role && sameRole(one.ours ?? one.role);
        const name = one.oursName ?? one.name ?? '';
        if (UNSEEN.test(one.html) || WITHOUT_LINE.has(role) || (!role && !name)) continue;
        await gstack.run('js', `document.body.setHTMLUnsafe(${JSON.stringify(one.html)})`);
        const lines = (await gstack.run('snapshot')).split('\n');
        const wanted = `${role ? `[${role}]` : ']'}${name ? ` "${name.replaceAll('"', '\\"')}"` : ''}`;
        if (lines.some((line) => line.includes(wanted))) shown += 1;
        else missing.push(`${one.html} shows no ${wanted}:\n${lines.slice(1, -1).join('\n')}`);
      }
      console.log(`${suite}: ${shown}/${shown + missing.length} shown`);
      assert.deepEqual(missing, []);
    });
  }
});
