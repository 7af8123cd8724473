/*
 * The settings and agents in the panel's pictures and tests must equal gstack's own. After a change of the settings:
 * `GSTACK_BLESS=1 node --test fixtures.test.mjs`.
 */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { MISSING } from '../extension/scenarios.mjs';
import { TestHome } from './harness/home.mjs';

const file = new URL('../extension/settings.json', import.meta.url);
/** The number of agents that work at once depends on the machine's memory. */
const AT_ONCE = 6;

let home;
before(() => {
  home = new TestHome({ environment: { PATH: '/usr/bin:/bin' } });
});
after(async () => assert.deepEqual(await home.stop(), []));

test('the settings that the panel is shown with are the ones that gstack has', async () => {
  const { settings } = await home.json('settings');
  const found = settings.map((setting) => (setting.name === 'agents.at-once' ? { ...setting, value: AT_ONCE, default: AT_ONCE } : setting));
  if (process.env.GSTACK_BLESS) writeFileSync(file, `${JSON.stringify(found, null, 1)}\n`);
  assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), found, 'GSTACK_BLESS=1 writes them');
});

test('the agents that are missing in it are named, and installed, as gstack says', async () => {
  const { agents } = await home.json('agents');
  const named = (list) => list.map(({ name, label }) => ({ name, label }));
  assert.deepEqual(named(MISSING), named(agents.filter(({ hasModel }) => hasModel)));
  // A machine may have one of them installed globally.
  const missing = agents.filter(({ status }) => status === 'missing');
  assert.deepEqual(
    MISSING.filter(({ name }) => missing.some((one) => one.name === name)),
    missing,
  );
});
