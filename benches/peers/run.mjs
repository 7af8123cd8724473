/*
 * Compares gstack with its peers, alternately in one run: on the command line, over MCP, and from a cold start to a
 * first page.
 * Writes its tables into ../RESULTS.md and ../../README.md, between their marks, the picture peers.svg, and the figures
 * that have a goal; then `goals.mjs` says which are missed and why.
 *
 *   node run.mjs [RUNS]        RUNS of each small operation, 30 by default; large pages get fewer
 *   node run.mjs --dry [RUNS]  only prints
 *
 * GSTACK_BIN is the program, GSTACK_BROWSER_PATH the browser. Times never decide whether this passes. All on loopback.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { writeFigures } from '../goals/figures.mjs';
import { goalOf } from '../goals/list.mjs';
import { median, pause } from '../measure.mjs';
import { replaceSection } from '../section.mjs';
import { servePages } from './pages.mjs';
import { childrenMillis } from './programs.mjs';
import { labelOf, markdown, picture, quoted, ratioOf } from './report.mjs';
import { figure, resourcesOf } from './resources.mjs';
import { AgentBrowser, ChromeDevtoolsMcp, Gstack, PlaywrightCli, PlaywrightMcp } from './sides.mjs';

const unknown = process.argv.slice(2).find((word) => word !== '--dry' && !/^\d+$/.test(word));
if (unknown !== undefined) {
  process.stderr.write(`run.mjs takes --dry and a number of runs, not ${unknown}\n`);
  process.exit(2);
}
const dry = process.argv.includes('--dry');
const runs = Number(process.argv.slice(2).find((word) => /^\d+$/.test(word)) ?? 30);
const few = (most) => Math.min(runs, most);

/**
 * The measurements: an operation on a page, and the number of runs. ../goals/list.mjs has the goals, by `operation, page`.
 */
const COMMAND_LINE = [
  { operation: 'url', page: 'tiny', runs },
  { operation: 'goto', page: 'tiny', runs },
  { operation: 'click', page: 'tiny', runs },
  { operation: 'fill', page: 'tiny', runs },
  { operation: 'snapshot', page: 'tiny', runs },
  { operation: 'text', page: 'tiny', runs },
  { operation: 'screenshot', page: 'tiny', runs },
  { operation: 'snapshot', page: 'form', runs: few(15) },
  { operation: 'snapshot', page: '1k', runs: few(10) },
  { operation: 'snapshot', page: 'iframes', runs: few(10) },
  { operation: 'snapshot', page: 'shadow', runs: few(10) },
  { operation: 'text', page: 'text', runs: few(10) },
  { operation: 'text', page: '10k', runs: few(10) },
  { operation: 'snapshot', page: '10k', runs: few(7) },
  { operation: 'text', page: '100k', runs: few(5) },
  { operation: 'snapshot', page: '100k', runs: few(3) },
];
/** The operations that name an element of a snapshot. */
const BY_REF = new Set(['click', 'fill']);
const OVER_MCP = [
  { operation: 'goto', page: 'tiny', runs },
  { operation: 'click', page: 'tiny', runs },
  { operation: 'fill', page: 'tiny', runs },
  { operation: 'snapshot', page: 'tiny', runs },
  { operation: 'screenshot', page: 'tiny', runs },
  { operation: 'snapshot', page: '10k', runs: few(5) },
];

const open = [];
const load = () => loadavg()[0].toFixed(1);

/** Measures `work`; the CPU time is that of its completed child processes. */
async function timed(work) {
  const used = childrenMillis();
  const begin = performance.now();
  await work();
  const wall = performance.now() - begin;
  return { wall, cpu: used === null ? null : childrenMillis() - used };
}

/** Runs one operation on all sides alternately; returns `{ name: { walls, cpu, failed } }`. */
async function compare({ operation, page, runs: count }, sides, pages) {
  const url = pages.url(page);
  const results = {};
  for (const [name, side] of Object.entries(sides)) {
    results[name] = { walls: [], cpus: [] };
    try {
      await side.prepare(url, BY_REF.has(operation));
    } catch (error) {
      results[name].failed = error.message.split('\n')[0];
    }
  }
  for (let run = -1; run < count; run += 1) {
    for (const [name, side] of Object.entries(sides)) {
      const of = results[name];
      if (of.failed) continue;
      await pause(50);
      try {
        const { wall, cpu } = await timed(() => side.run(operation, url));
        if (run < 0) continue;
        of.walls.push(wall);
        if (cpu !== null) of.cpus.push(cpu);
      } catch (error) {
        of.failed = error.message.split('\n')[0];
      }
    }
  }
  for (const [name, { walls, failed }] of Object.entries(results)) {
    const said = failed ? `failed: ${failed}` : `${median(walls).toFixed(1)} ms`;
    console.error(`${operation} ${page}: ${name}: ${said}`);
  }
  return results;
}

