/** Several calls of one turn that wait at once form one card: only what is visible is allowed. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { armed, options, press, withPanel } from "./with-panel.mjs";

const group = "document.querySelector('.approval--group')";
const answers = async (browser) => [...(await browser.wire()).matchAll(/^answered (.*)$/gm)].map(([, one]) => JSON.parse(one));
const write = (panel, index, text) =>
  panel.evaluate(`{
  const field = document.querySelectorAll(".asked-text")[${index}];
  field.focus();
  field.value = ${JSON.stringify(text)};
  field.dispatchEvent(new Event("input", { bubbles: true }));
}`);

describe("calls that wait together", options, () => {
  test("are one card that says all of it, and what sends the form is not chosen", () =>
    withPanel("together", async (panel) => {
      await panel.until(armed);
      assert.equal(await panel.evaluate("document.querySelectorAll('.approval').length"), 1);
      const headline = await panel.evaluate("document.querySelector('.approval__ask').innerText");
      assert.equal(headline, "Fill 2 fields, then click “Place order”");
      assert.deepEqual(await panel.evaluate("[...document.querySelectorAll('.asked input')].map(({ checked }) => checked)"), [
        true,
        true,
        false,
      ]);
      assert.deepEqual(await panel.evaluate("[...document.querySelectorAll('.asked-text')].map(({ value }) => value)"), [
        "Ada Lovelace",
        "Grasmere",
      ]);
      // A step that waits for permission does not look as if it ran: no spinner, no time.
      const waiting = await panel.evaluate(
        "[...document.querySelectorAll('.step')].map((one) => [one.className, one.querySelector('.step__time').innerText])",
      );
      assert.deepEqual(waiting, Array(3).fill(["step step--waiting", ""]));
      assert.match(
        await panel.evaluate("document.querySelector('.asked__line:last-child').innerText"),
        /button “Place order”[^]*https:\/\/shop\.example\/order/,
      );
      // A step that began with a selector has its element's name.
      assert.equal(
        await panel.evaluate("[...document.querySelectorAll('.step__label')].map(({ innerText }) => innerText).includes('Filling Town')"),
        true,
      );
    }));

  test("texts that are longer than the panel are reached as a whole: what is cut off scrolls, and no line is cut", () =>
    withPanel("together-long", async (panel) => {
      await panel.until(`${armed} && document.querySelectorAll(".asked__line").length === 2`);
      /**
       * Scrolls the words into view as a person does, and returns whether they are visible: neither outside the window
       * nor clipped.
       */
      const reached = (words) =>
        panel.evaluate(`(() => {
      const walker = document.createTreeWalker(${group}, NodeFilter.SHOW_TEXT);
      let node = walker.nextNode();
      while (node && !node.data.includes(${JSON.stringify(words)})) node = walker.nextNode();
      if (!node) return "not there";
      const at = node.data.indexOf(${JSON.stringify(words)});
      const range = document.createRange();
      range.setStart(node, at);
      range.setEnd(node, at + ${words.length});
      const inSight = (box) => {
        const words = range.getBoundingClientRect();
        const across = words.left >= box.left - 1 && words.right <= box.right + 1;
        return words.width > 0 && across && words.top >= box.top - 1 && words.bottom <= box.bottom + 1;
      };
      for (let holder = node.parentElement; holder; holder = holder.parentElement) {
        const { overflowY, overflowX } = getComputedStyle(holder);
        if (overflowY === "visible" && overflowX === "visible") continue;
        const words = range.getBoundingClientRect();
        const box = holder.getBoundingClientRect();
        if (overflowY === "auto" || overflowY === "scroll") holder.scrollTop += words.bottom - box.bottom + 8;
        if (!inSight(holder.getBoundingClientRect())) return "cut by ." + holder.className;
      }
      return inSight({ left: 0, top: 0, right: innerWidth, bottom: innerHeight }) ? "in sight" : "outside of the window";
    })()`);
      for (const words of ["The last word of the reason", "the-last-word-of-the-address", "the last word of the name"])
        assert.equal(await reached(words), "in sight", words);
      const field = await panel.evaluate(`(() => {
      const field = ${group}.querySelector(".asked-text");
      field.scrollTop = 1e6;
      return {
        value: field.value.endsWith("The last word of the text"),
        end: field.scrollTop + field.clientHeight >= field.scrollHeight - 1,
        wide: field.scrollWidth <= field.clientWidth,
        scrolls: getComputedStyle(field).overflowY,
      };
    })()`);
      assert.deepEqual(field, { value: true, end: true, wide: true, scrolls: "auto" });
      // The buttons are reachable as well, and the answer still shows its effect.
      for (const words of ["Allow 1 chosen", "Deny all"]) assert.equal(await reached(words), "in sight", words);
    }));

  test("what the person wrote is what is sent, in order, and the form stays asked about on its own", () =>
    withPanel("together", async (panel, browser) => {
      await panel.until(armed);
      await write(panel, 1, "Ambleside");
      await press(panel, "Allow 2 chosen");
      await panel.until("!document.querySelector('.approval--group') && document.querySelectorAll('.approval').length === 1");
      assert.deepEqual(await answers(browser), [
        { ask: "Fill “Full name”", decision: "allow-once" },
        { ask: "Fill “Town”", decision: "allow-once", text: "Ambleside" },
      ]);
      assert.match(await panel.evaluate("document.querySelector('.approval').innerText"), /Place order/);
      // The remaining card is new, so it takes no answer at first.
      assert.equal(await panel.evaluate("document.querySelector('.approval').classList.contains('is-arming')"), true);
    }));

  test("denying answers all of them, and one that is unchosen stays open", () =>
    withPanel("together", async (panel, browser) => {
      await panel.until(armed);
      await panel.evaluate(`${group}.querySelector("input").click()`);
      await panel.until(`${group}.querySelector("[data-choice=allow]").innerText.includes("Allow 1 chosen")`);
      await press(panel, "Deny all");
      await panel.until("!document.querySelector('.approval')");
      assert.deepEqual(
        (await answers(browser)).map(({ decision, text }) => [decision, text]),
        [
          ["deny", undefined],
          ["deny", undefined],
          ["deny", undefined],
        ],
      );
    }));

  test("a number typed into a text of the card decides nothing, and Enter neither sends nor breaks the line", () =>
    withPanel("together", async (panel, browser) => {
      await panel.until(armed);
      await panel.evaluate("document.querySelector('.asked-text').focus()");
      await panel.key("1");
      await panel.key("Enter");
      assert.equal(await panel.evaluate("document.querySelector('.asked-text').value"), "Ada Lovelace1");
      assert.deepEqual(await answers(browser), []);
      assert.notEqual(await panel.evaluate(group), null);
    }));

  for (const [language, ask, step] of [
    ["de", "2 Felder ausfüllen, dann: „Place order“ anklicken", "Town ausfüllen"],
    ["ja", "2 個の項目に入力、その後 「Place order」 をクリック", "Town に入力"],
  ]) {
    test(`steps and cards are said in the panel's language: ${language}`, () =>
      withPanel(
        "together",
        async (panel) => {
          await panel.until(armed);
          assert.equal(await panel.evaluate("document.querySelector('.approval__ask').innerText"), ask);
          assert.equal(
            await panel.evaluate(
              `[...document.querySelectorAll('.step__label')].some(({ innerText }) => innerText === ${JSON.stringify(step)})`,
            ),
            true,
          );
          assert.equal(
            await panel.evaluate("[...document.querySelectorAll('.step__label b')].some(({ innerText }) => innerText === 'Town')"),
            true,
          );
        },
        { language },
      ));
  }
});
