/*
 * Problems that the real Claude Code reports in the panel: a stream that breaks off, tools that it refuses, its task
 * list. tests/fake plays its API on loopback; the package comes from npm unless GSTACK_TEST_CLAUDE names another one.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { AgentPanel } from './harness/agent-panel.mjs';
import { AGENTS, RealAgent } from './harness/real-agent.mjs';

const { program } = AGENTS.claude;
/** The end of a stream in the middle of an answer. */
const BREAK = { streamError: 'overloaded_error', message: 'Overloaded' };
/** Claude Code's request for the rest of an answer that broke off. */
const CUT_OFF = 'cut off mid-stream';
/** The API's replies to the tool results of a turn, in order. */
const then = (...replies) => replies.map((reply) => ({ in: 'toolResult', tools: true, times: 1, reply }));

describe('Claude Code', { skip: program ? false : 'Claude Code is not installed' }, () => {
  let started;
  let panel;

  before(async () => {
    const scenario = {
      rules: [
        { match: 'break off', tools: true, reply: [{ text: 'Half a sentence' }, BREAK] },
        { in: 'reminder', match: CUT_OFF, tools: true, times: 1, reply: [{ text: 'and the other half.' }] },
        { in: 'reminder', match: CUT_OFF, tools: true, reply: [BREAK] },
        { match: 'plan it', tools: true, times: 1, reply: [{ tool: 'TaskUpdate', input: { taskId: 'nothing' } }] },
        ...then([{ tool: 'TodoWrite', input: { todos: 'not a list' } }], [{ text: 'Refused twice.' }]),
        {
          match: 'now the tasks',
          tools: true,
          times: 1,
          reply: [{ tool: 'TaskCreate', input: { subject: 'Move the tests', description: 'all of them' } }],
        },
        ...then([{ tool: 'TaskUpdate', input: { taskId: '1', status: 'in_progress' } }], [{ text: 'It is planned.' }]),
      ],
      default: [{ text: 'ok' }],
    };
    started = await AgentPanel.start((home) => RealAgent.install(home, 'claude', scenario));
    ({ panel } = started);
  });

  after(async () => assert.deepEqual(await started?.stop(), []));

  const shown = () => panel.page.evaluate(`document.querySelector('#conversation').innerText`);

  test('an answer that breaks off goes on, and one whose rest breaks off too is told as incomplete', async () => {
    await panel.say('break off once');
    await panel.seen('answer', 'and the other half.');
    await panel.gone('stop');
    await panel.say('break off');
    await panel.page.waitFor(`document.querySelector('.card--danger')`, 'the reason of the end');
    const said = await panel.page.evaluate(`document.querySelector('.card--danger').innerText`);
    assert.match(said, /incomplete/i);
    assert.doesNotMatch(said, /network|reached|reported an error/i);
    await panel.gone('stop');
  });

  test('a tool that refuses its call is told without tags and draws no plan', async () => {
    await panel.say('plan it');
    await panel.seen('answer', 'Refused twice.');
    await panel.gone('stop');
    await panel.page.evaluate(`for (const one of document.querySelectorAll('.turn details')) one.open = true`);
    assert.doesNotMatch(await shown(), /tool_use_error/);
    assert.equal(await panel.page.evaluate(`document.querySelectorAll('.plan').length`), 0);
  });

  test('the tasks of current releases are a plan', async () => {
    await panel.say('now the tasks');
    await panel.seen('answer', 'It is planned.');
    await panel.gone('stop');
    // A step is marked as the current one only while the turn runs.
    await panel.page.waitFor(`document.querySelector('.plan__entry')?.innerText.includes('Move the tests')`, 'the plan');
  });
});
