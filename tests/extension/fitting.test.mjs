/** What a narrow panel and large text do to what the panel shows. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { composer, options, press, untilStored, withPanel } from "./with-panel.mjs";

const frames = "new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))";
/** An expression: how far the conversation can be scrolled sideways. */
const sideways = "document.querySelector('#conversation').scrollWidth - document.querySelector('#conversation').clientWidth";

describe("in a narrow panel", options, () => {
  test("a wide table pushes nothing out of the panel, and a long sentence in it is no endless line", () =>
    withPanel("wide", async (panel) => {
      await panel.until("document.querySelectorAll('.prose table').length === 2");
      for (const width of [280, 320, 360]) {
        await panel.size(width, 720);
        await panel.evaluate(frames);
        assert.equal(await panel.evaluate(sideways), 0, String(width));
        const boxes = await panel.evaluate(
          "[...document.querySelectorAll('.table-scroll')].map((one) => one.scrollWidth - one.clientWidth)",
        );
        assert.ok(boxes[0] > 0, "six columns scroll inside their own box");
        assert.ok(boxes[1] < 40, `${width}: two columns of long text wrap: ${boxes[1]}`);
      }
    }));
});

describe("the tab menu", options, () => {
  test("tabs with the same title look the same: each shows its whole address and its conversation", () =>
    withPanel("twins", async (panel) => {
      await panel.until("!document.querySelector('.agent-button').disabled");
      await press(panel, "Cart");
      const lines =
        "[...document.querySelectorAll('.menu--tabs [data-line^=\"tab 9\"] .data')].map((one) => one.innerText).filter(Boolean)";
      await panel.until(`${lines}.some((line) => line.includes("Refund"))`);
      assert.deepEqual(await panel.evaluate(lines), [
        "shop.halden.example/orders/17 · “Why is the total wrong?”",
        "shop.halden.example/orders/18 · “Refund the second apron”",
      ]);
    }));
});

describe("the text size", options, () => {
  test("Ctrl and Plus changed only the page: they enlarge the panel, which still fits and keeps its place", () =>
    withPanel("long", async (panel) => {
      await panel.until("document.querySelectorAll('.turn').length > 20");
      await panel.size(420, 720);
      const size = "document.querySelector('.composer__text').getBoundingClientRect().height";
      const before = await panel.evaluate(size);
      await panel.evaluate(`${composer}.focus()`);
      for (let times = 0; times < 6; times += 1) await panel.key("+", "Equal", { modifiers: 2 });
      await untilStored(panel, "(all) => all.textSize === 1.5");
      assert.ok((await panel.evaluate(size)) > before * 1.4);
      assert.equal(await panel.evaluate(sideways), 0);
      const { bottom, height } = await panel.evaluate(
        "({ bottom: document.querySelector('.statusbar').getBoundingClientRect().bottom, height: innerHeight })",
      );
      assert.ok(Math.abs(bottom - height) <= 1, `the last line ends at ${bottom} of ${height}`);
      // Older entries come in above while the visible one keeps its place.
      await panel.evaluate("document.querySelector('#conversation').scrollTop -= 900");
      await panel.evaluate(frames);
      const top = `(globalThis.seen ??= [...document.querySelectorAll('.turn')].find((one) => one.getBoundingClientRect().bottom > 100))
          .getBoundingClientRect().top`;
      const first = await panel.evaluate(top);
      await panel.evaluate(frames);
      assert.ok(Math.abs((await panel.evaluate(top)) - first) <= 2);
      await panel.key("-", "Minus", { modifiers: 2 });
      await untilStored(panel, "(all) => all.textSize === 1.25");
      await panel.key("0", "Digit0", { modifiers: 2 });
      await untilStored(panel, "(all) => all.textSize === 1");
      assert.equal(await panel.evaluate(size), before);
      await press(panel, "Settings");
      await press(panel, "110%");
      await untilStored(panel, "(all) => all.textSize === 1.1");
    }));
});
