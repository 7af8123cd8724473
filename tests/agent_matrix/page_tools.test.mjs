/*
 * The tools of a page (WebMCP) in the real agents: the page offers one after the conversation has begun, and the agent's next
 * message calls it. Owns the agents that list their tools again; for the others there is `webmcp-call`.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { until } from '../e2e/harness/wait.mjs';
import { AGENTS, isInstalled, npm } from './agents.mjs';
import { Trial } from './trial.mjs';

const PAGE = `<!doctype html><title>Shop</title><h1>Shop</h1><script>
  document.modelContext.registerTool({ name: 'add', description: 'Adds to the cart',
    inputSchema: { type: 'object', properties: { count: { type: 'number' } } },
    execute: async ({ count }) => 'The cart has ' + count + ' roses' });
</script>`;

const named = (name) => AGENTS.find((agent) => agent.name === name);
const codex = { ...named('codex-acp'), name: 'codex', label: 'Codex', known: true, command: [npm('codex')] };
const TRIED = [...['claude-agent-acp', 'codex-acp', 'gemini', 'opencode'].map(named), codex];
const agents = TRIED.filter(isInstalled);

/** The replies of an agent's model: it opens the page, and calls its tool. */
const rules = (agent, url) => [
  { match: 'visit the shop', tools: true, reply: agent.calls('goto', { url }) },
  { match: 'two of them', tools: true, reply: agent.calls('page_add', { count: 2 }) },
];

describe("a page's tools in real agents", { skip: agents.length === 0 && 'no agent is installed (see tests/run.sh --all)' }, () => {
  let trial;
  let server;
  const allowing = { onEvent: async (event) => event.type === 'approval' && trial.allow(event) };
  before(async () => {
    server = createServer((_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${server.address().port}/`;
    trial = await Trial.start(agents.map((agent) => ({ ...agent, more: rules(agent, url) })));
  });
  after(async () => {
    server?.closeAllConnections();
    server?.close();
    assert.deepEqual(await trial?.stop(), []);
  });

  for (const agent of agents) {
    test(agent.label, async () => {
      const going = await trial.say(agent, 'visit the shop', allowing);
      assert.equal(going.outcome, 'done', JSON.stringify(going.fault));
      const turn = await trial.say(agent, 'two of them', allowing);
      assert.equal(turn.cards.length, 1, JSON.stringify(turn.events));
      const isTold = () => trial.requests(agent).some((request) => request.includes('The cart has 2 roses'));
      await until(isTold, () => `its model is not told the answer: ${JSON.stringify(turn.events)}`);
    });
  }
});
