/*
 * Runs that are too long, or need too much, for the tests. Each is bounded and ends by itself.
 *
 *   node benches/long.mjs soak [MINUTES]   5 agents at work and 50 tabs; memory, threads and files each minute (120). An interrupt
 *                                          ends it and prints the table so far
 *   node benches/long.mjs commands [N]     goto, snapshot, click and text by turns in 50 tabs; memory at ten points (50000)
 *   node benches/long.mjs slow [MESSAGES]  messages while each sync of the daemon takes 0, 10, 100 and 500 ms (20; strace, root)
 *   node benches/long.mjs full [MB]        a conversation whose disk is full for a time (600; a tmpfs, root)
 *   node benches/long.mjs grid [FLOWS]     flows on a Grid of four chromedriver nodes (200; after `npm ci` in tests/grid)
 *
 * Writes its table into RESULTS.md; `--dry` only prints it. GSTACK_BIN is the program, GSTACK_BROWSER_PATH the browser. Nothing
 * passes or fails by its time. All on loopback and in temporary homes; no process stays.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { GSTACK, TestHome } from '../tests/e2e/harness/home.mjs';
import { timed } from './measure.mjs';
import { memoryOfAll, several, summary } from './scale/measuring.mjs';
import { World } from './scale/world.mjs';
import { replaceSection } from './section.mjs';

const RESULTS = new URL('RESULTS.md', import.meta.url);
const here = fileURLToPath(import.meta.url);
const row = (cells) => `| ${cells.join(' | ')} |\n`;
const table = (heads, rows) => row(heads) + row(heads.map((_, at) => (at === 0 ? '---' : '---:'))) + rows.map(row).join('');
const rounded = (value) => (value < 100 ? value.toFixed(1) : Math.round(value).toLocaleString('en'));
const cells = ({ median, p95 }) => [rounded(median), rounded(p95)];

/**
 * Sends a message in the tab and returns the time until the first words of the answer, and its conversation. The turn is then stopped
 * and awaited.
 */
async function message(world, tab) {
  const began = performance.now();
  const turn = await world.chat(tab, 'talking', 'talk');
  const taken = performance.now() - began;
  await world.home.run(['chat', '--stop', '--all']);
  // Words of a turn that still ran would be taken for the next one's.
  const ended = await Promise.race([turn.ended.then(() => true), setTimeout(60_000, false, { ref: false })]);
  turn.close();
  if (!ended) throw new Error('the stopped turn has not ended after a minute');
  return { taken, isSilent: turn.isSilent, conversationId: turn.conversationId };
}

async function withWorld(agents, work) {
  const world = new World();
  try {
    await world.open({ agents });
    return await work(world);
  } finally {
    await world.close();
  }
}

/** What the soak does in one tab after the other, beside the agents. */
const SOAK_COMMANDS = [['url'], ['snapshot', '-i'], ['click', '#turn'], ['text'], ['js', 'document.title'], ['reload'], ['tabs']];

