/*
 * Codex with each of the three shapes in which its models get tools: as functions, by a search for them, and as JavaScript that one
 * tool runs. Owns the models and how each calls a tool; the boxes are those of the matrix.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { AGENTS, codex, isInstalled, npm } from './agents.mjs';
import { BOXES } from './boxes.mjs';
import { CLIENT_BOXES } from './client_boxes.mjs';
import { ClientTrial } from './client_trial.mjs';
import { CLIENTS } from './clients.mjs';
import { Trial } from './trial.mjs';

const ORDER = { selector: 'text=Order now' };
const script = (tool, input) =>
  `const result = await tools.mcp__gstack__${tool}(${JSON.stringify(input)});\n` +
  'for (const block of result.content) block.type === "image" ? image(block) : text(block.text);';

/**
 * By shape: the models that have it in the Codex of the adapter and in Codex itself, what a request with it has, and how they call
 * a tool.
 */
const SHAPES = {
  functions: {
    models: ['gpt-5-fake', 'gpt-5-fake'],
    has: /"type":"namespace","name":"mcp__gstack"/,
    calls: (tool, input) => [{ tool, namespace: 'mcp__gstack', input }],
  },
  'a search': {
    models: ['gpt-5.5', 'gpt-5.5'],
    has: /"type":"tool_search"/,
    finds: (tool) => ({ search: [{ search: `gstack ${tool}` }], answer: 'mcp__gstack' }),
    calls: (tool, input) => [{ tool, namespace: 'mcp__gstack', input }],
  },
  JavaScript: {
    models: ['gpt-6.1-sol', 'gpt-6.2-sol'],
    has: /"type":"additional_tools"/,
    calls: (tool, input) => [{ custom: 'exec', input: script(tool, input) }],
    // It goes on without the result, as it does by itself after 30 s.
    more: [
      { match: 'press it and go on', reply: [{ custom: 'exec', input: `// @exec: {"yield_time_ms": 500}\n${script('click', ORDER)}` }] },
    ],
  },
};

const adapter = AGENTS.find(({ name }) => name === 'codex-acp');
const client = CLIENTS.find(({ name }) => name === 'codex');
const ofItself = { ...adapter, name: 'codex', known: true, command: [npm('codex')] };
const skip = !(isInstalled(adapter) && isInstalled(ofItself)) && 'Codex is not installed (see tests/run.sh --all)';
const tried = ['reads', 'looks', 'clicks', 'picture', 'long'];
const boxesOf = (all) => all.filter(({ id }) => tried.includes(id));

/** Returns an agent or client with a model. */
function using(one, model, shape) {
  return { ...one, ...shape, prepare: (home, address) => codex(home, address, model) };
}

async function goesOn(trial, agent) {
  await trial.open(agent, '/form');
  const turn = await trial.say(agent, 'press it and go on', { onEvent: () => {} });
  assert.equal(turn.outcome, 'done', JSON.stringify(turn.events));
  assert.equal(turn.cards.length, 1);
  const { approvals } = JSON.parse(await trial.home.ok(['approvals', '--json']));
  assert.deepEqual(approvals, []);
  const clicks = turn.steps.filter(({ tool }) => tool === 'click');
  assert.deepEqual(
    clicks.map(({ done }) => done?.outcome),
    ['not-sent'],
    JSON.stringify(turn.events),
  );
  assert.equal(await trial.evaluate(agent, "document.querySelector('#said').textContent"), '');
}

for (const [title, shape] of Object.entries(SHAPES)) {
  const [adapted, newest] = shape.models;
  for (const agent of [using(adapter, adapted, shape), using(ofItself, newest, shape)]) {
    describe(`${agent.name} with a model that gets tools by ${title}`, { skip }, () => {
      let trial;
      before(async () => {
        trial = await Trial.start([agent]);
      });
      after(async () => assert.deepEqual(await trial.stop(), []));
      for (const box of boxesOf(BOXES)) test(box.title, async () => assert.equal(await box.try(trial, agent), true));
      test('its model gets them so', () => assert.match(trial.requests(agent).join('\n'), shape.has));
      if (shape.more) test('a card that is open when the turn ends is withdrawn, and nothing was clicked', () => goesOn(trial, agent));
    });
  }
  describe(`codex as an MCP client with a model that gets tools by ${title}`, { skip }, () => {
    const one = using(client, newest, shape);
    let trial;
    before(async () => {
      trial = await ClientTrial.start([one]);
    });
    after(async () => assert.deepEqual(await trial.stop(), []));
    for (const box of boxesOf(CLIENT_BOXES)) test(box.title, async () => assert.equal(await box.try(trial, one), true));
    test('its model gets them so', () => assert.match(trial.requests(one).join('\n'), shape.has));
  });
}
