/*
 * Measures what a session costs: gstack with its own daemon and browser. On this machine, with a headless browser each,
 * and on a Selenium Grid on loopback: the real one if tests/grid and Java are installed, else a double whose nodes are
 * chromedrivers. Opening, a command, throughput when all work, and memory.
 *
 *   node benches/sessions.mjs            1, 10 and 50 sessions here, 1 and 10 on a Grid
 *   node benches/sessions.mjs --quick    1 and 3, to work on this script
 *   node benches/sessions.mjs --dry …    prints, and writes nothing
 *
 * Writes scale/sessions.json and a section of docs/SCALE.md; benches/simulate.mjs goes on from there. GSTACK_BIN is the
 * program, GSTACK_BROWSER_PATH the browser. A size that does not fit into this machine's memory is noted as such. All on
 * loopback and in temporary homes; no process stays. Linux only: reads /proc.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import { TestHome } from '../tests/e2e/harness/home.mjs';
import { roleOf } from '../tests/e2e/harness/processes.mjs';
import { GridDouble } from '../tests/e2e/harness/remote.mjs';
import { MISSING, SeleniumGrid, VERSION } from '../tests/grid/server.mjs';
import { median, p95, timed } from './measure.mjs';
import { servePages } from './peers/pages.mjs';
import { memoryOfAll, several } from './scale/measuring.mjs';
import { sessionTables } from './scale/session-tables.mjs';
import { replaceSection } from './section.mjs';

/** Sessions that are opened at the same time. */
const OPENINGS = 4;
/** Commands whose time is taken, in all sessions together. */
const COMMANDS = 40;
/** What one item of work does: a page, what can be clicked, its text. Many sessions on few cores load a page slowly. */
const ITEM = [['goto', '--timeout', '120000'], ['snapshot', '-i'], ['text']];
/** Memory that a further session may need, and what stays free, in MiB. */
const NEEDED = 350;
const SPARE = 1500;
const OURS = ['daemon', 'browser-keeper', 'host', 'agent-minder'];
const OPEN_LIMIT = { limit: 180_000 };

const dry = process.argv.includes('--dry');
const quick = process.argv.includes('--quick');
const plan = quick ? { local: [1, 3], grid: [1, 3] } : { local: [1, 10, 50], grid: [1, 10] };
const load = () => loadavg()[0].toFixed(1);
const round = (value) => Number(value.toFixed(1));
const available = () => Number(/^MemAvailable:\s+(\d+)/m.exec(readFileSync('/proc/meminfo', 'utf8'))[1]) / 1024;

/** Returns the memory (PSS, MiB) of gstack's own processes and of the browsers, in all homes together. */
function memoryOfHomes(homes) {
  const all = homes.flatMap((home) => home.processes());
  const isOurs = (one) => OURS.includes(roleOf(one));
  const sum = (which) => memoryOfAll(all.filter(which).map(({ pid }) => pid)).sum;
  return { gstack: round(sum(isOurs)), browser: round(sum((one) => !isOurs(one))) };
}

/** What must not outlive this script. */
const open = new Set();
const closeAll = () => Promise.all([...open].map((one) => one.stop()));
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => closeAll().finally(() => process.exit(1)));

/** Returns what a command said went wrong, on one line. @param {Error} error */
function reasonOf({ message }) {
  const lines = message.split('\n');
  const said = lines.find((line) => line.startsWith('gstack: ')) ?? lines[0];
  return said.replace(/^gstack: /, '').slice(0, 160);
}

/** Opens `size` sessions, measures them and closes them. `connect`: the words after `connect`. */
async function measure(size, connect, page) {
  const homes = [];
  const opening = [];
  try {
    await several(
      Array.from({ length: size }, (_, at) => at),
      OPENINGS,
      async () => {
        if (available() < NEEDED + SPARE) throw new Error(`${homes.length} sessions fit into this machine's memory`);
        const home = new TestHome({ port: false });
        homes.push(home);
        open.add(home);
        opening.push(await timed(() => home.ok(['connect', ...connect], OPEN_LIMIT)));
      },
    );
    const item = async (home) => {
      for (const words of ITEM) await home.ok([...words, ...(words[0] === 'goto' ? [page] : [])], OPEN_LIMIT);
    };
    await several(homes, OPENINGS, item);
    const memory = memoryOfHomes(homes);
    const commands = [];
    for (let at = 0; at < COMMANDS; at += 1) commands.push(await timed(() => homes[at % size].ok(['text'])));
    const items = Math.max(size, 20);
    const working = async () => {
      const each = async (home, at) => {
        for (let next = at; next < items; next += size) await item(home);
      };
      const ended = await Promise.allSettled(homes.map(each));
      for (const { reason } of ended) if (reason) throw reason;
    };
    const together = await timed(working).catch((error) => {
      console.error(`${size} sessions at work: ${error.message}`);
      return reasonOf(error);
    });
    return {
      size,
      opening: round(median(opening)),
      command: { median: round(median(commands)), p95: round(p95(commands)) },
      ...(typeof together === 'number' ? { itemsPerSecond: round((items * 1000) / together) } : { tooBusy: together }),
      memory: { gstack: round(memory.gstack / size), browser: round(memory.browser / size), all: round(memory.gstack + memory.browser) },
    };
  } catch (error) {
    console.error(`${size} sessions: ${error.message}`);
    return { size, failed: reasonOf(error) };
  } finally {
    await several(homes, OPENINGS, async (home) => {
      // One that cannot be stopped must not keep the others from it.
      await home.stop().catch((error) => console.error(`left: ${error.message}`));
      open.delete(home);
    });
  }
}

const pages = await servePages();
const page = pages.url('form');
const cores = `${availableParallelism()} cores (${cpus()[0].model.trim()})`;
const result = {
  machine: `${cores}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${process.platform} ${process.arch}`,
  day: new Date().toISOString().slice(0, 10),
  loadAtStart: load(),
  local: [],
  gridIs: MISSING ? 'a double of Selenium Grid whose nodes are chromedrivers' : `Selenium Grid ${VERSION}`,
  grid: [],
};
try {
  for (const size of plan.local) result.local.push(await measure(size, ['--headless'], page));
  for (const size of plan.grid) {
    const grid = MISSING ? new GridDouble({ nodes: size }) : new SeleniumGrid({ nodes: size });
    open.add(grid);
    try {
      await grid.start();
      result.grid.push(await measure(size, ['--grid', grid.url], page));
    } finally {
      await grid.stop();
      open.delete(grid);
    }
  }
} finally {
  await pages.stop();
}
result.loadAtEnd = load();
const text = sessionTables(result);
console.log(text);
if (!dry && !quick) {
  writeFileSync(new URL('scale/sessions.json', import.meta.url), `${JSON.stringify(result, null, 2)}\n`);
  replaceSection(new URL('../docs/SCALE.md', import.meta.url), 'sessions', text);
}
