/**
 * The whole panel by keyboard alone: every control is reachable, everything that opens can be closed, and the focus
 * returns.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { armed, composer, options, text, withPanel } from "./with-panel.mjs";

const REACH = "button, a[href], input, select, textarea, summary, [tabindex='0']";
/** Numbers all focusable elements; in a group of radio buttons only the chosen one, or the first, is a tab stop. */
const NUMBER = `(() => {
  const groups = new Set();
  const stops = [...document.querySelectorAll(${JSON.stringify(REACH)})].filter((one) => {
    if (!one.checkVisibility({ visibilityProperty: true }) || one.disabled || one.tabIndex < 0) return false;
    if (one.type !== "radio") return true;
    const chosen = document.querySelector("input[name='" + CSS.escape(one.name) + "']:checked");
    if (chosen ? chosen !== one : groups.has(one.name)) return false;
    groups.add(one.name);
    return true;
  });
  stops.forEach((one, index) => { one.dataset.stop = index; });
  const name = (one) => one.getAttribute("aria-label") || one.innerText || one.placeholder || one.className || one.localName;
  return stops.map((one) => name(one).trim().split("\\n")[0]);
})()`;

/** Returns the focused element's name if its focus ring has square corners, which no other element in the panel has. */
const SQUARE = `(() => {
  const { outlineStyle, outlineColor, borderRadius } = getComputedStyle(document.activeElement);
  const ring = outlineStyle !== "none" && !outlineColor.endsWith(", 0)");
  return ring && parseFloat(borderRadius) === 0 ? document.activeElement.className || document.activeElement.localName : null;
})()`;

/** Returns the names of the elements that Tab does not reach. Reached ones must have a ring with round corners. */
async function unreached(panel) {
  const square = new Set();
  await panel.evaluate(`document.querySelector("#tabbar button").focus()`);
  const names = await panel.evaluate(NUMBER);
  assert.ok(names.length > 3, names.join());
  const reached = new Set();
  for (let n = 0; n < names.length * 2 + 4 && reached.size < names.length; n += 1) {
    const stop = await panel.evaluate("document.activeElement?.dataset.stop ?? null");
    if (stop !== null) reached.add(Number(stop));
    square.add(await panel.evaluate(SQUARE));
    await panel.key("Tab");
  }
  square.delete(null);
  assert.deepEqual([...square], [], "rings with square corners");
  return names.filter((_name, index) => !reached.has(index));
}

const PLACES = {
  "an empty panel": ["usual", "document.querySelector('.suggestion') && !document.querySelector('.agent-button').disabled"],
  "a conversation": ["done", "document.querySelector('.codeblock') && document.querySelector('.table-scroll')"],
  "a card that asks": ["approval", "document.querySelector('.choice')"],
  "a card of several requests": ["together", "document.querySelectorAll('.asked__line').length === 3"],
  "a question": ["question", "document.querySelector('.question')"],
  errors: ["errors", "document.querySelectorAll('.card--danger').length === 3"],
  "a queue": ["queue-full", "document.querySelectorAll('.queue-chip').length === 5"],
  "no host": [undefined, "document.querySelector('.hopline')"],
  history: [
    "history",
    "!document.querySelector('button[aria-label=History]').disabled",
    "document.querySelector('button[aria-label=History]').click()",
    "document.querySelector('.history-row')",
  ],
  settings: [
    "history",
    "!document.querySelector('button[aria-label=History]').disabled",
    "document.querySelector('button[aria-label=Settings]').click()",
    "document.querySelector('[data-setting]') && document.querySelector('.rules')",
  ],
};

describe("by keyboard", options, () => {
  for (const [place, [scenario, ready, act, after]] of Object.entries(PLACES)) {
    test(`everything is reached in ${place}`, () =>
      withPanel(scenario, async (panel) => {
        await panel.until(ready);
        if (act) await panel.evaluate(act);
        if (after) await panel.until(after);
        assert.deepEqual(await unreached(panel), []);
      }));
  }

  test("each menu opens, is walked through, and gives the focus back", () =>
    withPanel("history", async (panel) => {
      await panel.until("document.querySelector('.suggestion') && !document.querySelector('.agent-button').disabled");
      for (const [button, menu] of [
        [".tabchip", ".menu--tabs"],
        [".agent-button", "#agents"],
        [".folder-button", "#folder"],
        [".composer__bar [aria-haspopup=menu]", "#attach"],
      ]) {
        const find = `document.querySelector(${JSON.stringify(button)})`;
        await panel.evaluate(`${find}.focus()`);
        await panel.key("ArrowDown");
        const list = `document.querySelector(${JSON.stringify(menu)})`;
        await panel.until(`!${list}.hidden && ${list}.contains(document.activeElement)`);
        const first = await panel.evaluate("document.activeElement.outerHTML");
        await panel.key("ArrowDown");
        if (await panel.evaluate(`document.querySelectorAll(${JSON.stringify(`${menu} button:not([disabled])`)}).length > 1`))
          assert.notEqual(await panel.evaluate("document.activeElement.outerHTML"), first, menu);
        await panel.key("Escape");
        assert.equal(
          await panel.evaluate(`document.querySelector(${JSON.stringify(menu)}).hidden && document.activeElement === ${find}`),
          true,
          menu,
        );
      }
    }));

  test("the drawer's tabs are walked by arrows, and Escape leads to the composer, where the next sentence goes", () =>
    withPanel("debug", async (panel) => {
      await panel.until("document.querySelector('.suggestion')");
      await panel.evaluate(`${composer}.focus()`);
      await panel.evaluate("document.querySelector('.statusbar [aria-label=Debug]').focus()");
      await panel.key("Enter");
      await panel.until("document.querySelector('.log-row')");
      await panel.evaluate("document.querySelector('#debug-tab-activity').focus()");
      for (const tab of ["refs", "inspector", "connection", "activity"]) {
        await panel.key("ArrowRight");
        const chosen = `document.querySelector('#debug-tab-${tab}')`;
        await panel.until(`${chosen}.getAttribute("aria-selected") === "true" && document.activeElement === ${chosen}`);
        assert.deepEqual(await unreached(panel), [], tab);
        await panel.evaluate(`document.querySelector('#debug-tab-${tab}').focus()`);
      }
      await panel.key("Escape");
      await panel.until("document.querySelector('#debug').hidden");
      assert.equal(await panel.evaluate(`document.activeElement === ${composer}`), true);
    }));

  test("an answer leaves the focus where one goes on", () =>
    withPanel("approval", async (panel) => {
      await panel.until(`document.activeElement?.matches(".approval") && ${armed}`);
      await panel.key("Tab");
      while (!(await panel.evaluate("document.activeElement.matches('.choice')"))) await panel.key("Tab");
      await panel.key("Enter");
      await panel.until(text("Revoked."));
      assert.equal(await panel.evaluate(`document.activeElement === ${composer}`), true);
    }));
});
