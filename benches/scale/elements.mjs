/*
 * Commands on large pages. Each size has a tab of its own, which is closed before the next one.
 */
import { timed } from '../measure.mjs';
import { processorTime, summary, times } from './measuring.mjs';
import { World } from './world.mjs';

const COMMANDS = { url: ['url'], 'snapshot -i': ['snapshot', '-i'], text: ['text'], 'click #turn': ['click', '#turn'] };
/** The most that loading a page may take: a million elements on a busy machine take longer than a command waits by itself. */
const LOADING_MS = 120_000;
/** The most that the runs of one command may take. */
const COMMAND_MS = 20_000;

export async function* measureElements(sizes, { runs, opened }) {
  const world = new World();
  opened(() => world.close());
  await world.open();
  for (const size of sizes) {
    const tab = await world.tab();
    const address = `${world.pages.origin}/elements/${size}`;
    const loading = await timed(() => world.gstack.runIn(tab, 'goto', address, '--timeout', String(LOADING_MS)));
    const point = { size, times: { goto: summary([loading]) }, processor: {}, missing: {} };
    for (const [name, words] of Object.entries(COMMANDS)) {
      const command = () => world.gstack.runIn(tab, ...words);
      try {
        point.times[name] = await times(runs, command, COMMAND_MS);
        point.processor[name] = await processorTime(world.daemon, 3, command);
      } catch (error) {
        point.missing[name] = error.message.split('\n')[0].slice(0, 200);
      }
    }
    yield { ...point, memory: world.memory() };
    await world.gstack.run('closetab', String(tab));
  }
}
