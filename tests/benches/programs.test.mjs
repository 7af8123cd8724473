/* How the comparison with peers runs programs: none that has ended or never started holds the process open. */
import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { run } from '../../benches/peers/programs.mjs';

const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
const here = { env: process.env, cwd: tmpdir() };

test('no timer is left after a program that has ended, failed or could not be started', async () => {
  const before = timers();
  assert.equal(await run([process.execPath, '-e', 'process.stdout.write("done")'], here), 'done');
  await assert.rejects(run([process.execPath, '-e', 'process.exit(3)'], here), /: 3\n/);
  await assert.rejects(run([path.join(tmpdir(), 'no-such-program')], here), { code: 'ENOENT' });
  await assert.rejects(run([process.execPath, '-e', ''], { ...here, cwd: path.join(tmpdir(), 'no-such-folder') }), { code: 'ENOENT' });
  assert.equal(timers(), before);
});