async function soak(minutes) {
  const AGENTS = 5;
  const TABS = 50;
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stop.abort());
  return withWorld(AGENTS, async (world) => {
    const counts = { made: 0, failed: 0, rounds: 0, failedRounds: 0 };
    const reasons = new Map();
    const fails = (reason) => reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
    const tabs = [];
    await several(Array.from({ length: TABS - AGENTS }), 2, async () => tabs.push(await world.tab(100)));
    for (let at = 0; at < AGENTS; at += 1) {
      const tab = await world.tab(100);
      let rest = '';
      await world.chat(tab, 'working', 'work', (text) => {
        const lines = (rest + text).split('\n');
        rest = lines.pop();
        for (const line of lines) {
          counts.rounds += 1;
          const reason = /failed \((.*)\)/.exec(line)?.[1];
          if (!reason) continue;
          counts.failedRounds += 1;
          fails(`agent: ${reason.slice(0, 120)}`);
        }
      });
    }
    const rows = [];
    const weigh = (minute) => {
      const { daemon, keeper, hosts, minders } = world.memory();
      const extension = memoryOfAll(world.home.processes('extension-renderer').map(({ pid }) => pid)).sum;
      const threads = readdirSync(`/proc/${world.daemon}/task`).length;
      const files = readdirSync(`/proc/${world.daemon}/fd`).length;
      const done = [counts.made, counts.failed, counts.rounds, counts.failedRounds];
      rows.push([minute, ...[daemon, extension, keeper, hosts, minders].map(rounded), threads, files, ...done]);
      process.stderr.write(row(rows.at(-1)));
    };
    await setTimeout(10_000);
    for (let minute = 0; ; minute += 1) {
      weigh(minute);
      if (minute === minutes || stop.signal.aborted) break;
      const end = performance.now() + 60_000;
      while (performance.now() < end && !stop.signal.aborted) {
        const words = SOAK_COMMANDS[counts.made % SOAK_COMMANDS.length];
        const tab = tabs[counts.made % tabs.length];
        counts.made += 1;
        await world.gstack.runIn(tab, ...words).catch((error) => {
          counts.failed += 1;
          fails(error.message.slice(0, 120));
        });
        await setTimeout(1000);
      }
    }
    // The first, the last, and at most eight between them.
    const step = Math.max(1, Math.floor((rows.length - 1) / 9));
    const shown = rows.filter((_, at) => at % step === 0 || at === rows.length - 1);
    const ended = stop.signal.aborted ? `Interrupted after ${rows.length - 1} minutes.\n\n` : '';
    const heads = ['minute', 'daemon, MiB', "extension's process, MiB", 'keeper, MiB', 'native hosts, MiB', "agents' minders, MiB"];
    const more = ["daemon's threads", "daemon's files", 'commands', 'failed', "agents' rounds", 'failed'];
    const list = [...reasons].map(([reason, times]) => `- ${times} × ${reason}\n`).join('');
    const shared = "Memory is the PSS, so all of gstack's figures fall while other runs of the same file share its pages.\n\n";
    return `${ended}${shared}${table([...heads, ...more], shown)}${list && `\n${list}`}`;
  });
}

async function commands(most) {
  const TABS = 50;
  const AT_ONCE = 4;
  const POINTS = 10;
  return withWorld(1, async (world) => {
    const tabs = [];
    await several(Array.from({ length: TABS }), 2, async () => tabs.push(await world.tab(100)));
    const turn = async (tab) => {
      const run = (...words) => world.gstack.runIn(tab, ...words);
      await run('goto', `${world.pages.origin}/elements/100`);
      const listed = await run('snapshot', '-i');
      await run('click', /@e\d+/.exec(listed)[0]);
      await run('text');
    };
    const rows = [];
    const weigh = (done) => {
      const { daemon, keeper } = world.memory();
      rows.push([done.toLocaleString('en'), rounded(daemon), rounded(keeper)]);
    };
    weigh(0);
    for (let point = 1; point <= POINTS; point += 1) {
      const turns = Math.round(most / POINTS / 4);
      await several(
        Array.from({ length: turns }, (_, at) => tabs[at % TABS]),
        AT_ONCE,
        turn,
      );
      weigh(turns * 4 * point);
    }
    return table(['commands', 'daemon, MiB', 'keeper, MiB'], rows);
  });
}

/** Delays each sync of the daemon, as a slow disk does, while `work` runs. */
async function withSlowSync(pid, ms, work) {
  if (ms === 0) return work();
  const inject = `inject=fsync,fdatasync:delay_enter=${ms * 1000}`;
  const strace = spawn('strace', ['-f', '-qq', '-o', '/dev/null', '-e', 'trace=fsync,fdatasync', '-e', inject, '-p', String(pid)], {
    stdio: 'ignore',
  });
  await once(strace, 'spawn');
  await setTimeout(500);
  try {
    return await work();
  } finally {
    strace.kill('SIGINT');
    await once(strace, 'exit');
  }
}

