/** The debug drawer of the real extension in a real Chromium against the fake host. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { asCss, colourOf, computedParts, overriddenCount, pageRules, readInspection } from "../../extension/panel/debug/inspection.js";
import { bySource, EMPTY_LOG, failures, matching, withEntry } from "../../extension/panel/debug/activity-log.js";
import { composer, options, withPanel } from "./with-panel.mjs";

const click = (selector) => `document.querySelector(${JSON.stringify(selector)}).click()`;
const visible = (selector) => `[...document.querySelectorAll(${JSON.stringify(selector)})].filter((one) => one.checkVisibility())`;
const tab = (name) => click(`#debug-tab-${name}`);

/** Waits until the host has received that. */
async function heard(browser, words) {
  while (!(await browser.wire()).includes(words)) await new Promise((next) => setTimeout(next, 20));
}

async function opened(panel) {
  await panel.until("document.querySelector('.suggestion')");
  await panel.evaluate(click(".statusbar [aria-label=Debug]"));
  await panel.until(`${visible(".log-row")}.length === 10`);
}

describe("the activity's entries", () => {
  const entry = (id, more = {}) => ({ id, at: 1, source: "agent", command: "click", args: ["@e1"], outcome: "running", ...more });

  test("an end takes the place of its beginning, in the order of the beginnings", () => {
    let log = EMPTY_LOG;
    for (const each of [entry(1), entry(2), entry(2, { outcome: "ok" }), entry(1, { outcome: "failed", result: "covered" })])
      log = withEntry(log, each);
    assert.deepEqual(
      log.entries.map(({ id, outcome }) => [id, outcome]),
      [
        [1, "failed"],
        [2, "ok"],
      ],
    );
    assert.equal(failures(log), 1);
  });

  test("every word of the filter must be in the line", () => {
    const log = {
      entries: [entry(1, { command: "fill", args: ["@e7", "SPRING10"] }), entry(2, { result: "covered by <div>", outcome: "failed" })],
      gap: false,
    };
    assert.deepEqual(
      matching(log, "fill spring", false).map(({ id }) => id),
      [1],
    );
    assert.deepEqual(matching(log, "fill covered", false), []);
    assert.deepEqual(
      matching(log, "", true).map(({ id }) => id),
      [2],
    );
  });

  test("what follows each other from one source is one group", () => {
    assert.deepEqual(
      bySource([entry(1), entry(2), entry(3, { source: "terminal" }), entry(4)]).map(({ source, entries }) => [source, entries.length]),
      [
        ["agent", 2],
        ["terminal", 1],
        ["agent", 1],
      ],
    );
  });
});

describe("an inspection", () => {
  test("what is missing is left out", () => {
    const empty = readInspection(undefined);
    assert.deepEqual([empty.rules, empty.box, empty.computed.size], [[], null, 0]);
  });

  test("what wins as CSS, what is overridden, what is set", () => {
    const rules = [
      {
        selector: ".a",
        origin: "page",
        declarations: [
          { name: "padding", value: "1px", important: true, overridden: false },
          { name: "color", value: "red", important: false, overridden: true },
        ],
      },
      { selector: "b", origin: "user-agent", declarations: [{ name: "cursor", value: "default", important: false, overridden: false }] },
    ];
    const read = readInspection({ rules, computed: { "padding-left": "1px", cursor: "default" } });
    assert.equal(asCss(read, "b.a"), "b.a {\n  padding: 1px !important;\n}");
    assert.deepEqual(overriddenCount(pageRules(read)), { overridden: 1, all: 2 });
    assert.deepEqual(computedParts(read).set, [["padding-left", "1px"]]);
    assert.deepEqual(["#fff", "rgb(1, 2, 3)", "url(x)", "1px solid red", "oklch(0.5 0.1 20)"].map(colourOf), [
      "#fff",
      "rgb(1, 2, 3)",
      "",
      "",
      "oklch(0.5 0.1 20)",
    ]);
  });
});

