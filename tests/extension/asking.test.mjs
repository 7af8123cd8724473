/**
 * Everything that a turn shows and requests in the real panel: approvals, unattended work, questions, plans, waits,
 * facts, tabs.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { armed, composer, options, press, say, text, untilStored, withPanel } from "./with-panel.mjs";

const facts = (index) => `[...document.querySelectorAll('.turn-footer__facts')[${index}].children].map((one) => one.innerText).join(" ")`;

describe("turns", options, () => {
  test("what holds for ever is behind More, and no key reaches it", () =>
    withPanel("approval", async (panel) => {
      await panel.until("document.querySelector('.choice')");
      assert.equal(await panel.evaluate("document.querySelector('[data-choice=always]').checkVisibility()"), false);
      await panel.until(armed);
      await panel.evaluate("document.querySelector('.approval').focus()");
      await panel.key("5");
      assert.equal(await panel.evaluate("document.querySelectorAll('.decided').length"), 0);
      await panel.evaluate(`${composer}.value = ""`);
      await press(panel, "More");
      // The card grew, so it is armed again: another element may be under the pointer.
      await panel.until("document.querySelector('.approval.is-arming')");
      await press(panel, "Always allow");
      await panel.until("document.querySelector('.decided')?.innerText.startsWith('Always allowed by you')");
    }));

  test("unattended for a while: allowed, said above all else, and ended by a button", () =>
    withPanel("approval", async (panel) => {
      await panel.until("document.querySelector('.choice')");
      await press(panel, "More");
      // The card grew, so it is armed again: another element may be under the pointer.
      await panel.until("document.querySelector('.approval.is-arming')");
      await press(panel, "Work unattended for 15 min");
      await panel.until("document.querySelector('#unattended')?.innerText.includes('Works unattended until')");
      await panel.until(text("Revoked."));
      await press(panel, "Ask again");
      await panel.until("document.querySelector('#unattended').hidden");
      await say(panel, "/unattended 1h");
      await panel.until("!document.querySelector('#unattended').hidden");
    }));

  test("a question with several parts is answered by choice, by several and in own words", () =>
    withPanel("question", async (panel, browser) => {
      await panel.until(armed);
      assert.equal(await panel.evaluate("document.querySelector('.question [type=submit]').disabled"), true);
      await panel.evaluate("document.querySelectorAll('.question [type=radio]')[1].click()");
      await panel.evaluate("document.querySelectorAll('.question [type=checkbox]')[0].click()");
      await panel.evaluate("document.querySelectorAll('.question input[type=text]')[1].focus()");
      await panel.type("and 3 weights");
      assert.equal(
        await panel.evaluate("document.querySelectorAll('.question [type=checkbox]')[0].checked"),
        true,
        "a number in one's own words chooses nothing",
      );
      await panel.key("Enter");
      await panel.until(text("I take that."));
      assert.deepEqual(await panel.evaluate("[...document.querySelectorAll('.decided--question dd')].map((one) => one.innerText)"), [
        "Danish krone",
        "Price, and 3 weights",
      ]);
      assert.match(await browser.wire(), /call question\.answer/);
    }));

  test("a half-written answer survives the panel's end, and is forgotten once it is given", () =>
    withPanel("question", async (panel) => {
      await panel.until(armed);
      await panel.evaluate("document.querySelectorAll('.question [type=radio]')[1].click()");
      await panel.evaluate("document.querySelectorAll('.question input[type=text]')[1].focus()");
      await panel.type("weights");
      await untilStored(
        panel,
        '(all) => Object.entries(all).some(([key, value]) => key.startsWith("answer:") && value[1].own === "weights")',
      );
      await panel.send("Page.reload");
      await panel.until("document.querySelectorAll('.question input[type=text]')[1]?.value === 'weights'");
      assert.equal(await panel.evaluate("document.querySelectorAll('.question [type=radio]')[1].checked"), true);
      await press(panel, "Answer");
      await panel.until(text("I take that."));
      await untilStored(panel, '(all) => !Object.keys(all).some((key) => key.startsWith("answer:"))');
    }));

  test("a number chooses, Enter answers", () =>
    withPanel("one-question", async (panel) => {
      await panel.until(armed);
      await panel.evaluate("document.querySelector('.question input').focus()");
      await panel.key("2");
      assert.equal(await panel.evaluate("document.querySelectorAll('.question [type=radio]')[1].checked"), true);
      await panel.key("Enter");
      await panel.until(text("It is Right."));
    }));

  test("a question can be left unanswered", () =>
    withPanel("question", async (panel) => {
      await press(panel, "Don’t answer");
      await panel.until(text("I leave it."));
      await panel.until("document.querySelector('.decided--question').innerText.includes('Not answered')");
    }));

  test("a plan is one list that goes on", () =>
    withPanel("plan", async (panel) => {
      await panel.until("document.querySelector('.plan')");
      assert.equal(await panel.evaluate("document.querySelectorAll('.plan').length"), 1);
      assert.equal(await panel.evaluate("document.querySelector('.plan .card__head').innerText.replace(/\\s+/g, ' ')"), "Plan 1 of 4");
      assert.match(await panel.evaluate("document.querySelector('[aria-current=step]').innerText"), /another import/);
    }));

  test("who waits for a free agent is told so, and where the limit is", () =>
    withPanel("slot", async (panel) => {
      await panel.until(text("waiting for a free agent"));
      await press(panel, "Change the limit");
      await panel.until("document.querySelector('[data-setting=\"agents.at-once\"]')");
    }));

  test("messages that wait after a stop go on by a word", () =>
    withPanel("paused", async (panel) => {
      await panel.until("document.querySelector('.queue').innerText.includes('2 messages are waiting')");
      await press(panel, "Continue");
      await panel.until(text("You said Then check the same on a phone’s width."));
    }));

  test("the footer says what a turn used, the status bar what all cost", () =>
    withPanel("usage", async (panel) => {
      await panel.until("document.querySelectorAll('.turn-footer').length === 2");
      assert.equal(await panel.evaluate(facts(0)), "ran without a model 0.4 s");
      assert.equal(await panel.evaluate(facts(1)), "claude code opus 4.1 s $0.03 18.5k tokens");
      assert.match(
        await panel.evaluate("document.querySelectorAll('.turn-footer__facts')[1].title"),
        /4,200 tokens read, 14,000 from the cache, 310 written, context 9 % full/,
      );
      assert.equal(await panel.evaluate("document.querySelector('.statusbar__cost').innerText"), "$0.42");
      assert.match(await panel.evaluate("document.querySelector('.bubble-files').innerText"), /SPRING10 takes 10 % off/);
    }));

  test("what a turn cost is in sight in a panel of 360 pixels, behind the name of a model", () =>
    withPanel("usage", async (panel) => {
      await panel.size(360, 720);
      await panel.until("document.querySelectorAll('.turn-footer').length === 2");
      const shown = `(() => {
        const facts = document.querySelectorAll('.turn-footer__facts')[1];
        const box = facts.getBoundingClientRect();
        return [...facts.children].filter((one) => {
          const { right, bottom } = one.getBoundingClientRect();
          return right <= box.right + 0.5 && bottom <= box.bottom + 0.5;
        }).map((one) => one.innerText);
      })()`;
      assert.deepEqual(await panel.evaluate(shown), ["claude code", "opus", "4.1 s", "$0.03"], "the tokens give way, as a whole");
    }));

  test("an agent that is not installed: the command, and another one instead", () =>
    withPanel("missing", async (panel) => {
      await panel.until("document.querySelector('.card--danger .command')?.innerText.includes('@google/gemini-cli')");
      await press(panel, "Use Codex instead");
      await panel.until(text("You said Which rule sets the width of the cart?."));
    }));

  test("the tab menu: other conversations, the agent's tabs, stop all", () =>
    withPanel("tabs", async (panel, _browser, _page, pages) => {
      await panel.until("document.querySelector('.tabchip__others .live-dot')");
      await panel.evaluate(`new Promise((loaded) => {
      chrome.tabs.onUpdated.addListener((_id, { status }, { url }) => { if (status === "complete" && url.endsWith("/welcome")) loaded(); });
      chrome.tabs.create({ url: "${pages.origin}/welcome", active: false });
    })`);
      await panel.evaluate("document.querySelector('.tabchip').click()");
      assert.equal(await panel.evaluate("document.querySelectorAll('.menu--tabs [data-line^=\"tab \"]').length"), 4);
      await press(panel, "Add a tab");
      await panel.until("document.querySelector('[data-line^=\"add \"]')");
      await panel.evaluate("document.querySelector('[data-line^=\"add \"]').click()");
      await panel.until("document.querySelectorAll('.menu__line').length === 2");
      await panel.evaluate("document.querySelector('.menu__line button').click()");
      await panel.until("document.querySelectorAll('.menu__line').length === 1");
      await press(panel, "Stop all agents");
      await panel.until("document.querySelector('#toast').innerText.includes('Stopped: 2')");
    }));
});