async function slow(messages) {
  return withWorld(1, async (world) => {
    const tab = await world.tab();
    const rows = [];
    for (const ms of [0, 10, 100, 500]) {
      const [taken, beside] = await withSlowSync(world.daemon, ms, async () => {
        const samples = [];
        const commands = [];
        for (let run = 0; run < messages; run += 1) {
          samples.push((await message(world, tab)).taken);
          commands.push(await timed(() => world.gstack.runIn(tab, 'url')));
        }
        return [summary(samples), summary(commands)];
      });
      rows.push([ms, ...cells(taken), ...cells(beside)]);
    }
    const heads = ['each sync takes, ms', 'message → first words, ms', 'p95', '`url` beside it, ms', 'p95'];
    return `strace delays each fsync and fdatasync of the daemon.\n\n${table(heads, rows)}`;
  });
}

/** The folders of a path. */
const FOLDERS = /\/\S*\//g;

/** Runs within a disk of its own, see `full`. */
async function onDisk(disk) {
  return withWorld(1, async (world) => {
    const tab = await world.tab();
    const rows = [];
    // A turn's end is written to space that was reserved for it.
    const endsKept = async (conversationId) => {
      const journal = path.join(world.home.home, 'sessions', conversationId, 'chat.jsonl');
      const count = (type) => readFileSync(journal, 'utf8').split(`"type":"${type}"`).length - 1;
      for (let tries = 0; tries < 50 && count('turn-done') < count('turn-started'); tries += 1) await setTimeout(100);
      return count('turn-done') < count('turn-started') ? 'not on disk' : 'on disk';
    };
    const turn = async (name) => {
      const said = await message(world, tab).then(
        async ({ taken, isSilent, conversationId }) => [
          isSilent ? 'runs, its text is not kept' : `answered after ${rounded(taken)} ms`,
          await endsKept(conversationId),
        ],
        (error) => {
          const reason = /"message":"([^"]*)/.exec(error.message)?.[1] ?? error.message.split('\n')[0].slice(0, 160);
          return [`refused: ${reason}`.replaceAll(FOLDERS, '…/'), ''];
        },
      );
      const url = await world.gstack.runIn(tab, 'url').then(
        () => 'works',
        (error) => error.message.slice(0, 80),
      );
      rows.push([name, ...said, url]);
    };
    await turn('space is left');
    const ballast = path.join(disk, 'ballast');
    // Byte by byte at the end: a line of a journal is short.
    const fill = () => {
      for (let size = 1 << 22; size >= 1; size = Math.floor(size / 8)) {
        try {
          for (;;) writeFileSync(ballast, Buffer.alloc(size), { flag: 'a' });
        } catch (error) {
          if (error.code !== 'ENOSPC') throw error;
        }
      }
    };
    fill();
    await turn('full');
    // Short lines fit into the rest of a file's last page.
    for (let more = 0; more < 40 && !rows.at(-1)[1].startsWith('refused'); more += 1) {
      if (rows.at(-1)[1].startsWith('answered')) rows.pop();
      fill();
      await turn(`full, message ${more + 2}`);
    }
    rmSync(ballast);
    await turn('space is left again');
    const heads = ['the disk', 'a message', "the turn's end", '`url`'];
    return `The home, the browser's profile and the temporary folder are on one tmpfs.\n\n${table(heads, rows)}`;
  });
}

