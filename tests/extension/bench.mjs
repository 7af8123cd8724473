/**
 * How fast the real panel is: `node bench.mjs [--save NAME]`.
 *
 * Prints each number beside the baseline of `bench-baselines.json` that was saved on a machine of the same name
 * (GSTACK_BENCH_BASELINE, else the newest). Judges nothing: a busy machine is no failure.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { say, text, withPanel } from "./with-panel.mjs";

const file = fileURLToPath(new URL("bench-baselines.json", import.meta.url));
const RUNS = 5;
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const percentile = (values, part) => values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))] ?? 0;

/** From the moment that Chrome shows the tab to the frame with its newest message. */
async function opening(panel) {
  const { cart, other } = await panel.evaluate(`(async () => {
    const [tab] = await chrome.tabs.query({ active: true, lastFocusedWindow: true });
    return { cart: tab.id, other: (await chrome.tabs.create({ url: "about:blank", active: false })).id };
  })()`);
  const times = [];
  for (let run = 0; run < RUNS; run += 1) {
    await panel.evaluate(`chrome.tabs.update(${other}, { active: true })`);
    await panel.until("!document.querySelector('#conversation').textContent.includes('Question 4999')");
    times.push(await panel.evaluate(`new Promise((shown) => {
      let began;
      chrome.tabs.onActivated.addListener(function activated() { began = performance.now(); chrome.tabs.onActivated.removeListener(activated); });
      const watch = new MutationObserver(() => {
        if (!document.querySelector("#conversation").textContent.includes("Question 4999")) return;
        watch.disconnect();
        requestAnimationFrame(() => shown(performance.now() - began));
      });
      watch.observe(document.querySelector("#conversation"), { subtree: true, childList: true });
      chrome.tabs.update(${cart}, { active: true });
    })`));
  }
  return median(times);
}

/** Reads on to the very first message; then scrolls over all of it. The intervals of the frames. */
async function scrolling(panel) {
  const began = performance.now();
  const atFirst = "document.querySelector('.conversation__column .bubble').textContent === 'Question 0'";
  // A frame a step: what came is drawn before the next is asked for.
  while (!(await panel.evaluate(`new Promise((drawn) => { document.querySelector("#conversation").scrollTop = 0; requestAnimationFrame(() => drawn(${atFirst})); })`))) { /* goes on */ }
  const reading = performance.now() - began;
  const frames = await panel.evaluate(`new Promise((end) => {
    const view = document.querySelector("#conversation");
    const intervals = [];
    let last = performance.now();
    const step = (now) => {
      intervals.push(now - last);
      last = now;
      view.scrollTop += 400;
      if (intervals.length < 240) requestAnimationFrame(step); else end(intervals.slice(2));
    };
    requestAnimationFrame(step);
  })`);
  return { reading, frames, nodes: await panel.evaluate("document.querySelectorAll('.conversation__column > .turn').length") };
}

/** A stream of 200 kB: tasks over 50 ms, and how long it took to be drawn. */
async function stream(panel) {
  await panel.until("document.querySelector('.suggestion')");
  await panel.evaluate(`globalThis.long = []; new PerformanceObserver((list) => long.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: "longtask" });`);
  await panel.send("Performance.enable", { timeDomain: "threadTicks" });
  const metrics = async () => Object.fromEntries((await panel.send("Performance.getMetrics")).metrics.map(({ name, value }) => [name, value]));
  const before = await metrics();
  const began = performance.now();
  await say(panel, "Tell me everything");
  await panel.until("document.querySelector('.turn-footer [aria-label=\"Copy answer\"]') && !document.querySelector('.live-block')");
  const took = performance.now() - began;
  const after = await metrics();
  return { took, long: await panel.evaluate("long"), cpu: (after.TaskDuration - before.TaskDuration) * 1000, layouts: after.LayoutCount - before.LayoutCount };
}

const numbers = {};
await withPanel("huge", async (panel) => {
  await panel.until(text("Question 4999"));
  numbers["open 10,000 entries, ms"] = await opening(panel);
  const { reading, frames, nodes } = await scrolling(panel);
  numbers["read all of it to the first, ms"] = reading;
  numbers["entries with nodes then"] = nodes;
  numbers["frame while scrolling, p50 ms"] = percentile(frames, 0.5);
  numbers["frame while scrolling, p95 ms"] = percentile(frames, 0.95);
});
await withPanel("flood", async (panel) => {
  const { took, long, cpu, layouts } = await stream(panel);
  numbers["200 kB streamed and drawn, ms"] = took;
  numbers["… the panel's own CPU, ms"] = cpu;
  numbers["… CPU a layout, ms"] = cpu / layouts;
  numbers["tasks over 50 ms"] = long.length;
  numbers["longest task, ms"] = Math.max(0, ...long);
});

const baselines = JSON.parse(readFileSync(file, "utf8"));
const name = process.env.GSTACK_BENCH_BASELINE ?? Object.keys(baselines).at(-1);
const baseline = baselines[name] ?? {};
console.log(`${"".padEnd(36)}${"now".padStart(10)}${String(name ?? "").padStart(20)}`);
for (const [what, value] of Object.entries(numbers)) {
  console.log(`${what.padEnd(36)}${value.toFixed(1).padStart(10)}${(baseline[what]?.toFixed(1) ?? "–").padStart(20)}`);
}
const save = process.argv.indexOf("--save");
if (save !== -1) {
  baselines[process.argv[save + 1]] = Object.fromEntries(Object.entries(numbers).map(([what, value]) => [what, Math.round(value * 10) / 10]));
  writeFileSync(file, `${JSON.stringify(baselines, null, 2)}\n`);
}
