/** The text of a page that a person attaches, and that `text` reads where no debugger may attach: read by the real extension. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { options, withPanel } from "./with-panel.mjs";

/** Reads a page as the panel does, after its body became this. */
function reading(body, check) {
  return withPanel("usual", async (panel, _browser, page) => {
    await page.evaluate(`document.body.innerHTML = ${JSON.stringify(body)}`);
    const read = async () =>
      panel.evaluate(`(async () => {
        const { shownText } = await import("/shared/page-text.js");
        const [{ id }] = await chrome.tabs.query({ url: "http://127.0.0.1/*" });
        const [{ result }] = await chrome.scripting.executeScript({ target: { tabId: id }, func: shownText });
        return result;
      })()`);
    await check(read, page);
  });
}

const later = (text, inside = "") => `<section style="content-visibility: auto"><p>${text}</p>${inside}</section>`;
const words = (text) => text.split(/\s+/).filter(Boolean);

describe("the text of a page", options, () => {
  test("has what is not drawn before it is scrolled to, in its order, and nothing that is hidden", () =>
    reading(
      `<p>first</p><div style="height: 9000px"></div>${later("second", later("third"))}<p>fourth</p>` +
        `${later("fifth", "<p hidden>never</p>")}<div style="content-visibility: hidden">nor this</div>`,
      async (read, page) => {
        assert.doesNotMatch(await page.evaluate("document.body.innerText"), /second|third|fifth/, "Chromium leaves it out");
        const { url, text } = await read();
        assert.deepEqual(words(text), ["first", "second", "third", "fourth", "fifth"]);
        assert.equal(url, await page.evaluate("location.href"));
      },
    ));

  test("leaves the page as it was", () =>
    reading(`<div style="height: 9000px"></div>${later("far")}`, async (read, page) => {
      await page.evaluate(`{
        globalThis.changes = 0;
        new MutationObserver((records) => { changes += records.length; })
          .observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
        const sheet = new CSSStyleSheet();
        sheet.replaceSync("p { color: red }");
        document.adoptedStyleSheets = [sheet];
      }`);
      assert.deepEqual(words((await read()).text), ["far"]);
      assert.deepEqual(
        await page.evaluate(`[changes, document.adoptedStyleSheets.length, document.adoptedStyleSheets[0].cssRules[0].cssText,
          getComputedStyle(document.querySelector("section")).contentVisibility, scrollY]`),
        [0, 1, "p { color: red; }", "auto", 0],
      );
    }));

  test("is that of the document, whatever the names of its elements are", () =>
    reading(
      `<img name="body"><form name="querySelectorAll"><input name="parentElement"></form><form name="adoptedStyleSheets"></form>` +
        `<div style="height: 9000px"></div><form>${later("far")}<input name="children"></form>`,
      async (read) => assert.deepEqual(words((await read()).text), ["far"]),
    ));
});