async function full(megabytes) {
  const disk = mkdtempSync(path.join(tmpdir(), 'gs-disk-'));
  const script = 'mount -t tmpfs -o "size=$1m" tmpfs "$2" && TMPDIR="$2" exec "$3" "$4" on-disk "$2"';
  const child = spawn('unshare', ['--mount', 'sh', '-c', script, 'sh', String(megabytes), disk, process.execPath, here], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.on('data', (data) => (said += data));
  const [code] = await once(child, 'exit');
  rmSync(disk, { recursive: true, force: true });
  if (code !== 0) throw new Error(`the run on the small disk ended with ${code}`);
  return said;
}

const FLOW = `import { execFileSync } from 'node:child_process';
const gstack = (...words) => execFileSync('gstack', words, { encoding: 'utf8' });
gstack('goto', process.env.SITE + '/elements/100');
gstack('click', '#turn');
console.log(JSON.stringify(gstack('js', 'document.title').trim()));
`;

async function grid(flows) {
  const NODES = 4;
  const { SeleniumGrid, MISSING, VERSION } = await import('../tests/grid/server.mjs');
  const { Pages } = await import('./pages.mjs');
  if (MISSING) throw new Error(MISSING);
  const pages = await Pages.start();
  const hub = await new SeleniumGrid({ nodes: NODES, queue: 60, sessionTimeout: 300 }).start();
  const home = new TestHome({ environment: { SITE: pages.origin } });
  try {
    writeFileSync(path.join(home.person, 'flow.mjs'), FLOW);
    writeFileSync(path.join(home.person, 'items'), Array.from({ length: flows }, (_, at) => `item ${at}`).join('\n'));
    const words = ['run', 'flow.mjs', '--items', 'items', '--browsers', String(NODES), '--grid', hub.url, '--out', 'out'];
    let ended;
    const taken = await timed(async () => (ended = await home.run(words, { limit: 3_600_000 })));
    const report = JSON.parse(readFileSync(path.join(home.person, 'out/report.json'), 'utf8'));
    const counts = new Map();
    for (const { outcome } of report.items) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
    const outcomes = [...counts].map(([name, count]) => `${count} ${name}`);
    const left = (await hub.sessions()).length;
    return `Selenium Grid ${VERSION}.\n\n${table(
      ['flows', 'exit status', 'outcomes', 'seconds', 'a flow and node, s', 'sessions left'],
      [[flows, ended.code, outcomes.join(', '), rounded(taken / 1000), rounded((taken * NODES) / flows / 1000), left]],
    )}`;
  } finally {
    await home.stop();
    await hub.stop();
    await pages.stop();
  }
}

const KINDS = {
  soak: [soak, 120, 'Five agents and fifty tabs for a time', 'minutes'],
  commands: [commands, 50_000, 'Fifty thousand commands in fifty tabs', 'commands'],
  slow: [slow, 20, 'Journals on a slow disk', 'messages'],
  full: [full, 600, 'Journals on a full disk', 'MB'],
  grid: [grid, 200, 'Flows on a Grid', 'flows'],
};

const words = process.argv.slice(2).filter((word) => word !== '--dry');
const [kind, size] = words;
if (kind === 'on-disk') {
  process.stdout.write(await onDisk(size));
} else if (!Object.hasOwn(KINDS, kind ?? '') || (size !== undefined && !/^[1-9]\d*$/.test(size))) {
  process.stderr.write(`long.mjs takes one of ${Object.keys(KINDS).join(', ')}, and a number\n`);
  process.exitCode = 2;
} else {
  const [run, usual, title, unit] = KINDS[kind];
  const amount = Number(size ?? usual);
  const before = loadavg()[0].toFixed(1);
  const found = await run(amount);
  const day = new Date().toISOString().slice(0, 10);
  const load = `load ${before} at the start, ${loadavg()[0].toFixed(1)} at the end`;
  const command = `node benches/long.mjs ${kind}${amount === usual ? '' : ` ${amount}`}`;
  const reduced = amount === usual ? '' : ` (${amount} instead of ${usual} ${unit})`;
  const debug = /\/debug\//.test(GSTACK) ? ' A debug build.' : '';
  const head = `## ${title}\n\n${day}, \`${command}\`${reduced}, ${availableParallelism()} cores, ${load}.${debug}`;
  const text = `${head}\n\n${found}\n`;
  process.stdout.write(text);
  if (!process.argv.includes('--dry')) replaceSection(RESULTS, `long ${kind}`, text);
}
