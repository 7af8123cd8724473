/** Several calls of one turn that wait at once are one card: what is in sight is what is allowed. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { armed, options, press, withPanel } from "./with-panel.mjs";

const group = "document.querySelector('.approval--group')";
const answers = async (browser) => [...(await browser.wire()).matchAll(/^answered (.*)$/gm)].map(([, one]) => JSON.parse(one));
const write = (panel, index, text) => panel.evaluate(`{
  const field = document.querySelectorAll(".asked-text")[${index}];
  field.focus();
  field.value = ${JSON.stringify(text)};
  field.dispatchEvent(new Event("input", { bubbles: true }));
}`);

describe("calls that wait together", options, () => {
  test("are one card that says all of it, and what sends the form is not chosen", () => withPanel("together", async (panel) => {
    await panel.until(armed);
    assert.equal(await panel.evaluate("document.querySelectorAll('.approval').length"), 1);
    assert.equal(await panel.evaluate("document.querySelector('.approval__ask').innerText"), "Fill 2 fields, then click “Place order”");
    assert.deepEqual(await panel.evaluate("[...document.querySelectorAll('.asked input')].map(({ checked }) => checked)"), [true, true, false]);
    assert.deepEqual(await panel.evaluate("[...document.querySelectorAll('.asked-text')].map(({ value }) => value)"), ["Ada Lovelace", "Grasmere"]);
    assert.match(await panel.evaluate("document.querySelector('.asked__line:last-child').innerText"), /click @e9[^]*Place order[^]*https:\/\/shop\.example\/order/);
    // A step that began with a selector has its element's name.
    assert.equal(await panel.evaluate("[...document.querySelectorAll('.step__label')].map(({ innerText }) => innerText).includes('Filling Town')"), true);
  }));

  test("what the person wrote is what is sent, in order, and the form stays asked about on its own", () => withPanel("together", async (panel, browser) => {
    await panel.until(armed);
    await write(panel, 1, "Ambleside");
    await press(panel, "Allow 2 chosen");
    await panel.until("!document.querySelector('.approval--group') && document.querySelectorAll('.approval').length === 1");
    assert.deepEqual(await answers(browser), [{ ask: "Fill “Full name”", decision: "allow-once" }, { ask: "Fill “Town”", decision: "allow-once", text: "Ambleside" }]);
    assert.match(await panel.evaluate("document.querySelector('.approval').innerText"), /Place order/);
    // The card that is left is a new one: it takes no answer in its first moment.
    assert.equal(await panel.evaluate("document.querySelector('.approval').classList.contains('is-arming')"), true);
  }));

  test("denying answers all of them, and one that is unchosen stays open", () => withPanel("together", async (panel, browser) => {
    await panel.until(armed);
    await panel.evaluate(`${group}.querySelector("input").click()`);
    await panel.until(`${group}.querySelector("[data-choice=allow]").innerText.includes("Allow 1 chosen")`);
    await press(panel, "Deny all");
    await panel.until("!document.querySelector('.approval')");
    assert.deepEqual((await answers(browser)).map(({ decision, text }) => [decision, text]), [["deny", undefined], ["deny", undefined], ["deny", undefined]]);
  }));

  test("a number typed into a text of the card decides nothing, and Enter neither sends nor breaks the line", () => withPanel("together", async (panel, browser) => {
    await panel.until(armed);
    await panel.evaluate("document.querySelector('.asked-text').focus()");
    await panel.key("1");
    await panel.key("Enter");
    assert.equal(await panel.evaluate("document.querySelector('.asked-text').value"), "Ada Lovelace1");
    assert.deepEqual(await answers(browser), []);
    assert.notEqual(await panel.evaluate(group), null);
  }));

  for (const [language, ask, step] of [["de", "2 Felder ausfüllen, dann “Place order” anklicken", "Town ausfüllen"], ["ja", "2 個の項目に入力、その後 “Place order” をクリック", "Town に入力"]]) {
    test(`steps and cards are said in the panel's language: ${language}`, () => withPanel("together", async (panel) => {
      await panel.until(armed);
      assert.equal(await panel.evaluate("document.querySelector('.approval__ask').innerText"), ask);
      assert.equal(await panel.evaluate(`[...document.querySelectorAll('.step__label')].some(({ innerText }) => innerText === ${JSON.stringify(step)})`), true);
      assert.equal(await panel.evaluate("[...document.querySelectorAll('.step__label b')].some(({ innerText }) => innerText === 'Town')"), true);
    }, { language }));
  }
});
