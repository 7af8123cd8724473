/*
 * One answer in many panels, each on a native host of its own: a hundred browsers, more than any person has.
 */
import { until } from '../../tests/e2e/harness/wait.mjs';
import { median } from '../measure.mjs';
import { processorMillis, processorTime, several, summary, times } from './measuring.mjs';
import { Panel } from './panel.mjs';
import { World } from './world.mjs';

const STARTING = 8;

export async function* measurePanels(sizes, { runs, opened }) {
  const world = new World();
  opened(() => world.close());
  await world.open();
  const own = await world.tab();
  // It talks all the time, twenty lines a second, and calls nothing.
  const { conversationId } = await world.chat(await world.tab(), 'talking', 'talk');
  const panels = [];
  opened(() => Promise.all(panels.map((panel) => panel.close())));
  const join = async () => {
    const panel = await Panel.open(world.home, `panel-${panels.length}`);
    panels.push(panel);
    await panel.subscribe(conversationId);
  };
  for (const size of sizes) {
    await several(Array.from({ length: size - panels.length }), STARTING, join);
    const lines = panels.map((panel) => panel.fresh());
    const used = processorMillis(world.daemon);
    await until(() => lines.every(({ all }) => all.length >= runs), 'a panel is told nothing', 120_000);
    const spent = processorMillis(world.daemon) - used;
    const shown = lines.reduce((least, { all }) => Math.min(least, all.length), Number.POSITIVE_INFINITY);
    yield {
      size,
      times: {
        'line → median panel': summary(middle(lines, shown)),
        'line → last panel': summary(latest(lines, shown)),
        url: await times(runs, () => world.gstack.runIn(own, 'url')),
      },
      processor: {
        'a line': Number((spent / shown).toFixed(3)),
        'a request of a panel': await processorTime(world.daemon, runs, () => panels[0].ask('ping', {})),
      },
      memory: world.memory(),
    };
  }
}

const across = (lines, count, choose) =>
  // From the end: the panels joined at different lines, and the newest are the same for all of them.
  Array.from({ length: count }, (_, at) => choose(lines.map(({ all }) => all.at(-1 - at).wait)));
const middle = (lines, count) => across(lines, count, median);
const latest = (lines, count) => across(lines, count, (waits) => Math.max(...waits));
