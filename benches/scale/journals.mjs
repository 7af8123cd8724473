/*
 * Long conversations: opening one by a daemon that has just started, reading back in it, searching it, and writing to
 * it. Each size has a home of its own, so that a search reads one journal.
 */
import { mkdirSync, statSync } from 'node:fs';
import { TestHome } from '../../tests/e2e/harness/home.mjs';
import { writeJournal } from '../journal-file.mjs';
import { timed } from '../measure.mjs';
import { memoryOf, summary, times } from './measuring.mjs';
import { Panel } from './panel.mjs';

const MOST_STARTS = 7;

export async function* measureJournals(sizes, { runs, opened }) {
  for (const size of sizes) {
    const home = new TestHome({ port: false });
    let ended = false;
    const end = async () => {
      if (!ended) await home.stop();
      ended = true;
    };
    opened(end);
    yield await measureJournal(home, size, runs);
    await end();
  }
}

async function measureJournal(home, size, runs) {
  mkdirSync(home.home, { mode: 0o700 });
  const id = 'long';
  const file = await writeJournal(home, { id, events: size });
  const opening = [];
  let memory = { daemon: 0, keeper: 0, hosts: 0, hostCount: 0 };
  let panel;
  for (let start = 0; start < Math.min(runs, MOST_STARTS); start += 1) {
    await panel?.close();
    await home.run(['stop']);
    panel = await Panel.open(home, 'journals');
    opening.push(
      await timed(async () => {
        const { head } = await panel.subscribe(id);
        if (head !== size) throw new Error(`not all of it: ${head}`);
      }),
    );
    memory = { ...memory, ...memoryNow(home) };
  }
  const search = (words) => async () => {
    const { conversations } = await panel.ask('conversations.list', { search: words });
    if (conversations.length !== (words === 'do 1' ? 1 : 0)) throw new Error(`${conversations.length} found`);
  };
  const middle = Math.max(2, Math.floor(size / 2));
  const point = {
    size,
    bytes: statSync(file).size,
    times: {
      'open (a daemon just started)': summary(opening),
      'read back in the middle': await times(runs, () => panel.ask('chat.history', { conversationId: id, before: middle, limit: 100 })),
      'search: found at once': await times(runs, search('do 1'), 15_000),
      'search: nowhere': await times(runs, search('not in any of them'), 15_000),
    },
    memory: { ...memory, afterSearch: memoryNow(home).daemon },
  };
  await panel.close();
  return point;
}

function memoryNow(home) {
  const of = (role) => home.processes(role).map(({ pid }) => memoryOf(pid));
  const [[daemon], hosts] = [of('daemon'), of('host')];
  return {
    daemon: Number(daemon.toFixed(2)),
    hosts: Number(hosts.reduce((sum, one) => sum + one, 0).toFixed(2)),
    hostCount: hosts.length,
  };
}
