/*
 * An agent that needs a sign-in: the person chooses one of its ways on a card. And a turn that it ends without an answer.
 * `tests/fake/signed-out-agent.mjs` is the agent.
 */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { AgentPanel } from './harness/agent-panel.mjs';

const AGENT = path.resolve(import.meta.dirname, '../fake/signed-out-agent.mjs');

describe('an agent that needs a sign-in', { concurrency: false }, () => {
  let started;
  let panel;

  before(async () => {
    started = await AgentPanel.start(({ home }) => {
      mkdirSync(home, { mode: 0o700 });
      const command = JSON.stringify([process.execPath, AGENT]);
      const toml = `[agents]\ndefault = "guest"\n[agents.own.guest]\ncommand = ${command}\n`;
      writeFileSync(path.join(home, 'config.toml'), toml, { mode: 0o600 });
    });
    ({ panel } = started);
  });

  after(async () => assert.deepEqual(await started?.stop(), []));

  test('shows the ways that it can go by itself on a card, and tells of one that is refused', async () => {
    const options = `[...document.querySelectorAll('.question .option__text')].map((one) => one.firstChild.data).join()`;
    const pick = async (way) => {
      await panel.page.waitFor(`${options} === 'Account,Old account'`, 'the card with both ways');
      await panel.page.evaluate(
        `[...document.querySelectorAll('.question .option')].find((one) => one.innerText.startsWith(${JSON.stringify(way)})).click()`,
      );
      const submit = `document.querySelector('.question:not(.is-arming) [type=submit]:enabled')`;
      await panel.page.waitFor(submit, 'an answer that can be sent');
      await panel.page.evaluate(`${submit}.click()`);
    };
    await panel.say('go');
    await panel.page.waitFor(`document.querySelector('.question')?.innerText.includes('Choose an account first.')`, 'the reason');
    await pick('Old account');
    await panel.page.waitFor(`document.querySelector('.card--danger')?.innerText.includes('This account is closed.')`, 'the refusal');
    await panel.say('go on');
    await pick('Account');
    await panel.seen('answer', 'Signed in with account.');
    await panel.gone('stop');
  });

  test('a turn that it ends without an answer is no success', async () => {
    await panel.say('say nothing');
    const cards = `[...document.querySelectorAll('.card--danger')]`;
    await panel.page.waitFor(`${cards}.some((one) => one.innerText.includes('without an answer and without an error'))`, 'the card');
  });
});
