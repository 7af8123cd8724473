/**
 * Measures the speed of the real panel: `node bench.mjs [--only SCENARIO] [--save NAME]`.
 *
 * Prints each number beside the baseline of `bench-baselines.json` that was saved on a machine of the same name
 * (GSTACK_BENCH_BASELINE, or else the newest). Judges nothing: a busy machine is not a failure.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import { FLOODS } from "./scenarios.mjs";
import { composer, say, text, withPanel } from "./with-panel.mjs";

const file = fileURLToPath(new URL("bench-baselines.json", import.meta.url));
const RUNS = 5;
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const percentile = (values, part) => values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))] ?? 0;

/** From the moment Chrome shows the tab until the frame with its newest message. */
async function opening(panel) {
  const { cart, other } = await panel.evaluate(`(async () => {
    const [tab] = await chrome.tabs.query({ active: true, lastFocusedWindow: true });
    return { cart: tab.id, other: (await chrome.tabs.create({ url: "about:blank", active: false })).id };
  })()`);
  const times = [];
  for (let run = 0; run < RUNS; run += 1) {
    await panel.evaluate(`chrome.tabs.update(${other}, { active: true })`);
    await panel.until("!document.querySelector('#conversation').textContent.includes('Question 4999')");
    times.push(
      await panel.evaluate(`new Promise((shown) => {
      let began;
      chrome.tabs.onActivated.addListener(function activated() {
        began = performance.now();
        chrome.tabs.onActivated.removeListener(activated);
      });
      const watch = new MutationObserver(() => {
        if (!document.querySelector("#conversation").textContent.includes("Question 4999")) return;
        watch.disconnect();
        requestAnimationFrame(() => shown(performance.now() - began));
      });
      watch.observe(document.querySelector("#conversation"), { subtree: true, childList: true });
      chrome.tabs.update(${cart}, { active: true });
    })`),
    );
  }
  return median(times);
}

