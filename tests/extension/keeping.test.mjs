/** History, settings and rules in the real panel. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { composer, options, press, text, withPanel } from "./with-panel.mjs";

const rows = "document.querySelectorAll('.history-row').length";
const openHistory = async (panel) => {
  await press(panel, "History");
  await panel.until(`${rows} > 0`);
};
const openSettings = async (panel) => {
  await press(panel, "Settings");
  await panel.until("document.querySelector('[data-setting=\"turns.direct-commands\"]')");
  await panel.evaluate("document.querySelector('.advanced').open = true");
};

describe("history", options, () => {
  test("search finds words that were said, and shows them", () =>
    withPanel("history", async (panel) => {
      await openHistory(panel);
      assert.equal(await panel.evaluate(rows), 5);
      await panel.type("keyboard");
      await panel.until(`${rows} === 1`);
      assert.equal(await panel.evaluate("document.querySelector('.history-row__excerpt mark').innerText"), "Keyboard");
      await panel.type(" of nothing");
      await panel.until("document.querySelector('.drawer__nothing')?.innerText === 'Nothing found.'");
    }));

  test("a conversation is renamed where it stands, with Enter, and not with Escape", () =>
    withPanel("history", async (panel) => {
      await openHistory(panel);
      await panel.key("ArrowDown");
      await panel.key("F2");
      await panel.type("The rounding");
      await panel.key("Enter");
      await panel.until("document.querySelector('.history-row__title').innerText === 'The rounding'");
      assert.equal(await panel.evaluate("document.activeElement.innerText"), "The rounding");
      await panel.key("F2");
      await panel.type("Never mind");
      await panel.key("Escape");
      assert.equal(await panel.evaluate("document.querySelector('.history-row__title').innerText"), "The rounding");
      assert.equal(await panel.evaluate("document.querySelector('#history').hidden"), false);
    }));

  test("a deleted one is gone and comes back", () =>
    withPanel("history", async (panel) => {
      await openHistory(panel);
      await panel.evaluate("document.querySelector('[aria-label=Delete]').click()");
      await panel.until(`${rows} === 4`);
      assert.equal(
        await panel.evaluate("document.activeElement.className.includes('history-row__title')"),
        true,
        "the focus is on the next one",
      );
      await press(panel, "Undo");
      await panel.until(`${rows} === 5`);
    }));

  test("is saved as Markdown or JSON", () =>
    withPanel("history", async (panel, browser) => {
      await browser.pipe.send("Browser.setDownloadBehavior", { behavior: "deny", eventsEnabled: true });
      const files = [];
      browser.pipe.on(({ method, params }) => {
        if (method === "Browser.downloadWillBegin") files.push(params.suggestedFilename);
      });
      await openHistory(panel);
      for (const [format, file] of [
        ["Markdown", "conversation.md"],
        ["JSON", "conversation.json"],
      ]) {
        await panel.evaluate("document.querySelector('[aria-label=Export]').click()");
        await press(panel, format);
        await panel.until(`document.querySelector('#toast').innerText.includes('${file}')`);
      }
      // The browser reports a download when it begins, after the panel requested it.
      while (files.length < 2) await new Promise((resolve) => setTimeout(resolve, 20));
      assert.deepEqual(files, ["conversation.md", "conversation.json"]);
    }));

  test("is read, and goes on in this tab", () =>
    withPanel("history", async (panel) => {
      await openHistory(panel);
      await panel.evaluate("document.querySelectorAll('.history-row__title')[3].click()");
      await panel.until("!document.querySelector('#reading').hidden && document.querySelector('#dock').hidden");
      const retry = "document.querySelector('.turn-footer [aria-label=Retry]')";
      await panel.until("document.querySelector('.turn-footer')");
      assert.equal(await panel.evaluate(`${retry} === null`), true);
      await press(panel, "Continue here");
      await panel.until("document.querySelector('#reading').hidden && !document.querySelector('#dock').hidden");
      await panel.until(text("Why the hero image loads last"));
      assert.equal(await panel.evaluate(`document.activeElement === ${composer}`), true);
      // Retry was missing until the panel was opened again.
      await panel.until(`${retry} !== null`);
    }));

  test("nothing in an empty panel moves once it is there: suggestions come into room that was kept for them", () =>
    withPanel("earlier", async (panel) => {
      await panel.send("Page.enable");
      await panel.send("Page.addScriptToEvaluateOnNewDocument", {
        source: `globalThis.moved = [];
      const classes = ({ sources }) => sources.flatMap(({ node }) => node?.className ?? []);
      new PerformanceObserver((list) => moved.push(...list.getEntries().flatMap(classes)))
        .observe({ type: "layout-shift", buffered: true });`,
      });
      await panel.send("Page.reload");
      await panel.until("globalThis.moved && document.querySelector('.earlier') && document.querySelectorAll('.suggestion').length === 4");
      await panel.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))");
      assert.deepEqual(
        (await panel.evaluate("moved")).filter((name) => /earlier|empty|suggestion/.test(name)),
        [],
      );
    }));

  test("an empty panel offers the earlier conversation about its page", () =>
    withPanel("earlier", async (panel) => {
      await panel.until("document.querySelector('.earlier')");
      await panel.evaluate("document.querySelector('.earlier').click()");
      await panel.until("document.querySelector('.bubble')?.innerText === 'Cart total one cent off with SPRING10'");
    }));
});

describe("settings", options, () => {
  test("every kind is changed where it stands, and goes back to its default", () =>
    withPanel("usual", async (panel) => {
      await openSettings(panel);
      const control = (name) => `document.querySelector('[data-setting="${name}"]')`;
      await panel.evaluate(`${control("turns.direct-commands")}.click()`);
      await panel.until(`${control("turns.direct-commands")}.getAttribute("aria-checked") === "false"`);
      await panel.evaluate("document.querySelector('[aria-label=\"Back to the default: Run plain commands at once\"]').click()");
      await panel.until(`${control("turns.direct-commands")}.getAttribute("aria-checked") === "true"`);
      const type = (name, value) =>
        panel.evaluate(`(() => {
          const field = ${control(name)};
          field.focus();
          field.value = ${JSON.stringify(value)};
          field.dispatchEvent(new Event("change", { bubbles: true }));
        })()`);
      await type("agents.at-once", "99");
      await panel.until("[...document.querySelectorAll('[role=alert]')].some((one) => !one.hidden && one.innerText === 'From 1 to 64.')");
      await type("agents.at-once", "6");
      await panel.until(
        `${control("agents.at-once")}.value === "6" && [...document.querySelectorAll('#settings [role=alert]')].every((one) => one.hidden)`,
      );
      await type("report.to", "nobody");
      await panel.until("[...document.querySelectorAll('[role=alert]')].some((one) => one.innerText.includes('Take another one'))");
      await press(panel, "A copy of it");
      await panel.until(() => {
        const copy = [...document.querySelectorAll(".segmented__option")].find((one) => one.innerText === "A copy of it");
        return copy.getAttribute("aria-checked") === "true";
      });
      assert.equal(await panel.evaluate("document.activeElement !== document.body"), true);
    }));

  test("begin with the look, the agent and permissions; how gstack itself runs is behind Advanced", () =>
    withPanel("history", async (panel) => {
      await press(panel, "Settings");
      await panel.until("document.querySelector('.rules') && document.querySelector('[data-setting=\"daemon.port\"]')");
      const shown = await panel.evaluate(() =>
        [...document.querySelectorAll("#settings .section-head, #settings .advanced__head")]
          .filter((one) => one.checkVisibility())
          .map((one) => one.innerText.toLowerCase().split("\n")[0]),
      );
      assert.deepEqual(shown, ["panel", "agents", "permissions", "keys", "advanced", "about"]);
      assert.equal(await panel.evaluate("document.querySelector('[data-setting=\"daemon.port\"]').checkVisibility()"), false);
      assert.equal(await panel.evaluate("document.querySelector('[data-setting=\"agents.default\"]').checkVisibility()"), true);
      await press(panel, "Advanced");
      await panel.until("document.querySelector('[data-setting=\"daemon.port\"]').checkVisibility()");
    }));

  for (const [language, label, group] of [
    ["de", "Untätigen Agenten beenden nach", "erweitert"],
    ["ar", "إنهاء الوكيل الخامل بعد", "متقدم"],
  ]) {
    test(`are in the panel's language: ${language}`, () =>
      withPanel(
        "history",
        async (panel) => {
          await panel.until("!document.querySelectorAll('.statusbar .icon-button')[2].disabled");
          await panel.evaluate("document.querySelectorAll('.statusbar .icon-button')[2].click()");
          const minutes = "document.querySelector('[data-setting=\"agents.sleep-minutes\"]')";
          await panel.until(minutes);
          assert.equal(await panel.evaluate(`${minutes}.closest('.setting').querySelector('.setting__name').textContent.trim()`), label);
          assert.match(await panel.evaluate("document.querySelector('.advanced__head').innerText.toLowerCase()"), new RegExp(group));
        },
        { language },
      ));
  }

  test("the theme holds in the panel", () =>
    withPanel("usual", async (panel) => {
      await openSettings(panel);
      await press(panel, "Light");
      await panel.until("getComputedStyle(document.body).backgroundColor === 'rgb(250, 250, 250)'");
      await panel.send("Page.reload");
      await panel.until("document.querySelector('.composer__text') && document.documentElement.dataset.theme === 'light'");
    }));

  test("rules are listed and taken back", () =>
    withPanel("history", async (panel) => {
      await openSettings(panel);
      await panel.until("document.querySelectorAll('.rules [role=listitem]').length === 2");
      assert.match(await panel.evaluate("document.querySelector('.rules').innerText"), /Denied: clicks and typing\s+on bank\.example/);
      await panel.evaluate("document.querySelector('.rules button').focus()");
      await panel.key("Enter");
      await panel.until("document.querySelectorAll('.rules [role=listitem]').length === 1");
      assert.equal(await panel.evaluate("document.querySelector('.rules').contains(document.activeElement)"), true);
    }));

  test("a newer extension is offered while nothing runs", () =>
    withPanel("newer", async (panel) => {
      await panel.until("document.querySelector('#update')?.innerText.includes('Extension 9.0.0 is ready')");
    }));
});
