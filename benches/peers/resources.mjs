/*
 * What gstack's daemon and its command line use: memory, wake-ups while idle, processor time of a command. The figures
 * that have a goal but no peer beside them.
 */
import { execFile } from 'node:child_process';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { promisify } from 'node:util';
import { GSTACK } from '../../tests/e2e/harness/home.mjs';
import { memoryOf } from '../scale/measuring.mjs';

const run = promisify(execFile);
/** The daemon's and the host's helper threads end, and the focus emulation too. */
const SETTLE_MS = 30_000;
const IDLE_MS = 20_000;
const LOOPS = 200;

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Returns the context switches of all threads of a process so far. */
function switches(pid) {
  let sum = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const status = readFileSync(`/proc/${pid}/task/${thread}/status`, 'utf8');
    for (const [, count] of status.matchAll(/^(?:non)?voluntary_ctxt_switches:\s+(\d+)/gm)) sum += Number(count);
  }
  return sum;
}

/**
 * Returns the processor time of one process, in ms: a small shell starts it many times, so that starting it costs what
 * it costs anybody, and reports the sum.
 */
export async function processorOfProcess(words, options) {
  const line = 'n=0; while [ "$n" -lt "$LOOPS" ]; do "$@" >/dev/null || exit 1; n=$((n + 1)); done; times';
  const { stdout } = await run('sh', ['-c', line, 'sh', ...words], { ...options, env: { ...options.env, LOOPS: String(LOOPS) } });
  // The second line is the children's: user and system, as 0m1.230s.
  const [user, system] = [
    ...stdout
      .trim()
      .split('\n')[1]
      .matchAll(/(\d+)m([\d.]+)s/g),
  ].map(([, minutes, rest]) => minutes * 60 + Number(rest));
  return ((user + system) * 1000) / LOOPS;
}

/** Returns a figure, or why it could not be measured. */
export async function figure(work) {
  try {
    return await work();
  } catch (error) {
    return { failed: (error.stderr?.trim() || error.message).split('\n')[0].slice(0, 120) };
  }
}

/**
 * Measures a gstack that is opened for it: first with the page `small`, then with `large`.
 * @param {import('./sides.mjs').Gstack} gstack
 */
export async function resourcesOf(gstack, small, large) {
  await gstack.open(small);
  const options = { env: gstack.home.environment, cwd: gstack.place.folder };
  const daemon = () => {
    const [one] = gstack.home.processes('daemon');
    if (!one) throw new Error('no daemon runs');
    return one.pid;
  };
  const measured = {};
  measured['daemon memory, fresh'] = await figure(() => memoryOf(daemon()));
  measured['daemon switches, idle'] = await figure(async () => {
    await pause(SETTLE_MS);
    const before = switches(daemon());
    await pause(IDLE_MS);
    return Math.max(0, switches(daemon()) - before);
  });
  measured['daemon memory, after 100k'] = await figure(async () => {
    const most = { ...options, maxBuffer: 2 ** 28 };
    await run(GSTACK, ['goto', large], most);
    for (const words of [['snapshot', '-i'], ['text']]) await run(GSTACK, words, most);
    return memoryOf(daemon());
  });
  measured['url, processor'] = await figure(() => gstack.processorOf('url'));
  measured.program = await figure(() => statSync(GSTACK).size / 1e6);
  return measured;
}
