/*
 * The soak tests: conversations and pages, round after round, without growth of the daemon, the keeper, the host, or the
 * extension's process (its panel and its worker); then every kind of command in many tabs, without growth of the daemon
 * and the extension over the second half.
 *
 * GSTACK_SOAK_ROUNDS and GSTACK_SOAK_TABS set the number of rounds and of tabs (long runs are started by hand),
 * GSTACK_SOAK_TABLE names a file for the numbers.
 */
import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, readdirSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { CommandSocket } from '../../benches/command-socket.mjs';
import { EXTENSION_ID } from './harness/home.mjs';
import { Scene } from './harness/scene.mjs';

const ROUNDS = Number(process.env.GSTACK_SOAK_ROUNDS ?? 6);
const TABS = Number(process.env.GSTACK_SOAK_TABS ?? 6);
const TABLE = process.env.GSTACK_SOAK_TABLE;
/** Per round. */
const CHATS = 5;
const PAGES = 10;
/** Rounds in which caches and pools fill. */
const WARM = Math.max(2, Math.floor(ROUNDS / 4));
/** Nodes of a panel whose command log has its 1,000 lines of two nodes each: it fills within about 170 rounds. */
const FULL_LOG = 3200;
/** The limit of each number at the end, relative to its value after the warm-up. Memory in kB. */
const MOST = {
  documents: (warm) => warm + 5,
  nodes: (warm) => Math.max(warm * 1.2 + 300, FULL_LOG),
  listeners: (warm) => warm * 1.2 + 50,
  panelHeap: (warm) => warm * 1.2 + 2048,
  workerHeap: (warm) => warm * 1.2 + 2048,
  extension: (warm) => warm * 1.2 + 40 * 1024,
  daemon: (warm) => warm * 1.2 + 16 * 1024,
  daemonFiles: (warm) => warm + 15,
  // The runtime starts a thread for each blocking call at once, and ends it after ten seconds without one.
  daemonThreads: (warm) => warm + 15,
  keeper: (warm) => warm * 1.2 + 4096,
  keeperFiles: (warm) => warm + 5,
  keeperThreads: (warm) => warm + 5,
  host: (warm) => warm * 1.2 + 4096,
  hostFiles: (warm) => warm + 5,
  hostThreads: (warm) => warm + 15,
  extensionFiles: (warm) => warm + 30,
  extensionThreads: (warm) => warm + 15,
};

/** Returns a process's own memory in kB, its open files and its threads. */
function weight(pid) {
  const field = (name) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  return { memory: field('RssAnon'), threads: field('Threads'), files: readdirSync(`/proc/${pid}/fd`).length };
}

/** What the daemon may hold more at the end of the second half than at its beginning, in kB. */
const NOISE = 2048;