async function measure(rows, sides, pages) {
  const measured = [];
  for (const row of rows) measured.push({ ...row, goal: goalOf(labelOf(row)), results: await compare(row, sides, pages) });
  return measured;
}

async function firstPages(sides, pages, count) {
  const results = Object.fromEntries(Object.keys(sides).map((name) => [name, { walls: [], cpus: [] }]));
  for (let run = 0; run < count; run += 1) {
    for (const [name, side] of Object.entries(sides)) {
      await side.before();
      const { wall } = await timed(() => side.run(pages.url('tiny')));
      results[name].walls.push(wall);
    }
  }
  const row = { operation: 'nothing runs → first page', page: 'tiny', runs: count };
  return [{ ...row, goal: goalOf(labelOf(row)), results }];
}

/** Opens a peer. If it does not start, it is listed with the reason and left out. */
async function start(name, side, url, missing) {
  open.push(() => side.close());
  try {
    await side.open(url);
    return side;
  } catch (error) {
    missing.push(`${name}: ${error.message.split('\n')[0]}`);
    return null;
  }
}

/** Returns the figures of these rows that have a goal. */
function ratios(rows) {
  const found = rows.filter(({ goal }) => goal !== undefined);
  return Object.fromEntries(found.map((row) => [labelOf(row), ratioOf(row)?.ratio ?? { failed: 'a side of it failed' }]));
}

const pages = await servePages();
open.push(() => pages.stop());
try {
  const atStart = load();
  const missing = [];
  const url = pages.url('tiny');
  const gstack = new Gstack();
  open.push(() => gstack.close());
  await gstack.open(url);
  const agentBrowser = await start('agent-browser', new AgentBrowser(), url, missing);
  const playwrightCli = await start('playwright-cli', new PlaywrightCli(), url, missing);
  const there = (sides) => Object.fromEntries(Object.entries(sides).filter(([, side]) => side));
  const lines = {
    gstack: gstack.commandLine(),
    'agent-browser': agentBrowser?.commandLine(),
    'playwright-cli': playwrightCli?.commandLine(),
  };
  // First: a peer may not survive the large pages.
  const ofUrl = await figure(async () => (await gstack.processorOf('url')) / (await agentBrowser.processorOf('get', 'url')));
  const commandLine = await measure(COMMAND_LINE, there(lines), pages);

  const fresh = new Gstack();
  open.push(() => fresh.close());
  const resources = await resourcesOf(fresh, url, pages.url('100k'));
  await fresh.close();

  const first = { gstack: gstack.firstPage(), 'agent-browser': agentBrowser?.firstPage(), 'playwright-cli': playwrightCli?.firstPage() };
  const fromNothing = await firstPages(there(first), pages, few(7));
  for (const side of [agentBrowser, playwrightCli]) await side?.close();

  const playwrightMcp = await start('@playwright/mcp', new PlaywrightMcp(), url, missing);
  const chromeMcp = await start('chrome-devtools-mcp', new ChromeDevtoolsMcp(), url, missing);
  // Needs its own browser: otherwise the two would navigate each other's page.
  const beside = new Gstack();
  open.push(() => beside.close());
  await beside.open(url);
  const tools = {
    gstack: await gstack.mcp(),
    'gstack over http.sock': beside.socket(),
    '@playwright/mcp': playwrightMcp?.side(),
    'chrome-devtools-mcp': chromeMcp?.side(),
  };
  const overMcp = await measure(OVER_MCP, there(tools), pages);

  const { devDependencies } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'));
  const about = {
    machine: `${availableParallelism()} cores (${cpus()[0].model.trim()}), ${process.platform} ${process.arch}, node ${process.version}`,
    versions: [(await gstack.home.ok(['--version'])).trim(), ...Object.entries(devDependencies).map((pair) => pair.join(' '))],
    load: `${atStart} at the start, ${load()} at the end`,
    day: new Date().toISOString().slice(0, 10),
    missing,
  };
  const tables = [
    { title: 'On the command line', rows: [...commandLine, ...fromNothing], withCpu: true },
    { title: 'Over MCP, on standard input and output', rows: overMcp, withCpu: false },
  ];
  const text = markdown(about, tables);
  console.log(text);
  if (!dry) {
    replaceSection(new URL('../RESULTS.md', import.meta.url), 'peers', text);
    replaceSection(new URL('../../README.md', import.meta.url), 'peers', quoted(about, commandLine.concat(fromNothing)));
    writeFileSync(new URL('peers.svg', import.meta.url), picture(tables[0].rows));
    writeFigures({ ...ratios(tables[0].rows), 'url, processor ratio': ofUrl, ...resources }, `load ${about.load}`);
    // Says what is missed; fails if no reason is known.
    execFileSync(process.execPath, [fileURLToPath(new URL('../goals.mjs', import.meta.url))], { stdio: 'inherit' });
  }
} finally {
  for (const close of open.reverse()) await close();
}
