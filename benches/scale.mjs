/*
 * Measures how gstack grows: 1 to 500 tabs, pages of up to a million elements, 1 to 50 agents at once, 1 to 100 panels,
 * conversations of up to a million events. The time and the processor time of a command, the way of an answer to the
 * panels, and memory.
 *
 *   node benches/scale.mjs               all of it, in at most twelve minutes
 *   node benches/scale.mjs --quick       small sizes, to work on these scripts
 *   node benches/scale.mjs AXIS…         only these: tabs elements agents panels journal. The others stay as they were measured
 *   node benches/scale.mjs --dry …       prints, and writes nothing
 *
 * Writes scale/scale.json, the picture scale/scale.svg and a section of RESULTS.md. GSTACK_BIN is the program,
 * GSTACK_BROWSER_PATH the browser. Times never decide whether this passes: a point that can't be measured is noted with
 * its reason, and the others go on. All on loopback and in temporary homes; no process stays.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { TestHome } from '../tests/e2e/harness/home.mjs';
import { AXES } from './scale/axes.mjs';
import { picture } from './scale/plot.mjs';
import { markdown, replaceAxes, worse } from './scale/report.mjs';
import { replaceSection } from './section.mjs';

const RUNS = { full: 60, quick: 10 };
/** One point must not take all the time of the others. */
const POINT_MS = 200_000;
/** No new point begins after this. */
const ALL_MS = 620_000;

const names = AXES.map(({ name }) => name);
const words = process.argv.slice(2);
const unknown = words.find((word) => !['--quick', '--dry', ...names].includes(word));
if (unknown !== undefined) {
  process.stderr.write(`scale.mjs takes --quick, --dry and ${names.join(', ')}, not ${unknown}\n`);
  process.exit(2);
}
const quick = words.includes('--quick');
const wanted = AXES.filter(({ name }) => words.includes(name) || !words.some((word) => names.includes(word)));
const runs = quick ? RUNS.quick : RUNS.full;
const began = performance.now();
const load = () => loadavg()[0].toFixed(1);

/** Cleanup functions, newest last. */
const open = [];
let closing = Promise.resolve();
function closeAll() {
  closing = closing.then(async () => {
    while (open.length > 0) {
      const forced = await open
        .pop()()
        .catch((error) => console.error(`not closed: ${error.message}`));
      for (const one of Array.isArray(forced) ? forced : [])
        if (one?.command) console.error(`had to be ended by force: ${one.command.join(' ')}`);
    }
  });
  return closing;
}
// A second signal (a whole process group gets both) must not cut the cleanup off.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => closeAll().finally(() => process.exit(1)));

// What a point that was given up had under way fails later, with its home: it is told, and the others go on.
for (const event of ['unhandledRejection', 'uncaughtException']) {
  process.on(event, (error) => console.error(`beside the measurement: ${error?.message ?? error}`));
}

const firstLine = (error) => error.message.split('\n')[0].slice(0, 300);

/** Rejects after `limit` ms, however busy the machine is: the tests' own deadlines give way then. */
function atMost(limit, work) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it took more than ${limit / 1000} s`)), limit);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** Measures the points of an axis; after one that failed, the larger ones in a fresh home. */
async function measureAxis({ name, measure, ...sizes }) {
  const points = [];
  let left = quick ? sizes.quick : sizes.full;
  while (left.length > 0) {
    const measuring = measure(left, { runs, opened: (close) => open.push(close) });
    try {
      while (left.length > 0) {
        if (performance.now() - began > ALL_MS) throw new Error('there was no time left');
        const from = performance.now();
        const { value } = await atMost(POINT_MS, measuring.next());
        points.push(value);
        left = left.slice(1);
        console.error(`${name} ${value.size}: ${JSON.stringify({ ...value.times, memory: value.memory })} in ${seconds(from)} s`);
      }
    } catch (error) {
      console.error(`${name} ${left[0]}: ${error.stack}`);
      points.push({ size: left[0], failed: firstLine(error) });
      left = left.slice(1);
    }
    await closeAll();
  }
  return { name, points };
}

const seconds = (from) => ((performance.now() - from) / 1000).toFixed(1);

async function versionOf() {
  const home = new TestHome({ port: false });
  try {
    return (await home.ok(['--version'])).trim();
  } finally {
    await home.stop();
  }
}

const atStart = load();
const RESULT = new URL('scale/scale.json', import.meta.url);

/** Returns when, where and with what this run measures. */
const circumstances = (version) => ({
  day: new Date().toISOString().slice(0, 10),
  machine: `${availableParallelism()} cores (${cpus()[0].model.trim()}), ${process.platform} ${process.arch}, node ${process.version}`,
  version,
  load: `${atStart} at the start, ${load()} at the end`,
  seconds: Math.round((performance.now() - began) / 1000),
});

/** Writes what was measured so far. */
function keep(version, measured) {
  const apart = wanted.length < AXES.length && !quick;
  const result = apart
    ? replaceAxes(JSON.parse(readFileSync(RESULT, 'utf8')), measured, circumstances(version), names)
    : { ...circumstances(version), quick, axes: measured };
  if (!words.includes('--dry')) {
    writeFileSync(RESULT, `${JSON.stringify(result, null, 2)}\n`);
    writeFileSync(new URL('scale/scale.svg', import.meta.url), picture(result));
    replaceSection(new URL('RESULTS.md', import.meta.url), 'scale', markdown(result));
  }
  return result;
}

let failed = true;
try {
  const version = await versionOf();
  const axes = [];
  for (const axis of wanted) {
    axes.push(await measureAxis(axis));
    keep(version, axes);
  }
  const result = keep(version, axes);
  console.log(markdown(result));
  for (const one of worse(result)) console.error(`worse than linear: ${one}`);
  failed = false;
} catch (error) {
  console.error(error.message);
} finally {
  await closeAll();
}
// A request of a point that was given up must not keep the program alive.
process.exit(failed ? 1 : 0);