describe(`a soak of ${ROUNDS} rounds`, () => {
  let scene;
  before(async () => {
    scene = await Scene.open();
  });
  after(() => scene?.close());

  /** Returns the heap size after a collection: uncollected garbage is not growth. */
  async function heap(page) {
    await page.send('HeapProfiler.enable');
    await page.send('HeapProfiler.collectGarbage');
    return Math.round((await page.send('Runtime.getHeapUsage')).usedSize / 1024);
  }

  async function measure() {
    const { home, client, panel } = scene;
    const target = await client.target((one) => one.type === 'service_worker' && one.url.includes(EXTENSION_ID), 'the worker');
    const worker = await client.attach(target.targetId);
    const [panelHeap, workerHeap] = [await heap(panel.page), await heap(worker)];
    await client.send('Target.detachFromTarget', { sessionId: worker.sessionId });
    const { documents, nodes, jsEventListeners } = await panel.page.send('Memory.getDOMCounters');
    const [daemon, keeper, host, extension] = ['daemon', 'browser-keeper', 'host', 'extension-renderer'].map((role) =>
      home.processes(role).map(({ pid }) => weight(pid)),
    );
    assert.deepEqual([daemon.length, keeper.length, host.length], [1, 1, 1], 'one of each');
    return {
      documents,
      nodes,
      listeners: jsEventListeners,
      panelHeap,
      workerHeap,
      extension: extension.reduce((sum, one) => sum + one.memory, 0),
      daemon: daemon[0].memory,
      daemonFiles: daemon[0].files,
      daemonThreads: daemon[0].threads,
      keeper: keeper[0].memory,
      keeperFiles: keeper[0].files,
      keeperThreads: keeper[0].threads,
      host: host[0].memory,
      hostFiles: host[0].files,
      hostThreads: host[0].threads,
      extensionFiles: extension.reduce((sum, one) => sum + one.files, 0),
      extensionThreads: extension.reduce((sum, one) => sum + one.threads, 0),
    };
  }

  test('memory, documents, files and threads stay flat', async () => {
    const { home, panel, site } = scene;
    const began = performance.now();
    const rounds = [];
    const page = ['/form', '/counter', '/framed', '/long'];
    for (let round = 0; round < ROUNDS; round += 1) {
      for (let n = 0; n < CHATS; n += 1) {
        const turn = await scene.ask(`Question ${round}-${n}`);
        await turn.tool('snapshot', {});
        turn.say(`Answer ${round}-${n}: a **word**, \`code\` and\n\n- a list\n- of two`);
        turn.end();
        await panel.seen('answer', `Answer ${round}-${n}`);
        await panel.gone('stop');
      }
      for (let n = 0; n < PAGES; n += 1) await home.ok(['goto', `${site.origin}${page[n % page.length]}`]);
      await panel.say('/new');
      await panel.count('bubble', 0);
      const now = await measure();
      rounds.push(now);
      const seconds = Math.round((performance.now() - began) / 1000);
      if (TABLE) appendFileSync(TABLE, `${JSON.stringify({ round: round + 1, seconds, ...now })}\n`);
    }
    const [warm, last] = [rounds[WARM - 1], rounds.at(-1)];
    const grown = Object.entries(MOST).filter(([name, most]) => last[name] > most(warm[name]));
    const shown = grown.map(([name]) => `${name}: ${rounds.map((one) => one[name]).join(' ')}`);
    assert.deepEqual(shown, [], 'it grows');
  });

  // Each tab kept 4 MiB of what its page requested, and an agent each of its MCP sessions until it ended.
  test('every kind of command in many tabs: the second half takes no more memory than the first', async () => {
    const { home, panel, site } = scene;
    const socket = new CommandSocket(home.home);
    try {
      const tabs = [];
      for (let n = 0; n < TABS; n += 1) tabs.push(Number(/\d+/.exec(await socket.run('newtab', `${site.origin}/form`))[0]));
      const rounds = [];
      let commands = 0;
      for (let round = 0; round < ROUNDS; round += 1) {
        for (const tab of tabs) {
          await socket.runIn(tab, 'goto', `${site.origin}/busy?${round}`);
          await socket.runIn(tab, 'wait', '--networkidle');
          const listed = await socket.runIn(tab, 'snapshot', '-i');
          await socket.runIn(tab, 'click', /@e\d+/.exec(listed)[0]);
          assert.match(await socket.runIn(tab, 'text'), /Busy/);
          commands += 5;
        }
        for (let n = 0; n < CHATS; n += 1) {
          const turn = await scene.ask(`Question ${round}-${n} of many tabs`);
          await turn.tool('snapshot', {});
          turn.say(`Answer ${round}-${n} of many tabs`);
          turn.end();
          await panel.seen('answer', `Answer ${round}-${n} of many tabs`);
          await panel.gone('stop');
        }
        const now = await measure();
        rounds.push(now);
        if (TABLE) appendFileSync(TABLE, `${JSON.stringify({ tabs: TABS, commands, ...now })}\n`);
      }
      // By then the records of all tabs have reached their common limit.
      const [half, last] = [rounds[Math.ceil(ROUNDS / 2) - 1], rounds.at(-1)];
      const shown = (name) => `${name} grows: ${rounds.map((one) => one[name]).join(' ')}`;
      assert.ok(last.daemon <= half.daemon + NOISE, shown('daemon'));
      assert.ok(last.panelHeap <= half.panelHeap * 1.1 + 512, shown('panelHeap'));
      assert.ok(last.workerHeap <= half.workerHeap * 1.1 + 512, shown('workerHeap'));
    } finally {
      socket.close();
    }
  });
});
