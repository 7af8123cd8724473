/*
 * Measures what one process of the command line costs, from start to exit: wall and processor time, and minor page faults
 * (pages that the loader and the program touch), in turn with /bin/true and, if `npm ci` was run in peers, agent-browser.
 *
 *   node start.mjs [RUNS]      RUNS of each, 60 by default; a table on standard output
 *
 * GSTACK_BIN is the program (a release build), GSTACK_BROWSER_PATH the browser. Times never decide whether this passes.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { BROWSER, GSTACK, TestHome } from '../tests/e2e/harness/home.mjs';
import { median, p95 } from './measure.mjs';

const runs = Number(process.argv[2] ?? 60);
const WARM_UP_RUNS = 2;
/** The unit in /proc: Linux always uses this value there, on every processor. */
const TICKS_PER_SECOND = 100;
const AGENT_BROWSER = fileURLToPath(
  new URL(`peers/node_modules/agent-browser/bin/agent-browser-${process.platform}-${process.arch}`, import.meta.url),
);

/** Returns what the completed children have cost so far: page faults, and processor time in ms. */
function costs() {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ').map(Number);
  return { faults: fields[8], processor: ((fields[13] + fields[14]) * 1000) / TICKS_PER_SECOND };
}

function measure({ words, options }) {
  const before = costs();
  const begin = performance.now();
  const { error } = spawnSync(words[0], words.slice(1), { ...options, stdio: 'ignore' });
  const wall = performance.now() - begin;
  if (error) throw error;
  const after = costs();
  return { wall, faults: after.faults - before.faults, processor: after.processor - before.processor };
}

const home = new TestHome({ port: false });
const peer = { env: { ...home.environment, AGENT_BROWSER_EXECUTABLE_PATH: BROWSER, AGENT_BROWSER_ARGS: '--no-sandbox' } };
const hasPeer = existsSync(AGENT_BROWSER);
try {
  await home.connect(['--headless', 'about:blank']);
  const options = { env: home.environment, cwd: home.person };
  const sides = [{ name: '/bin/true', words: ['/bin/true'], options }];
  for (const line of ['url', '--version', '--help', 'help click', 'clik', 'click', 'status', 'completions bash'])
    sides.push({ name: `gstack ${line}`, words: [GSTACK, ...line.split(' ')], options });
  if (hasPeer) {
    spawnSync(AGENT_BROWSER, ['open', 'about:blank'], { ...peer, stdio: 'ignore' });
    for (const line of ['get url', '--version'])
      sides.push({ name: `agent-browser ${line}`, words: [AGENT_BROWSER, ...line.split(' ')], options: peer });
  }
  for (const side of sides) side.samples = [];
  for (let run = -WARM_UP_RUNS; run < runs; run += 1)
    for (const side of sides) {
      const sample = measure(side);
      if (run >= 0) side.samples.push(sample);
    }
  console.log('| process | median ms | p95 ms | processor ms | minor faults |\n|---|---:|---:|---:|---:|');
  for (const { name, samples } of sides) {
    const of = (key) => samples.map((sample) => sample[key]);
    const processor = of('processor').reduce((sum, one) => sum + one, 0) / samples.length;
    const cells = [median(of('wall')).toFixed(2), p95(of('wall')).toFixed(2), processor.toFixed(2), median(of('faults'))];
    console.log(`| \`${name}\` | ${cells.join(' | ')} |`);
  }
  console.log(`\n${runs} runs of each, in turn; load of the machine at the end ${loadavg()[0].toFixed(1)}.`);
} finally {
  if (hasPeer) spawnSync(AGENT_BROWSER, ['close'], { ...peer, stdio: 'ignore' });
  await home.stop();
}
