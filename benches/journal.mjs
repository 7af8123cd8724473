/*
 * Measures opening a long conversation: its newest page for a panel, compared with reading its whole file.
 */
import { createReadStream, mkdirSync, statSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { EXTENSION_ID, TestHome } from '../tests/e2e/harness/home.mjs';
import { confirmed } from '../tests/e2e/harness/panel-key.mjs';
import { Frames, frame } from '../tests/e2e/harness/frames.mjs';
import { writeJournal } from './journal-file.mjs';
import { alternately, timed } from './measure.mjs';
import { print } from './table.mjs';

const LONG = { id: 'long', events: 1_000_000 };
const SHORT = { id: 'short', events: 100 };

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
    const file = await writeJournal(home, LONG);
    await writeJournal(home, SHORT);
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
