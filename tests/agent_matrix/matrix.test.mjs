/*
 * Runs the real ACP agents, each at its pinned version, against fakes of their models. A box that the stored results have must
 * still hold. `GSTACK_BLESS=1` stores the results and writes docs/AGENTS.md; `GSTACK_MATRIX=qwen,vibe` runs only these agents.
 */
import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { until } from '../e2e/harness/wait.mjs';
import { AGENTS, isInstalled } from './agents.mjs';
import { BOXES, RESUMES } from './boxes.mjs';
import { PAGE, page, RESULTS, readResults } from './page.mjs';
import { Trial } from './trial.mjs';

const wanted = process.env.GSTACK_MATRIX?.split(',') ?? AGENTS.map(({ name }) => name);
const agents = AGENTS.filter((agent) => wanted.includes(agent.name) && isInstalled(agent));
const blessing = Boolean(process.env.GSTACK_BLESS);
const stored = existsSync(RESULTS) ? readResults() : { agents: {} };
const found = {};

describe('ACP agents', { skip: agents.length === 0 && 'no agent is installed (see tests/run.sh --all)' }, () => {
  let trial;

  before(async () => {
    trial = await Trial.start(agents);
  });

  after(async () => {
    assert.deepEqual(await trial.stop(), []);
  });

  function bless() {
    const date = new Date().toISOString().slice(0, 10);
    // The clients' test may have written to it.
    const results = readResults();
    const tried = agents.filter(({ name }) => found[name]);
    for (const { name, version } of tried) results.agents[name] = { version, date, boxes: found[name] };
    writeFileSync(RESULTS, `${JSON.stringify(results, null, 2)}\n`);
    writeFileSync(PAGE, page(results));
  }

  /** Tries a box. One that the stored results have must hold. */
  async function tryBox(agent, box, context) {
    const result = await box.try(trial, agent).catch((error) => String(error.message));
    found[agent.name] ??= {};
    if (result === undefined) return;
    if (result !== true) context.diagnostic(`${agent.name}: ${result.slice(0, 2000)}`);
    found[agent.name][box.id] = result === true ? true : result.slice(0, 300);
    if (blessing) bless();
    else if (stored.agents[agent.name]?.boxes[box.id] === true) assert.equal(result, true);
  }

  for (const agent of agents) {
    describe(agent.label, () => {
      for (const box of BOXES) {
        test(box.title, async (context) => {
          const first = found[agent.name]?.[BOXES[0].id];
          if (first !== undefined && first !== true) return context.skip('it does not start');
          return tryBox(agent, box, context);
        });
      }
    });
  }

  test('gstack starts again', async () => {
    await trial.home.ok(['stop']);
    // The extension starts it.
    await until(async () => (await trial.home.run(['status'])).code === 0, 'gstack starts again');
  });

  for (const agent of agents) {
    test(`${agent.label} ${RESUMES.title}`, async (context) => {
      if (found[agent.name]?.[BOXES[0].id] !== true) return context.skip('it does not start');
      return tryBox(agent, RESUMES, context);
    });
  }
});
