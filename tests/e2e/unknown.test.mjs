/*
 * A command whose connection breaks while it works: a writing command may have taken effect, reports that, and is not
 * repeated. One that only reads asks the next daemon if its own was killed.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Api } from './harness/api.mjs';
import { TestHome } from './harness/home.mjs';
import { Site } from './harness/site.mjs';
import { until } from './harness/wait.mjs';

describe('a command that is cut off', () => {
  let home;
  let site;
  before(async () => {
    home = new TestHome({ port: false });
    site = await Site.start();
  });
  after(async () => {
    site.release();
    await site.stop();
    assert.deepEqual(await home.stop(), [], 'no process had to be forced');
  });

  /** Returns the browser's own process, which the keeper started. */
  const browser = async () => {
    const { browserPid } = await home.status();
    return browserPid;
  };
  const ways = [
    ['the daemon is killed', async () => home.kill(await home.only('daemon'))],
    ['the browser is killed', async () => home.kill(await browser())],
    ['the keeper is killed', async () => home.kill(await home.only('browser-keeper'))],
    [
      'the daemon is told to end',
      async () => {
        await home.ok(['stop']);
      },
    ],
  ];
  for (const [words, end] of ways) {
    test(`${words}: a click has exit code 3 and an unknown outcome, and is not repeated`, async () => {
      site.release();
      await home.ok(['goto', `${site.origin}/held-click`]);
      const asked = () => site.asked.filter((one) => one === 'GET /held').length;
      const before = asked();
      const click = home.run(['click', '#go', '--json']);
      await until(() => asked() > before, 'the click has not arrived');
      await end();
      const { code, stdout, stderr } = await click;
      assert.equal(code, 3, stderr);
      const answer = JSON.parse(stdout);
      assert.deepEqual([answer.ok, answer.outcome, answer.fault.code], [false, 'unknown', 'outcome-unknown']);
      assert.match(stderr, /\n {2}\S/, 'the next step is said');
      assert.equal(asked(), before + 1, 'it was sent once');
    });

    test(`${words}: what only reads has simply failed`, async () => {
      site.release();
      await home.ok(['goto', `${site.origin}/form`]);
      const wait = home.run(['wait', '#never', '--json']);
      const api = new Api(home);
      await until(async () => (await api.get('/activity/history')).body.entries.at(-1).command === 'wait', 'it does not wait yet');
      await end();
      const { code, stdout } = await wait;
      assert.deepEqual([code, JSON.parse(stdout).outcome], [1, undefined], stdout);
    });
  }

  test('the daemon is killed: what only reads is asked again of the next one', async () => {
    site.release();
    await home.ok(['goto', `${site.origin}/form`]);
    await home.ok(['js', `void fetch('/held').then(() => document.querySelector('#said').append('It is later'))`]);
    const wait = home.run(['wait', '--text', 'It is later', '--timeout', '90000']);
    const api = new Api(home);
    await until(async () => (await api.get('/activity/history')).body.entries.at(-1).command === 'wait', 'it does not wait yet');
    await home.kill(await home.only('daemon'));
    site.release();
    const { code, stderr } = await wait;
    assert.deepEqual([code, stderr], [0, ''], home.log());
  });

  for (const [words, end] of ways.slice(1)) {
    test(`${words}: a chain is unknown as a whole, and says at which step it was and what was done before`, async () => {
      site.release();
      await home.ok(['goto', `${site.origin}/held-click`]);
      const before = site.asked.length;
      const chain = home.run(['chain', 'url | click #nothing --timeout 50 | click #go | text', '--json']);
      await until(() => site.asked.slice(before).includes('GET /held'), 'the click has not arrived');
      await end();
      const { code, stdout } = await chain;
      const answer = JSON.parse(stdout);
      assert.deepEqual([code, answer.ok, answer.outcome], [3, false, 'unknown'], stdout);
      assert.match(answer.error, /^chain was interrupted at step 3 of 4, `click #go`: .*; it is unknown whether that took effect$/);
      assert.match(answer.hint, /^Done: url\.\n +Failed: click #nothing --timeout 50\.\n +Not begun: text\.\n +\S/);
    });
  }

  test('the activity says that the outcome is not known', async () => {
    site.release();
    await home.ok(['goto', `${site.origin}/held-click`]);
    const before = site.asked.length;
    const click = home.run(['click', '#go']);
    await until(() => site.asked.slice(before).includes('GET /held'), 'the click has not arrived');
    await home.kill(await browser());
    assert.equal((await click).code, 3);
    const { body } = await new Api(home).get('/activity/history');
    assert.equal(body.entries.findLast((one) => one.command === 'click').outcome, 'unknown');
    assert.deepEqual(home.processes('browser'), []);
  });
});
