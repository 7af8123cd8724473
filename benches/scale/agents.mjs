/*
 * Commands and answers while many agents work at once, each in a tab and a conversation of its own: every three
 * seconds a snapshot over MCP and a line of text.
 */
import { until } from '../../tests/e2e/harness/wait.mjs';
import { several, summary, times } from './measuring.mjs';
import { Lines } from './lines.mjs';
import { Panel } from './panel.mjs';
import { World } from './world.mjs';

const ELEMENTS = 100;
/** Agents that start at the same time. */
const STARTING = 4;
const LINES_EACH = 4;
/** At least so many lines of all agents together, at each point. */
const LINES = 12;

export async function* measureAgents(sizes, { runs, opened }) {
  const world = new World();
  opened(() => world.close());
  await world.open({ agents: Math.max(...sizes) + 1 });
  const own = await world.tab(ELEMENTS);
  const all = [];
  let panel;
  const begin = async () => {
    const tab = await world.tab(ELEMENTS);
    const lines = new Lines();
    const { conversationId } = await world.chat(tab, 'working', 'work', (text) => lines.take(text));
    all.push({ lines, conversationId });
  };
  for (const size of sizes) {
    await several(Array.from({ length: size - all.length }), STARTING, begin);
    if (!panel) {
      panel = await Panel.open(world.home, 'agents');
      opened(() => panel.close());
      await panel.subscribe(all[0].conversationId);
    }
    const enough = Math.max(LINES_EACH, Math.ceil(LINES / size));
    const watched = panel.fresh();
    for (const { lines } of all) lines.clear();
    const url = await times(runs, () => world.gstack.runIn(own, 'url'));
    const snapshot = await times(runs, () => world.gstack.runIn(own, 'snapshot', '-i'));
    await until(() => all.every(({ lines }) => lines.all.length >= enough), 'an agent says nothing', 60_000);
    await until(() => watched.all.length >= enough, 'the panel is told nothing', 60_000);
    const calls = all.flatMap(({ lines }) => lines.calls());
    yield {
      size,
      times: {
        url,
        'snapshot -i': snapshot,
        "an agent's snapshot (MCP)": summary(calls),
        "an agent's line → panel": summary(watched.waits()),
      },
      memory: world.memory(),
    };
  }
}
