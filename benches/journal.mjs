/*
 * Measures opening a long conversation: its newest page for a panel, compared with reading its whole file.
 */
import { once } from 'node:events';
import { createReadStream, createWriteStream, mkdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { EXTENSION_ID, TestHome } from '../tests/e2e/harness/home.mjs';
import { confirmed } from '../tests/e2e/harness/panel-key.mjs';
import { Frames, frame } from '../tests/e2e/harness/frames.mjs';
import { alternately, timed } from './measure.mjs';
import { print } from './table.mjs';

const LONG = { id: 'long', events: 1_000_000 };
const SHORT = { id: 'short', events: 100 };

/** Returns an event; turns have four events each, as written by an earlier daemon. */
function event(seq) {
  const turn = Math.ceil(seq / 4);
  const body = {
    1: { type: 'message', clientId: `m${turn}`, text: `do ${turn}`, from: 'terminal' },
    2: { type: 'turn-started', turnId: `t${turn}`, clientId: `m${turn}`, agent: 'a', agentLabel: 'A' },
    3: { type: 'notice', turnId: `t${turn}`, text: 'so far' },
    0: { type: 'turn-done', turnId: `t${turn}`, outcome: 'done', durationMs: 1 },
  }[seq % 4];
  return JSON.stringify({ seq, at: seq, ...body });
}

async function write(home, { id, events }) {
  const folder = path.join(home.home, 'sessions', id);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = path.join(folder, 'chat.jsonl');
  const out = createWriteStream(file);
  out.write(`${JSON.stringify({ gstackChat: 1, conversationId: id })}\n`);
  for (let seq = 1; seq <= events; seq += 1) {
    if (!out.write(`${event(seq)}\n`)) await once(out, 'drain');
  }
  out.end();
  await once(out, 'finish');
  const record = {
    format: 1,
    conversationId: id,
    title: id,
    folder: '/',
    head: events,
    createdAt: 1,
    updatedAt: events,
    journalBytes: statSync(file).size,
    settled: true,
  };
  writeFileSync(path.join(folder, 'session.json'), JSON.stringify(record), { mode: 0o600 });
  return file;
}

/** Connects a panel to a daemon that has not opened anything yet. */
async function panel(home) {
  await home.run(['stop']);
  const host = home.start([`chrome-extension://${EXTENSION_ID}/`]);
  const frames = new Frames(host.stdout);
  let next = 0;
  const ask = async (method, params) => {
    const id = (next += 1);
    host.stdin.write(frame({ jsonrpc: '2.0', client: 'p', id, method, params }));
    const answer = await frames.next((message) => message.id === id, `the answer to ${method}`);
    if (answer.error) throw new Error(JSON.stringify(answer.error));
    return answer.result;
  };
  const welcome = await ask('hello', { protocol: 2, version: '0.0.0', instanceId: 'bench' });
  await confirmed(home, welcome, ask);
  return { ask, close: () => host.stdin.end() };
}

export async function measureJournal(runs) {
  const home = new TestHome();
  try {
    mkdirSync(home.home, { mode: 0o700 });
    const file = await write(home, LONG);
    await write(home, SHORT);
    const open =
      ({ id, events }) =>
      async () => {
        const { ask, close } = await panel(home);
        const taken = await timed(async () => {
          const { head } = await ask('chat.subscribe', { conversationId: id, after: 0 });
          if (head !== events) throw new Error(`not all of ${id}: ${head}`);
        });
        close();
        return taken;
      };
    const readAll = () =>
      timed(async () => {
        let count = 0;
        for await (const line of createInterface({ input: createReadStream(file) })) if (JSON.parse(line).seq) count += 1;
        if (count !== LONG.events) throw new Error(`not all of it: ${count}`);
      });
    const samples = await alternately(runs, {
      'gstack, 1,000,000 events': open(LONG),
      'gstack, 100 events': open(SHORT),
      'reading all 1,000,000': readAll,
    });
    print({
      title: 'Opening a conversation for a panel',
      baseline: 'reading all 1,000,000',
      samples,
      notes: [
        'Each time by a daemon that has just started and opened nothing. ' +
          `The long one's file has ${Math.round(statSync(file).size / 1e6)} MB.`,
        "*reading all 1,000,000*: a node program that reads the file line by line and parses each, from the system's cache.",
      ],
    });
  } finally {
    await home.stop();
  }
}
