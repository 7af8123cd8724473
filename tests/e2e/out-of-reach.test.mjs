/*
 * A browser whose keeper can't be reached: its socket, its key or the whole home was removed, or it was stopped. Commands
 * say what to do, and `disconnect --force` does it.
 */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { TestHome } from './harness/home.mjs';
import { isAlive } from './harness/processes.mjs';
import { until } from './harness/wait.mjs';

const LIMIT = { timeout: 240_000 };

describe('a browser whose keeper cannot be reached', { concurrency: false }, () => {
  const open = async (t) => {
    const home = new TestHome({ port: false });
    t.after(() => home.stop());
    await home.connect();
    const keeper = await home.only('browser-keeper');
    const { browserPid } = await home.status();
    return { home, keeper, browserPid };
  };
  const remove = (file) => (home) => rmSync(path.join(home.home, file));
  const ways = [
    ['browser.sock was removed', remove('browser.sock')],
    ['keeper.key was removed', remove('keeper.key')],
    ['the keeper was stopped', (_, keeper) => process.kill(keeper, 'SIGSTOP')],
  ];
  for (const [words, breaks] of ways) {
    test(`${words}: a command names \`disconnect --force\`, which closes it`, LIMIT, async (t) => {
      const { home, keeper, browserPid } = await open(t);
      breaks(home, keeper);
      // The browser's host starts the next one.
      await home.kill(await home.only('daemon'));
      const { code, stderr } = await home.run(['text']);
      assert.notEqual(code, 0);
      assert.match(stderr, /gstack disconnect --force/);
      assert.match(await home.ok(['disconnect', '--force']), /the browser is closed/);
      assert.deepEqual([isAlive(keeper), isAlive(browserPid)], [false, false]);
      assert.match(await home.ok(['goto', 'about:blank']), /about:blank/, 'the next browser opens');
    });

    test(`${words} while the daemon drives it: \`disconnect --force\` closes it`, LIMIT, async (t) => {
      const { home, keeper, browserPid } = await open(t);
      breaks(home, keeper);
      assert.match(await home.ok(['disconnect', '--force']), /the browser is closed/);
      assert.deepEqual([isAlive(keeper), isAlive(browserPid)], [false, false]);
    });
  }

  test('the home was deleted: `disconnect --force` closes it', LIMIT, async (t) => {
    const { home, keeper, browserPid } = await open(t);
    const daemon = await home.only('daemon');
    // The browser still writes into it.
    await until(
      () => {
        try {
          rmSync(home.home, { recursive: true, force: true });
          return true;
        } catch {
          return false;
        }
      },
      () => 'the home is still there',
    );
    await until(
      () => !isAlive(daemon),
      () => 'the daemon lives',
    );
    assert.match(await home.ok(['disconnect', '--force']), /the browser is closed/);
    assert.deepEqual([isAlive(keeper), isAlive(browserPid)], [false, false]);
  });
});
