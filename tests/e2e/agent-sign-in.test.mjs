/*
 * An agent that needs a sign-in: the person chooses one of its ways on a card. And a turn that it ends without an answer.
 * `tests/fake/signed-out-agent.mjs` is the agent.
 */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { AgentPanel } from './harness/agent-panel.mjs';
import { until } from './harness/wait.mjs';

const AGENT = path.resolve(import.meta.dirname, '../fake/signed-out-agent.mjs');

describe('an agent that needs a sign-in', { concurrency: false }, () => {
  let started;
  let panel;
  /** A card that has just moved takes no answer yet. */
  const submit = async () => {
    const button = `document.querySelector('.question [type=submit]:enabled')`;
    await panel.page.waitFor(button, 'an answer that can be sent');
    await until(
      async () => {
        await panel.page.evaluate(`${button}?.click()`);
        return !(await panel.page.evaluate(`Boolean(${button})`));
      },
      () => 'the card takes no answer',
    );
  };

  before(async () => {
    started = await AgentPanel.start(({ home }) => {
      mkdirSync(home, { mode: 0o700 });
      const own = (name, ...more) => `[agents.own.${name}]\ncommand = ${JSON.stringify([process.execPath, AGENT, ...more])}\n`;
      writeFileSync(
        path.join(home, 'config.toml'),
        `[agents]\ndefault = "guest"\n${own('guest')}${own('mallory', 'hostile')}${own('forgetful', 'signed-in')}`,
        { mode: 0o600 },
      );
    });
    ({ panel } = started);
  });

  after(async () => assert.deepEqual(await started?.stop(), []));

  test('shows the ways that it can go by itself on a card, and tells of one that is refused', async () => {
    const options = `[...document.querySelectorAll('.question .option__text')].map((one) => one.firstChild.textContent).join()`;
    const pick = async (way) => {
      await panel.page.waitFor(`${options} === 'Account,Old account'`, 'the card with both ways');
      await panel.page.evaluate(
        `[...document.querySelectorAll('.question .option')].find((one) => one.innerText.startsWith(${JSON.stringify(way)})).click()`,
      );
      await submit();
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

  test('its words neither hide, imitate nor flood, and only its ways are answers', async () => {
    await started.home.ok(['settings', 'set', 'agents.default', 'mallory']);
    await panel.say('go with another agent');
    await panel.page.waitFor(`document.querySelector('.question:not(.is-arming)')`, 'the card');
    const [text, labels, elements, title] = await panel.page.evaluate(`[
      document.querySelector('.question').innerText,
      [...document.querySelectorAll('.question .option__text')].map((one) => one.firstChild.textContent),
      document.querySelectorAll('.question :is(img, script, input:not([type=radio]))').length,
      document.title]`);
    assert.equal(elements, 0, 'no element of its own, and no field for a password');
    assert.notEqual(title, '1');
    assert.ok(text.length < 6000, `${text.length} characters`);
    assert.doesNotMatch(text, /[\u0000-\u0009\u000b-\u001f\u202a-\u202e\u2066-\u2069]/);
    assert.match(text, /Choose an account⟨U\+202E⟩ first\.⟨U\+0007⟩/);
    assert.deepEqual(labels.slice(0, 4), [
      '<img src=x onerror="document.title=1">',
      'Deny⟨U+202E⟩ ecno wollA⟨U+2066⟩⟨U+001B⟩[2K',
      'Allow once',
      'Allow once (2)',
    ]);
    assert.ok(labels.length <= 12 && labels.every((label) => label.length <= 110), `${labels.length} ways`);
    // The second of two equal names is the second way.
    await panel.page.evaluate(`document.querySelectorAll('.question .option')[3].click()`);
    await submit();
    await panel.seen('answer', 'Signed in with second.');
    await panel.gone('stop');
  });

  test('what a stopped turn said is told to an agent that forgot it, also by the next daemon', async () => {
    await started.home.ok(['settings', 'set', 'agents.default', 'forgetful']);
    await panel.say('hello');
    await panel.seen('answer', 'It was nothing.');
    await panel.gone('stop');
    await panel.say('begin');
    await panel.seen('answer', 'I have 7.');
    await panel.page.click('.stop:not([hidden])');
    await panel.gone('stop');
    await started.home.ok(['stop']);
    await until(async () => (await started.home.run(['status'])).code === 0, 'gstack starts again');
    await panel.connected();
    await panel.say('what do you have?');
    await panel.seen('answer', 'It was I have 7.');
    await panel.gone('stop');
    await panel.say('and now?');
    await panel.page.waitFor(
      `[...document.querySelectorAll('.turn .prose')].at(-1).textContent.includes('It was nothing.')`,
      'the next turn is told nothing',
    );
    await panel.gone('stop');
  });
});
