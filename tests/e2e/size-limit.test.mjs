/* A limit of the size of files (`ulimit -f`), as some services set it. The signal for it ended the daemon without a line. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { GSTACK, TestHome } from './harness/home.mjs';

test('a daemon outlives the size limit of its files and logs what it could not write', { timeout: 120_000 }, async (t) => {
  const home = new TestHome({ port: false, environment: { GSTACK_NO_AUTOSTART: '1' } });
  t.after(async () => assert.deepEqual(await home.stop(), [], 'no process had to be forced'));
  // Blocks of 512 bytes.
  const limited = (...words) =>
    promisify(execFile)('sh', ['-c', 'ulimit -f 8; exec "$@"', 'sh', GSTACK, ...words], { env: home.environment, cwd: home.person });
  await limited('settings');
  const daemon = await home.only('daemon');
  // Each leaves a line in the activity log.
  for (let n = 0; n < 40; n += 1) await assert.rejects(limited('text'), /no browser is open/);
  assert.equal(await home.only('daemon'), daemon);
  assert.match(readFileSync(path.join(home.home, 'daemon.log'), 'utf8'), /File too large/);
});
