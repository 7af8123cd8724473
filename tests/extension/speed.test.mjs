/**
 * What must stay cheap: idling, a long answer, a long conversation. Counted in nodes, frames and timers, never in time.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { options, say, text, withPanel } from "./with-panel.mjs";

/** Counts the timers that are set and have neither run nor been cleared. */
const COUNT_TIMERS = `{
  const open = globalThis.openTimers = new Map();
  const { setTimeout: later, setInterval: often, clearTimeout: never, clearInterval: neverAgain } = globalThis;
  globalThis.setTimeout = (work, ms, ...args) => {
    const id = later(() => { open.delete(id); work(...args); }, ms);
    open.set(id, "timeout " + ms + " " + new Error().stack.split("\\n")[2]);
    return id;
  };
  globalThis.setInterval = (work, ms) => { const id = often(work, ms); open.set(id, "interval " + ms); return id; };
  globalThis.clearTimeout = (id) => { open.delete(id); never(id); };
  globalThis.clearInterval = (id) => { open.delete(id); neverAgain(id); };
  const frame = requestAnimationFrame;
  globalThis.frames = 0;
  globalThis.requestAnimationFrame = (work) => { globalThis.frames += 1; return frame(work); };
}`;

/** Characters and nodes that are added to answers, per frame. */
const COUNT_A_FRAME = `{
  const letters = globalThis.letters = [];
  const nodes = globalThis.nodes = [];
  let frame = 0;
  const next = () => { frame += 1; requestAnimationFrame(next); };
  requestAnimationFrame(next);
  const count = (node) => 1 + [...node.childNodes].reduce((sum, child) => sum + count(child), 0);
  new MutationObserver((records) => {
    for (const { type, target, addedNodes, oldValue } of records) {
      if (!(target.nodeType === 1 ? target : target.parentElement)?.closest(".prose")) continue;
      const came = [...addedNodes].reduce((sum, node) => sum + node.textContent.length, 0);
      const added = type === "characterData" ? target.data.length - oldValue.length : came;
      letters[frame] = (letters[frame] ?? 0) + Math.max(0, added);
      nodes[frame] = (nodes[frame] ?? 0) + [...addedNodes].reduce((sum, node) => sum + count(node), 0);
    }
  }).observe(document, { subtree: true, childList: true, characterData: true, characterDataOldValue: true });
}`;

/** A frame that the page itself did not request. */
const nextFrame =
  "new Promise((drawn) => new IntersectionObserver((_entries, watch) => { watch.disconnect(); drawn(true); }).observe(document.body))";

