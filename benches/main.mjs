/*
 * Runs all measurements in sequence and prints their tables. Started by run.sh.
 *
 *   node main.mjs RUNS
 */
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import { readFileSync } from 'node:fs';
import { chromium } from 'playwright-core';
import { Polling } from './baselines/polling.mjs';
import { measureClick } from './click.mjs';
import { measureJournal } from './journal.mjs';
import { builtinSide, measurePanel, pollingSide, processSide } from './panel.mjs';
import { measureRelay } from './relay.mjs';
import { measureSandbox } from './sandbox.mjs';
import { measureSnapshot } from './snapshot.mjs';
import { Stage } from './stage.mjs';
import { measureUrl } from './url.mjs';

const runs = Number(process.argv[2] ?? 30);
/** Cleanup functions, newest last. */
const open = [];
let closing = Promise.resolve();
/** Runs all cleanup functions. Calls during the cleanup wait for the same end. */
function closeAll() {
  closing = closing.then(async () => {
    while (open.length > 0) await open.pop()();
  });
  return closing;
}
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => closeAll().finally(() => process.exit(1)));
}

/** Opens a stage that is always closed, even if opening it fails. */
async function stageWith(agent) {
  const stage = new Stage();
  open.push(() => stage.close());
  await stage.open(agent);
  return stage;
}

/** Processes running or waiting to run, averaged over one minute: other work on the machine slows down all sides. */
const load = () => loadavg()[0].toFixed(1);

/** Prints the environment of the measurements. */
async function describe(stage) {
  const { product } = await stage.client.send('Browser.getVersion');
  const { version } = JSON.parse(readFileSync(new URL('node_modules/playwright-core/package.json', import.meta.url), 'utf8'));
  const memory = Math.round(totalmem() / 2 ** 30);
  const words = [
    `${availableParallelism()} cores (${cpus()[0].model.trim()}), ${memory} GB, ${process.platform} ${process.arch}`,
    `${product}, headless`,
    (await stage.home.ok(['--version'])).trim(),
    `playwright-core ${version} on node ${process.version}`,
    `load of the machine at the start ${load()}`,
  ];
  console.log(`${words.join(' · ')}\n`);
}

/** Measures commands, compared with Playwright in the same browser. */
async function commands() {
  const stage = await stageWith('builtin');
  await describe(stage);
  let connected;
  const playwright = async () => {
    if (!connected) {
      connected = await chromium.connectOverCDP(stage.devtoolsAddress);
      open.push(() => connected.close());
    }
    return connected
      .contexts()[0]
      .pages()
      .find((page) => page.url().startsWith(stage.pages.origin));
  };
  await measureUrl(stage, playwright, runs);
  await measureClick(stage, playwright, runs);
  await measureSnapshot(stage, playwright, runs, 1_000);
  await measureSnapshot(stage, playwright, runs, 10_000);
  await measureRelay(stage, runs);
  // The others take seconds for each of these.
  await measureSnapshot(stage, playwright, Math.min(runs, 5), 100_000);
  await closeAll();
}

/** Measures conversations. The polling panel is a tab of the built-in agent's browser. */
async function conversations() {
  const builtin = await stageWith('builtin');
  const other = await stageWith('claude');
  const polling = new Polling();
  open.push(() => polling.stop());
  await polling.start(builtin.client, builtin.home.folder);
  await measurePanel(
    {
      'gstack, agent process': processSide(other),
      'gstack, built-in agent': builtinSide(builtin),
      'polling (simulated)': pollingSide(polling),
    },
    runs,
  );
  await closeAll();
}

try {
  await commands();
  await conversations();
  await measureJournal(Math.min(runs, 10));
  await measureSandbox(Math.min(runs, 10), (end) => open.push(end));
  await closeAll();
  console.log(`Load of the machine at the end ${load()}.`);
} finally {
  await closeAll();
}