describe("the debug drawer", options, () => {
  test("activity: filtered, live, with its failures in words", () =>
    withPanel("debug", async (panel, browser) => {
      await opened(panel);
      assert.equal(await panel.evaluate(`${visible(".log-row--failed")}.length`), 2);
      assert.match(
        await panel.evaluate("document.querySelector('.log-row--failed').innerText"),
        /click @e22[^]*covered by <div class="cookie-banner">/,
      );
      await panel.evaluate("document.querySelector('#debug-activity input').focus()");
      await panel.type("spring");
      await panel.until(`${visible(".log-row")}.length === 1`);
      await panel.evaluate(
        "Object.assign(document.querySelector('#debug-activity input'), { value: '' }).dispatchEvent(new Event('input'))",
      );
      await panel.evaluate(click("#debug-activity [aria-pressed]"));
      await panel.until(`${visible(".log-row")}.length === 2`);
      await panel.evaluate(click("#debug-activity [aria-pressed]"));
      await panel.evaluate(tab("refs"));
      await panel.until(`${visible(".ref-row")}.length === 9`);
      await panel.evaluate(click("#debug-refs .button"));
      await heard(browser, 'command ["snapshot","-i","-C"]');
      await panel.evaluate(tab("activity"));
      await panel.until(`${visible(".log-row")}.length === 11`);
      await panel.evaluate(click(".debug-head [aria-label=Close]"));
      await heard(browser, "activity.unsubscribe");
    }));

  test("refs: outlined under the pointer, shown in the page while they are in sight, put into the message", () =>
    withPanel("debug", async (panel, browser) => {
      await opened(panel);
      await panel.evaluate(tab("refs"));
      await panel.until(`${visible(".ref-row")}.length === 9`);
      await panel.evaluate("document.querySelectorAll('.ref-row')[5].dispatchEvent(new PointerEvent('pointerenter'))");
      await heard(browser, "refs.highlight @e8");
      await panel.evaluate("document.querySelector('.refs').dispatchEvent(new PointerEvent('pointerleave'))");
      await heard(browser, "refs.highlight none");
      await panel.evaluate(click("#debug-refs .switch"));
      await heard(browser, "refs.show true");
      await panel.evaluate("document.querySelectorAll('.ref-row')[5].click()");
      assert.equal(await panel.evaluate(`${composer}.value`), "@e8 ");
      assert.equal(await panel.evaluate("document.querySelector('#dock').hidden"), false);
      await panel.evaluate(tab("inspector"));
      await heard(browser, "refs.show false");
      assert.equal(await panel.evaluate("document.querySelector('#dock').hidden"), true);
    }));

  test("inspector: a picked element's box and rules; a value is changed and undone; it goes to the chat", () =>
    withPanel("debug", async (panel, browser) => {
      await opened(panel);
      await panel.evaluate(tab("inspector"));
      await panel.evaluate(click("#debug-inspector .drawer__nothing button"));
      await panel.until("document.querySelector('.boxmodel')");
      assert.equal(
        await panel.evaluate("document.querySelector('.picked').innerText.replace(/\\s+/g, ' ').trim()"),
        "@e8 button.apply 112 × 40",
      );
      assert.equal(await panel.evaluate("document.querySelector('.boxmodel__layer--content').innerText"), "70 × 24");
      assert.deepEqual(await panel.evaluate(`${visible(".rule")}.map((rule) => rule.querySelector(".rule__selector").innerText)`), [
        "element.style",
        ".coupon .apply",
        "button",
      ]);
      assert.match(
        await panel.evaluate("document.querySelectorAll('.rule')[1].innerText"),
        /@media \(min-width: 600px\)[^]*0,2,0[^]*cart\.css:88/,
      );
      assert.equal(
        await panel.evaluate(`getComputedStyle(${visible(".declaration--overridden .declaration__value")}[0]).textDecorationLine`),
        "line-through",
      );
      await panel.evaluate("document.querySelector('.rule:nth-of-type(n+2) .declaration__value').click()");
      await panel.until("document.activeElement.matches('.edit')");
      await panel.type("7px 20px");
      await panel.key("Enter");
      await heard(browser, 'command ["style","@e8","padding","7px 20px"]');
      await panel.until("document.querySelector('.rule').innerText.includes('7px 20px')");
      await panel.evaluate(
        "[...document.querySelectorAll('#debug-inspector button')].find(({ innerText }) => innerText === 'Undo').click()",
      );
      await heard(browser, 'command ["style","--undo"]');
      await panel.until("!document.querySelector('.rule').innerText.includes('7px 20px')");
      await panel.evaluate("document.querySelector('.edit--new').focus()");
      await panel.type("color: nonsense");
      await panel.key("Enter");
      await panel.until("document.querySelector('#toast').innerText.includes('nonsense is not a value')");
      await panel.evaluate(
        "[...document.querySelectorAll('#debug-inspector button')].find(({ innerText }) => innerText === 'Send to chat').click()",
      );
      await panel.until("document.querySelector('.attachment[data-kind=element]').innerText.includes('button.apply')");
    }));

  test("connection is one of its tabs, and the dot in the status bar opens it", () =>
    withPanel("debug", async (panel) => {
      await panel.until("document.querySelector('.suggestion')");
      await panel.evaluate(click(".connection"));
      await panel.until(`${visible(".hop")}.length === 6`);
      assert.equal(await panel.evaluate("document.querySelector('#debug-tab-connection').getAttribute('aria-selected')"), "true");
      await panel.evaluate("document.querySelector('#debug-tab-connection').focus()");
      await panel.key("ArrowRight");
      await panel.until(`${visible(".log-row")}.length === 10`);
      await panel.evaluate(click(".statusbar [aria-label=Debug]"));
      await panel.until("document.querySelector('#debug').hidden && !document.querySelector('#conversation').hidden");
    }));

  test("connection: the focus and what is marked stay over rounds of pings", () =>
    withPanel("signed-out", async (panel) => {
      await panel.until("document.querySelector('.suggestion')");
      await panel.evaluate(click(".connection"));
      await panel.until("document.querySelector('.hop__trouble .command button')?.checkVisibility()");
      await panel.evaluate(`document.querySelector('.hop__trouble .command button').focus();
      getSelection().selectAllChildren(document.querySelector('.hop__trouble code'));
      globalThis.held = { copy: document.activeElement, hops: [...document.querySelectorAll('.hop')] };`);
      for (const rounds of [2, 3, 4]) {
        await panel.evaluate(
          "[...document.querySelectorAll('#debug-connection .drawer__foot button')].find((one) => one.innerText === 'Ping again').click()",
        );
        await panel.until(`document.querySelector('.hop__trace polyline')?.getAttribute('points').split(' ').length >= ${rounds}`);
      }
      assert.equal(await panel.evaluate("document.activeElement === held.copy && held.copy.isConnected"), true);
      assert.equal(await panel.evaluate("getSelection().toString()"), "claude auth login");
      assert.equal(await panel.evaluate("[...document.querySelectorAll('.hop')].every((hop, index) => hop === held.hops[index])"), true);
    }));

  test("activity and refs: lines that stay are the same ones, and busy buttons keep the focus", () =>
    withPanel("debug", async (panel, browser) => {
      await opened(panel);
      await panel.evaluate(`globalThis.held = [...document.querySelectorAll('.log-row')];
      globalThis.again = document.querySelector('#debug-refs .drawer__tools .button');
      getSelection().selectAllChildren(document.querySelector('.log-row--failed .log-row__result')); again.click();`);
      await panel.until(`${visible(".log-row")}.length === 11`);
      assert.equal(
        await panel.evaluate("[...document.querySelectorAll('.log-row')].slice(0, 10).every((row, index) => row === held[index])"),
        true,
      );
      assert.match(await panel.evaluate("getSelection().toString()"), /cookie-banner/);
      await panel.evaluate(tab("refs"));
      await panel.until(`${visible(".ref-row")}.length === 9`);
      // A second press while the button rests sends no request.
      assert.equal(
        await panel.evaluate(
          "again.focus(); again.click(); again.click(); document.activeElement === again && again.getAttribute('aria-disabled')",
        ),
        "true",
      );
      await panel.until("!again.hasAttribute('aria-disabled')");
      assert.equal(await panel.evaluate("document.activeElement === again"), true);
      assert.equal([...(await browser.wire()).matchAll(/^command \["snapshot"/gm)].length, 2);
      await panel.evaluate("globalThis.row = document.querySelectorAll('.ref-row')[5]; row.focus()");
      await panel.evaluate("again.click()");
      await panel.until("!again.hasAttribute('aria-disabled')");
      assert.equal(await panel.evaluate("document.activeElement === row"), true);
    }));

  test("a quick action that runs keeps the focus, and runs once", () =>
    withPanel("debug", async (panel, browser) => {
      await panel.until("document.querySelector('.suggestion')");
      // A disabled element loses the focus at the next redraw.
      assert.deepEqual(
        await panel.evaluate(() => {
          globalThis.tidy = document.querySelector("#quick button");
          tidy.focus();
          tidy.click();
          tidy.click();
          return [tidy.disabled, tidy.getAttribute("aria-disabled")];
        }),
        [false, "true"],
      );
      await panel.until("!document.querySelector('#toast').hidden && !tidy.hasAttribute('aria-disabled')");
      assert.equal(await panel.evaluate("document.activeElement === tidy"), true);
      assert.equal([...(await browser.wire()).matchAll(/^command \["cleanup"/gm)].length, 1);
    }));

  test("a page that nobody may pick from offers its refs instead", () =>
    withPanel("debug-refused", async (panel) => {
      await opened(panel);
      await panel.evaluate(tab("inspector"));
      await panel.evaluate(click("#debug-inspector .drawer__nothing button"));
      await panel.until("document.querySelector('#toast').innerText.includes('extensions can')");
      await panel.evaluate(
        "[...document.querySelectorAll('#toast button')].find(({ innerText }) => innerText === 'Choose from refs').click()",
      );
      await panel.until(`${visible(".ref-row")}.length === 9`);
    }));
});