describe("the panel costs nothing", options, () => {
  test("while nothing happens: no timer, no frame", () =>
    withPanel("done", async (panel) => {
      await panel.send("Page.enable");
      await panel.send("Page.addScriptToEvaluateOnNewDocument", { source: COUNT_TIMERS });
      await panel.send("Page.reload");
      await panel.until(`globalThis.openTimers && ${text("The total is rounded twice")} && !document.querySelector('.live-block')`);
      // Lets the page's start-up finish.
      await panel.evaluate(
        "new Promise((end) => { const look = () => (openTimers.size === 0 ? end() : requestIdleCallback(look)); look(); })",
      );
      const before = await panel.evaluate("frames");
      for (let n = 0; n < 5; n += 1) await panel.evaluate(nextFrame);
      assert.deepEqual(await panel.evaluate("[...openTimers.values()]"), []);
      assert.equal(await panel.evaluate("frames"), before);
    }));

  test("the clock runs while a turn runs, and ends with it", () =>
    withPanel("approval", async (panel) => {
      await panel.send("Page.enable");
      await panel.send("Page.addScriptToEvaluateOnNewDocument", { source: COUNT_TIMERS });
      await panel.send("Page.reload");
      await panel.until("globalThis.openTimers && document.querySelector('.choice')");
      assert.deepEqual(await panel.evaluate("[...openTimers.values()].filter((each) => each.startsWith('interval'))"), ["interval 1000"]);
      await panel.until("document.querySelector('.approval:not(.is-arming)')");
      await panel.evaluate("document.querySelector('.approval').focus()");
      await panel.key("4");
      await panel.until(text("Left as it is."));
      await panel.until("document.querySelector('.stop').hidden && ![...openTimers.values()].some((each) => each.startsWith('interval'))");
    }));

  test("a long answer: what stands is never drawn again", () =>
    withPanel("flood", async (panel) => {
      await panel.until("document.querySelector('.suggestion')");
      await panel.evaluate(`(() => {
      const counts = globalThis.counts = { added: 0, removed: 0, again: 0 };
      const finished = new WeakSet();
      const elements = (nodes) => [...nodes].filter((node) => node.nodeType === 1);
      new MutationObserver((records) => {
        for (const { target, addedNodes, removedNodes } of records) {
          if (!target.closest?.(".prose")) continue;
          counts.added += elements(addedNodes).length;
          counts.removed += elements(removedNodes).length;
          // A finished block is what the renderer gave; nothing of it may change after the records in which it came.
          if (finished.has(target) || (target.parentElement && finished.has(target.parentElement))) counts.again += 1;
        }
        for (const { addedNodes } of records)
          for (const node of elements(addedNodes))
            if (node.parentElement?.matches(".prose__part") && !node.matches(".live-block")) finished.add(node);
      }).observe(document.querySelector("#conversation"), { subtree: true, childList: true });
    })()`);
      await say(panel, "Tell me everything");
      await panel.until("document.querySelector('.turn-footer [aria-label=\"Copy answer\"]') && !document.querySelector('.live-block')");
      const { added, removed, again, blocks, letters } = await panel.evaluate(() => ({
        ...counts,
        blocks: document.querySelectorAll(".prose__part > *").length,
        letters: document.querySelector(".prose").textContent.length,
      }));
      assert.ok(letters > 150_000, String(letters));
      assert.equal(again, 0);
      // Each block is drawn twice: while it grows and when it is finished. The caret moves at most one line per frame.
      assert.ok(added + removed < blocks * 40, `${added} added and ${removed} removed for ${blocks} blocks`);
    }));

  // The budgets of two frames for growing and rendered text: the most that one frame may get.
  const MOST_A_FRAME = 2 * (12_000 + 24_000);
  for (const name of ["flood", "flood-code", "flood-table", "flood-paragraph", "flood-read"]) {
    test(`${name}: a frame draws its share, and nothing is laid out in one piece that is long`, () =>
      withPanel(name, async (panel) => {
        await panel.send("Page.enable");
        await panel.send("Page.addScriptToEvaluateOnNewDocument", { source: COUNT_A_FRAME });
        await panel.send("Page.reload");
        if (name === "flood-read") {
          await panel.until(`globalThis.letters?.length > 0 && document.querySelectorAll(".prose").length === 4`);
        } else {
          await panel.until("globalThis.letters && document.querySelector('.suggestion')");
          await say(panel, "Tell me everything");
          await panel.until("document.querySelector('.turn-footer [aria-label=\"Copy answer\"]')");
        }
        await panel.until("document.querySelector('.prose') && !document.querySelector('.live-block, [aria-busy]')");
        const { letters, nodes } = await panel.evaluate(
          "({ letters: Math.max(...globalThis.letters.filter(Boolean)), nodes: Math.max(...globalThis.nodes.filter(Boolean)) })",
        );
        assert.ok(letters <= MOST_A_FRAME, `${letters} letters in one frame`);
        assert.ok(nodes <= 6000, `${nodes} nodes in one frame`);
        // The largest part that one change makes the browser lay out again: a paragraph, a piece of code, a table.
        const longest = await panel.evaluate(() => {
          const most = (selector, size) => Math.max(0, ...[...document.querySelectorAll(selector)].map(size));
          const letters = (one) => one.textContent.length;
          return {
            p: most(".prose p", letters),
            code: most(".prose .codeblock code", letters),
            rows: most(".prose table", (one) => one.rows.length),
            list: most(".prose ul", letters),
          };
        });
        assert.ok(longest.p <= 8_200 && longest.code <= 8_200 && longest.list <= 8_200 && longest.rows <= 101, JSON.stringify(longest));
      }));
  }

  test("ten thousand entries: only those near the end have nodes, before and after a way to the top", () =>
    withPanel("huge", async (panel) => {
      await panel.until(text("Question 4999"));
      const drawn = () => panel.evaluate("document.querySelectorAll('.conversation__column > .turn').length");
      assert.ok((await drawn()) <= 120, String(await drawn()));
      const up = `new Promise((next) => {
        document.querySelector('#conversation').scrollTop = 0;
        requestAnimationFrame(() => next(document.querySelector('.conversation__column .bubble').innerText));
      })`;
      while (Number((await panel.evaluate(up)).split(" ")[1]) > 4500) {
        /* continue */
      }
      assert.ok((await drawn()) <= 360, String(await drawn()));
      // Scrolls down again: entries that lost their nodes get them back.
      const down = `new Promise((next) => {
        const view = document.querySelector('#conversation');
        view.scrollTop = view.scrollHeight;
        requestAnimationFrame(() => next([...document.querySelectorAll('.bubble')].at(-1).innerText));
      })`;
      while ((await panel.evaluate(down)) !== "Question 4999") {
        /* continue */
      }
      await panel.until("document.querySelector('.jump').hidden");
      await panel.evaluate("document.querySelector('#conversation').scrollTop = 0");
      await panel.until("!document.querySelector('.jump').hidden");
      await panel.evaluate("document.querySelector('.jump').click()");
      await say(panel, "One more");
      await panel.until(text("You said One more."));
      assert.ok((await drawn()) <= 120, String(await drawn()));
    }));
});
