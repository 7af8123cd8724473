/* docs/AGENTS.md says what the matrix of agents has found (tests/agent_matrix), at the versions that are pinned. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { AGENTS } from '../agent_matrix/agents.mjs';
import { CLIENT_BOXES } from '../agent_matrix/client_boxes.mjs';
import { CLIENTS, installable } from '../agent_matrix/clients.mjs';
import { ALL_BOXES, PAGE, page, readResults } from '../agent_matrix/page.mjs';

const results = readResults();
const tried = AGENTS.filter(({ name }) => results.agents[name]);

test('docs/AGENTS.md is what the results of the matrix say', () => {
  assert.equal(readFileSync(PAGE, 'utf8'), page(results), 'run GSTACK_BLESS=1 node --test tests/agent_matrix/matrix.test.mjs');
});

test('the results are of the pinned versions', () => {
  for (const { name, version } of CLIENTS)
    assert.equal(results.clients[name]?.version, version, `${name} was not tried at its pinned version`);
  for (const { name, version } of tried) assert.equal(results.agents[name].version, version, `${name} was not tried at its pinned version`);
});

test('`mcp install` knows every client of the matrix', () => {
  for (const { name, install } of CLIENTS.filter((client) => client.install)) assert.ok(installable().includes(install), name);
});

test('a box that does not hold has a reason', () => {
  for (const client of CLIENTS)
    for (const { id } of CLIENT_BOXES)
      assert.ok(results.clients[client.name].boxes[id] === true || client.without?.[id], `${client.name}: ${id} has no reason`);
  for (const agent of tried) {
    const { boxes } = results.agents[agent.name];
    for (const { id } of ALL_BOXES)
      assert.ok(boxes[id] === undefined || boxes[id] === true || agent.needs || agent.without?.[id], `${agent.name}: ${id} has no reason`);
  }
});
