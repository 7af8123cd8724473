/*
 * Runs the real MCP clients with `gstack mcp`, each at its pinned version and added by `gstack mcp install`, against fakes of their
 * models. A box that the stored results have must still hold. `GSTACK_BLESS=1` stores the results and writes docs/AGENTS.md;
 * `GSTACK_MATRIX=qwen,vibe` runs only these clients.
 */
import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { CLIENT_BOXES } from './client_boxes.mjs';
import { ClientTrial } from './client_trial.mjs';
import { CLIENTS } from './clients.mjs';
import { PAGE, page, RESULTS, readResults } from './page.mjs';

const wanted = process.env.GSTACK_MATRIX?.split(',') ?? CLIENTS.map(({ name }) => name);
const isInstalled = ({ command }) => existsSync(command('')[0]);
const clients = CLIENTS.filter((client) => wanted.includes(client.name) && isInstalled(client));
const blessing = Boolean(process.env.GSTACK_BLESS);
const stored = readResults();
const found = {};

describe('MCP clients', { skip: clients.length === 0 && 'no client is installed (see tests/run.sh --all)' }, () => {
  let trial;

  before(async () => {
    trial = await ClientTrial.start(clients);
  });

  after(async () => {
    assert.deepEqual(await trial?.stop(), []);
  });

  function bless() {
    const date = new Date().toISOString().slice(0, 10);
    const results = readResults();
    results.clients ??= {};
    const tried = clients.filter(({ name }) => found[name]);
    for (const { name, version } of tried) results.clients[name] = { version, date, boxes: found[name] };
    writeFileSync(RESULTS, `${JSON.stringify(results, null, 2)}\n`);
    writeFileSync(PAGE, page(results));
  }

  for (const client of clients) {
    describe(client.label, () => {
      for (const box of CLIENT_BOXES) {
        test(box.title, async (context) => {
          const first = found[client.name]?.[CLIENT_BOXES[0].id];
          if (first !== undefined && first !== true) return context.skip('it does not reach the page');
          const result = await box.try(trial, client).catch((error) => String(error.message));
          found[client.name] ??= {};
          found[client.name][box.id] = result === true ? true : result.slice(0, 300);
          if (blessing) bless();
          else if (stored.clients?.[client.name]?.boxes[box.id] === true) assert.equal(result, true);
        });
      }
    });
  }
});
