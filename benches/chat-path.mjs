/*
 * Measures the way of a message and of an answer: Enter in the side panel → the line at the agent, and the agent's line →
 * the text in the panel. The agent is a process that speaks Claude Code's protocol and answers at once.
 *
 *   node benches/chat-path.mjs [RUNS]     100 without it; writes the figures that have a goal
 *   node benches/chat-path.mjs --dry …    only prints
 */
import { loadavg } from 'node:os';
import { writeFigures } from './goals/figures.mjs';
import { median, p95, p99 } from './measure.mjs';
import { processSide } from './panel.mjs';
import { Stage } from './stage.mjs';

const WARM_UP_RUNS = 3;
const words = process.argv.slice(2);
const runs = Number(words.find((word) => /^\d+$/.test(word)) ?? 100);
const stage = new Stage();
const load = loadavg()[0].toFixed(1);
try {
  await stage.open('claude');
  const side = processSide(stage);
  const ways = { 'Enter → agent': [], 'agent → panel': [] };
  for (let run = -WARM_UP_RUNS; run < runs; run += 1) {
    const { line, text } = await side(run + WARM_UP_RUNS);
    if (run < 0) continue;
    ways['Enter → agent'].push(line);
    ways['agent → panel'].push(text - line);
  }
  const figures = {};
  for (const [name, taken] of Object.entries(ways)) {
    console.log(
      `${name}: median ${median(taken).toFixed(1)} ms, 95th ${p95(taken).toFixed(1)}, 99th ${p99(taken).toFixed(1)} (${runs} runs)`,
    );
    figures[`${name}, median`] = median(taken);
    figures[`${name}, 99th percentile`] = p99(taken);
  }
  if (!words.includes('--dry')) writeFigures(figures, `${runs} runs, load ${load}`);
} finally {
  await stage.close();
}
