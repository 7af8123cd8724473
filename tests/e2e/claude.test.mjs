/*
 * The agents' real programs in the side panel of a real browser; tests/fake plays their APIs on loopback. They come
 * from npm with the other packages of these tests, unless GSTACK_TEST_CLAUDE names another Claude Code.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { AgentPanel } from './harness/agent-panel.mjs';
import { AGENTS, RealAgent } from './harness/real-agent.mjs';
import { until } from './harness/wait.mjs';

const question = {
  question: 'Which color?',
  header: 'Color',
  multiSelect: false,
  options: [
    { label: 'Red', description: 'warm' },
    { label: 'Blue', description: 'cold' },
  ],
};

for (const [name, { label, program, calls }] of Object.entries(AGENTS)) {
  describe(label, { skip: program ? false : `${label} is not installed` }, () => {
    let started;
    let home;
    let agent;
    let client;
    let panel;
    let page;

    before(async () => {
      const scenario = {
        rules: [
          // First, because the earlier messages may be included.
          { match: 'what was that?', tools: true, reply: [{ text: 'That was your order.' }] },
          {
            match: 'order for Ada',
            tools: true,
            reply: [{ text: 'I fill the form.' }, calls('fill', { selector: '#name', value: 'Ada' })],
          },
          { match: 'press it now', tools: true, reply: [calls('click', { selector: 'text=Order now' })] },
          { match: 'hello there', tools: true, reply: [{ text: 'Hello from the model, in words that stream.', chunk: 4, delayMs: 5 }] },
          { match: 'ask me something', tools: true, reply: [{ tool: 'AskUserQuestion', input: { questions: [question] } }] },
        ],
        afterTool: [{ text: 'It is done.' }],
        default: [{ text: 'ok' }],
      };
      started = await AgentPanel.start((home) => RealAgent.install(home, name, scenario));
      ({ home, agent, client, panel } = started);
      page = await home.page(client, started.site.origin);
    });

    after(async () => assert.deepEqual(await started?.stop(), []));

    const answers = (number) => panel.page.waitFor(`document.querySelectorAll('.turn-footer').length >= ${number}`, `${number} answers`);
    const waiting = async () => JSON.parse(await home.ok(['approvals', '--json']));

    test('answers in the panel', async () => {
      await panel.say('hello there');
      await panel.seen('answer', 'Hello from the model, in words that stream.');
      await panel.gone('stop');
      await answers(1);
    });

    test('fills and clicks in the page in view, after each was allowed', async () => {
      await panel.say('order for Ada');
      await panel.answer('once');
      await panel.seen('answer', 'It is done.');
      assert.equal(await page.evaluate('document.querySelector("#name").value'), 'Ada');
      await panel.gone('stop');
      await panel.say('press it now');
      await panel.answer('once');
      await panel.gone('stop');
      assert.equal(await page.evaluate('document.querySelector("#said").textContent'), 'Ordered by Ada');
    });

    test('is told of a no, and its step says so; a stop takes the question back', async () => {
      await page.evaluate('document.querySelector("#said").textContent = ""');
      await panel.say('press it now');
      await panel.answer('Deny');
      await panel.page.waitFor(`document.querySelector('.step--denied')`, 'a step that was denied');
      await panel.gone('stop');
      await panel.say('press it now');
      await until(async () => (await waiting()).approvals.length === 1, 'the click is asked about');
      await panel.page.click('.stop');
      await panel.gone('stop');
      assert.deepEqual((await waiting()).approvals, []);
      assert.equal(await page.evaluate('document.querySelector("#said").textContent'), '', 'nothing was clicked');
      await panel.say('hello again');
      await panel.gone('stop');
    });

    test('goes on after a restart of the daemon and knows what was said', async () => {
      await home.ok(['stop']);
      await panel.connected();
      const before = agent.requests().length;
      await panel.say('what was that?');
      await panel.seen('answer', 'That was your order.');
      await panel.gone('stop');
      const sent = agent.requests().slice(before).join('\n');
      assert.match(sent, /what was that\?/);
      assert.match(sent, /order for Ada/, 'by its own session, or because it was told');
    });

    if (name === 'claude') {
      test('asks the person, who answers at the terminal by number', async () => {
        const chat = home.run(['chat', 'ask me something']);
        const {
          questions: [asked],
        } = await until(async () => {
          const found = await waiting();
          return found.questions?.length === 1 && found;
        }, 'a question waits');
        assert.equal(asked.parts[0].options[1].label, 'Blue');
        const listed = await home.ok(['approvals']);
        assert.match(listed, /Which color\?[\s\S]*1 {2}Red {2}warm[\s\S]*2 {2}Blue[\s\S]*gstack approvals answer/);
        assert.equal((await home.run(['approvals', 'allow'])).code, 2, 'there is nothing to allow');
        assert.equal((await home.run(['approvals', 'answer', '7'])).code, 2, 'there are two options');
        assert.match(await home.ok(['approvals', 'answer', '2']), /Answered: Blue/);
        const { code, stdout } = await chat;
        assert.equal(code, 0, stdout);
        assert.match(stdout, /Which color\?[\s\S]*2 {2}Blue[\s\S]*gstack approvals answer/);
        assert.match(agent.requests().at(-1), /Blue/, 'the model is told');

        const second = home.run(['chat', 'please ask me something']);
        await until(async () => (await waiting()).questions?.length === 1, 'a question waits');
        await home.ok(['approvals', 'answer', 'neither, rather green']);
        assert.equal((await second).code, 0);
        assert.match(agent.requests().at(-1), /rather green/);
      });

      test('asks at the prompt of a terminal, where a wrong answer loses nothing', async () => {
        const asked = home.atTerminal("chat 'now ask me something'");
        await asked.shows(/Which color\?[\s\S]*Answer with a number or in your own words[\s\S]*> /);
        asked.type('7');
        await asked.shows(/> [\s\S]*2 options[\s\S]*> /);
        asked.type('1');
        assert.equal((await asked.ended).code, 0);
        assert.match(agent.requests().at(-1), /Red/, 'the model is told');

        const denied = home.atTerminal("chat 'press it now'");
        await denied.shows(/Allow once\? \[y\/N\] /);
        denied.type('');
        assert.equal((await denied.ended).code, 0);
        assert.match(agent.requests().at(-1), /denied|not allowed|said no/i);
        assert.equal(await page.evaluate('document.querySelector("#said").textContent'), '', 'nothing was clicked');

        const elsewhere = home.atTerminal("chat 'press it now, once more'");
        await elsewhere.shows(/Allow once\? \[y\/N\] /);
        await home.ok(['approvals', 'allow']);
        const { shown } = await elsewhere.ended;
        assert.match(shown, /answered elsewhere/);
        assert.match(await page.evaluate('document.querySelector("#said").textContent'), /./, 'it was clicked');
      });
    }
  });
}
