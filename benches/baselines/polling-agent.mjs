/*
 * Baseline: the agent's side of the simulated polling design. NOT any real product's code.
 * Polls the queue file every 200 ms and answers each new line immediately.
 *
 *   fork with QUEUE_FILE ORIGIN; sends { at } (milliseconds since 1970) for each line, exits with its parent.
 */
import { readFileSync } from 'node:fs';

const AGENT_POLL_MS = 200;
const [queue, origin] = process.argv.slice(2);
let taken = 0;

setInterval(async () => {
  const lines = readFileSync(queue, 'utf8').split('\n').slice(0, -1);
  for (const line of lines.slice(taken)) {
    taken += 1;
    process.send({ at: performance.timeOrigin + performance.now() });
    await fetch(`${origin}/answers`, { method: 'POST', body: `answer to ${JSON.parse(line)}` });
  }
}, AGENT_POLL_MS);
process.once('disconnect', () => process.exit(0));