/** Scrolls up to the very first message, then over everything. Returns the intervals of the frames. */
async function scrolling(panel) {
  const began = performance.now();
  const atFirst = "document.querySelector('.conversation__column .bubble').textContent === 'Question 0'";
  // One step per frame: everything received is drawn before the next step is requested.
  while (
    !(await panel.evaluate(
      `new Promise((drawn) => { document.querySelector("#conversation").scrollTop = 0; requestAnimationFrame(() => drawn(${atFirst})); })`,
    ))
  ) {
    /* continue */
  }
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

/** The events of the last trace. */
let events = [];
let end = () => {};
function listen({ method, params }) {
  if (method === "Tracing.dataCollected") events.push(...params.value);
  if (method === "Tracing.tracingComplete") end();
}

/**
 * Runs while the panel's main thread is traced. Returns its tasks, each with its duration and its own share of that.
 * `until`: the mark after which nothing counts.
 */
async function traced(panel, browser, run, until = null) {
  events = [];
  const ended = new Promise((resolve) => {
    end = resolve;
  });
  await browser.pipe.send("Tracing.start", {
    transferMode: "ReportEvents",
    traceConfig: { includedCategories: ["toplevel", "devtools.timeline", "blink.user_timing"] },
  });
  await panel.evaluate("performance.mark('the panel')");
  await run();
  await browser.pipe.send("Tracing.end");
  await ended;
  const mark = events.find(({ name }) => name === "the panel");
  const last = until === null ? Infinity : events.find(({ name }) => name === until).ts;
  return events
    .filter(
      ({ name, ph, pid, tid, ts }) =>
        ph === "X" && pid === mark.pid && tid === mark.tid && ts >= mark.ts && ts <= last && name === "ThreadControllerImpl::RunTask",
    )
    .map(({ dur, tdur }) => ({ wall: dur / 1000, cpu: (tdur ?? 0) / 1000 }));
}

/** A stream of 200 kB, until all of it is drawn. */
async function stream(panel, browser) {
  await panel.until("document.querySelector('.suggestion')");
  const began = performance.now();
  const tasks = await traced(panel, browser, async () => {
    await say(panel, "Tell me everything");
    await panel.until(
      "document.querySelector('.turn-footer [aria-label=\"Copy answer\"]') && !document.querySelector('.live-block, [aria-busy]')",
    );
  });
  return { took: performance.now() - began, tasks };
}

/**
 * From the Enter key to the frame with the bubble, below an answer of 200 kB: the time, and the panel's own work until
 * then.
 */
async function bubble(panel, browser) {
  const times = [];
  const works = [];
  for (let run = 0; run < RUNS; run += 1) {
    const words = `And then, for the ${run + 1}. time?`;
    await panel.until("document.querySelector('.stop').hidden && !document.querySelector('.live-block, [aria-busy]')");
    await panel.evaluate(`${composer}.focus()`);
    await panel.type(words);
    await panel.evaluate(`globalThis.bubbleAfter = new Promise((shown) => {
      let began;
      addEventListener("keydown", ({ timeStamp }) => { began = timeStamp; }, { capture: true, once: true });
      const watch = new MutationObserver(() => {
        if (![...document.querySelectorAll(".bubble")].some((one) => one.textContent === ${JSON.stringify(words)})) return;
        watch.disconnect();
        requestAnimationFrame(() => { performance.mark("the bubble"); shown(performance.now() - began); });
      });
      watch.observe(document.querySelector("#conversation"), { subtree: true, childList: true });
    }), null`);
    const tasks = await traced(
      panel,
      browser,
      async () => {
        await panel.key("Enter");
        times.push(await panel.evaluate("bubbleAfter"));
      },
      "the bubble",
    );
    works.push(tasks.reduce((sum, { cpu }) => sum + cpu, 0));
  }
  return { time: median(times), work: median(works), most: Math.max(...works) };
}

/**
 * The comparison: the whole text is redrawn with each piece, as a panel without blocks would do. A tenth of the pieces
 * is enough: the work of one, multiplied by their number.
 */
async function naiveStream(panel, browser, source) {
  const tasks = await traced(panel, browser, () =>
    panel.evaluate(`(async (source) => {
    const view = document.createElement("div");
    view.className = "prose";
    document.querySelector("#conversation").append(view);
    for (let to = 0; to <= source.length; to += 3000) {
      const paragraph = (text) => Object.assign(document.createElement("p"), { textContent: text });
      view.replaceChildren(...source.slice(0, to).split("\\n\\n").map(paragraph));
      document.querySelector("#conversation").scrollTop = 1e9;
      await new Promise(requestAnimationFrame);
    }
    view.remove();
  })(${JSON.stringify(source)})`),
  );
  return tasks.reduce((sum, { cpu }) => sum + cpu, 0) * 10;
}

/** All ten thousand entries as nodes at once. */
function naiveOpening(panel) {
  return panel.evaluate(`(() => {
    const began = performance.now();
    const column = document.createElement("div");
    column.className = "conversation__column";
    for (let n = 0; n < 10_000; n += 1) {
      const turn = document.createElement("div");
      turn.innerText = "Answer " + n + " with some words that wrap over the line.";
      column.append(turn);
    }
    document.querySelector("#conversation").append(column);
    document.querySelector("#conversation").scrollTop = 1e9;
    document.querySelector("#conversation").getBoundingClientRect();
    const took = performance.now() - began;
    column.remove();
    return took;
  })()`);
}

const numbers = {};
const onlyAt = process.argv.indexOf("--only");
const only = onlyAt === -1 ? null : process.argv[onlyAt + 1];
if (only === null || only === "huge")
  await withPanel("huge", async (panel) => {
    await panel.until(text("Question 4999"));
    numbers["open 10,000 entries, ms"] = await opening(panel);
    const { reading, frames, nodes } = await scrolling(panel);
    numbers["read all of it to the first, ms"] = reading;
    numbers["entries with nodes then"] = nodes;
    numbers["frame while scrolling, p50 ms"] = percentile(frames, 0.5);
    numbers["frame while scrolling, p95 ms"] = percentile(frames, 0.95);
    numbers["opening: the same as plain nodes, all of them, ms"] = await naiveOpening(panel);
  });
for (const [name, source] of Object.entries(FLOODS)) {
  if (only !== null && only !== name) continue;
  await withPanel(name, async (panel, browser) => {
    browser.pipe.on(listen);
    const { took, tasks } = await stream(panel, browser);
    const cpu = tasks.reduce((sum, each) => sum + each.cpu, 0);
    const over = (what) => tasks.filter((each) => each[what] > 50).length;
    numbers[`${name}: streamed and drawn, ms`] = took;
    numbers["… the panel's own work, ms"] = cpu;
    numbers["… the longest task's own work, ms"] = Math.max(...tasks.map((each) => each.cpu));
    numbers["… tasks with over 50 ms of work"] = over("cpu");
    numbers["… tasks over 50 ms, waiting included"] = over("wall");
    if (name === "flood")
      numbers["… drawing it again with each piece is so many times the work"] = (await naiveStream(panel, browser, source)) / cpu;
    const { time, work, most } = await bubble(panel, browser);
    numbers["… above: Enter to the bubble, ms"] = time;
    numbers["… above: the panel's own work until the bubble, ms"] = work;
    numbers["… above: the most of it, ms"] = most;
    for (const what of Object.keys(numbers).filter((each) => each.startsWith("…"))) {
      numbers[`${name} ${what}`] = numbers[what];
      delete numbers[what];
    }
  });
}

const baselines = JSON.parse(readFileSync(file, "utf8"));
const name = process.env.GSTACK_BENCH_BASELINE ?? Object.keys(baselines).at(-1);
const baseline = baselines[name] ?? {};
console.log(
  `load ${loadavg()
    .map((each) => each.toFixed(1))
    .join(" ")}, ${cpus().length} cores`,
);
console.log(`${"".padEnd(72)}${"now".padStart(10)}${String(name ?? "").padStart(20)}`);
for (const [what, value] of Object.entries(numbers)) {
  console.log(`${what.padEnd(72)}${value.toFixed(1).padStart(10)}${(baseline[what]?.toFixed(1) ?? "–").padStart(20)}`);
}
const save = process.argv.indexOf("--save");
if (save !== -1) {
  baselines[process.argv[save + 1]] = Object.fromEntries(
    Object.entries(numbers).map(([what, value]) => [what, Math.round(value * 10) / 10]),
  );
  writeFileSync(file, `${JSON.stringify(baselines, null, 2)}\n`);
}
