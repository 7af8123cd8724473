/* A recording that is under way when the daemon ends is lost: the next daemon says so, once, and starts a new one when asked. */
import assert from 'node:assert/strict';
import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { TestHome } from './harness/home.mjs';
import { Site } from './harness/site.mjs';

const KINDS = {
  'a video': { start: ['video', 'start', 'page.webm'], stop: ['video', 'stop'], said: /the video of tab \d+/, none: /not being recorded/ },
  requests: {
    start: ['har', 'start'],
    stop: ['har', 'stop', 'page.har'],
    said: /the recording of requests of tab \d+/,
    none: /not being recorded/,
  },
  'a trace': {
    start: ['trace', 'start'],
    stop: ['trace', 'stop', 'page.json'],
    said: /the trace of tab \d+/,
    none: /no trace of this tab/,
  },
  coverage: {
    start: ['coverage', 'js', 'start'],
    stop: ['coverage', 'js', 'stop'],
    said: /the recording of js coverage of tab \d+/,
    none: /not being recorded/,
  },
};

describe('recordings that a daemon did not save', () => {
  let home;
  let site;
  const file = () => path.join(home.home, 'recordings.json');
  const begin = async () => {
    for (const { start } of Object.values(KINDS)) await home.ok(start);
    assert.equal(statSync(file()).mode & 0o777, 0o600);
  };
  const areTold = async () => {
    for (const [name, { stop, said, none }] of Object.entries(KINDS)) {
      const first = await home.run(stop);
      assert.notEqual(first.code, 0, name);
      assert.match(first.stderr, said, name);
      assert.match(first.stderr, /which began at 2\d{3}-\d\d-\d\dT[\d:.]+Z, was lost: the daemon ended before it was saved/, name);
      assert.match(first.stderr, /Start again: gstack/, name);
      assert.match((await home.run(stop)).stderr, none, `${name}: it is told once`);
    }
    assert.ok(!existsSync(file()), 'nothing is under way');
  };
  const canBeginAgain = async () => {
    for (const [name, { start, stop }] of Object.entries(KINDS)) {
      await home.ok(start);
      await home.ok(['reload']);
      await home.ok(stop, { limit: 120_000 });
      assert.ok(!existsSync(file()), `${name}: it is saved`);
    }
  };

  before(async () => {
    home = new TestHome();
    site = await Site.start();
    await home.connect(['--headless', `${site.origin}/counter`]);
  });
  after(async () => {
    await site?.stop();
    assert.deepEqual(await home.stop(), [], 'nothing is left behind');
  });

  test('a daemon that was killed: its browser stays, and each loss is told', async () => {
    await begin();
    await home.kill((await home.json('status')).pid);
    await areTold();
    await canBeginAgain();
  });

  test('a daemon that was stopped: the same', async () => {
    await begin();
    await home.ok(['restart']);
    await areTold();
    await home.ok(['goto', `${site.origin}/counter`]);
    await canBeginAgain();
  });

  test('what was saved before is not told of', async () => {
    await home.ok(['har', 'start']);
    await home.ok(['har', 'stop', 'saved.har']);
    await home.kill((await home.json('status')).pid);
    assert.match((await home.run(['har', 'stop', 'none.har'])).stderr, /not being recorded/);
  });
});
