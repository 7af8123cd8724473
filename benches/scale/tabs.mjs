/*
 * Commands beside many open tabs. All in one browser that grows: each point opens the tabs that are missing.
 */
import { timed } from '../measure.mjs';
import { processorTime, several, summary, times } from './measuring.mjs';
import { World } from './world.mjs';

/** The page whose snapshot is taken. */
const ELEMENTS = 100;
const AT_ONCE = 6;
/** Tabs that are opened one after the other at the end of each point, for the time of one. */
const LAST = 5;

export async function* measureTabs(sizes, { runs, opened }) {
  const world = new World();
  opened(() => world.close());
  await world.open();
  const measured = await world.tab(ELEMENTS);
  await world.gstack.run('closetab', '1');
  let open = 1;
  for (const size of sizes) {
    const opening = [];
    const one = async () => {
      await world.tab();
      open += 1;
    };
    const missing = size - open;
    await several(Array.from({ length: Math.max(0, missing - LAST) }), AT_ONCE, one);
    while (open < size) opening.push(await timed(one));
    const command =
      (...words) =>
      () =>
        world.gstack.runIn(measured, ...words);
    yield {
      size,
      times: {
        url: await times(runs, command('url')),
        'snapshot -i': await times(runs, command('snapshot', '-i')),
        tabs: await times(runs, () => world.gstack.run('tabs')),
        ...(opening.length > 0 ? { newtab: summary(opening) } : {}),
      },
      processor: {
        url: await processorTime(world.daemon, runs * 3, command('url')),
        'snapshot -i': await processorTime(world.daemon, runs, command('snapshot', '-i')),
      },
      memory: world.memory(),
    };
  }
}
