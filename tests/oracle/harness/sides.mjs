/* Both sides of a comparison and their pages, for the tests of one `describe`. */
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { Gstack } from './gstack.mjs';
import { Oracle } from './playwright.mjs';
import { Site } from './site.mjs';

/**
 * Starts them before the tests and ends them after; the fields are set once the first test runs. `ready`: additional
 * work before the first test.
 */
export function sides(ready = async () => {}) {
  const them = { gstack: null, oracle: null, site: null };
  before(async () => {
    them.site = await Site.start();
    [them.gstack, them.oracle] = await Promise.all([Gstack.start(), Oracle.start()]);
    await ready(them);
  });
  after(async () => {
    await them.oracle?.stop();
    await them.site?.stop();
    assert.deepEqual(await them.gstack?.stop(), [], 'no process had to be forced');
  });
  return them;
}
