/**
 * A panel of the real extension in a real Chromium, for one test: with a fake host, and everything removed afterwards.
 *
 * An exception in the panel or a violation of its CSP fails the test.
 */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { after } from "node:test";
import { endSharedBrowser, freshBrowser } from "./shared-browser.mjs";
import { site } from "./site.mjs";

const program = process.env.GSTACK_TEST_CHROMIUM ?? "/usr/bin/chromium";
export const options = { skip: !existsSync(program) && "no Chromium", concurrency: 1, timeout: 480_000 };
export const composer = "document.querySelector('.composer__text')";
/** An expression: the conversation shows this. */
export const text = (part) => `document.querySelector("#conversation").innerText.includes(${JSON.stringify(part)})`;

after(endSharedBrowser);

/** Runs with the panel of a browser that shows `path` of the test's site. */
export async function withPanel(scenario, run, { path = "/cart", tolerated, ...more } = {}) {
  const pages = await site();
  const browser = await freshBrowser({ scenario, program, ...more });
  const errors = [];
  browser.pipe.on(({ method, params }) => {
    if (method === "Runtime.exceptionThrown") errors.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
    if (method === "Log.entryAdded" && params.entry.level === "error") errors.push(params.entry.text);
  });
  try {
    const page = await browser.page();
    await page.send("Page.enable");
    await page.send("Page.navigate", { url: pages.origin + path });
    const panel = await browser.openPanel();
    await panel.send("Log.enable");
    await panel.theme("dark");
    await run(panel, browser, page, pages);
    assert.deepEqual(
      [...new Set(errors)].filter((error) => !tolerated?.test(error)),
      [],
    );
  } catch (error) {
    await endSharedBrowser();
    throw error;
  } finally {
    await pages.close();
  }
}

/** Types a message and presses Enter. */
export async function say(panel, words) {
  await panel.evaluate(`${composer}.focus()`);
  await panel.type(words);
  await panel.key("Enter");
}

/** An expression: a card waits and accepts an answer. */
export const armed = "document.querySelector('.approval:not(.is-arming), .question:not(.is-arming)')";

/** Presses the button with this text or label, once it is active. */
export async function press(panel, words) {
  const find = `[...document.querySelectorAll("button, summary")].find((one) => one.checkVisibility()
    && (one.getAttribute("aria-label") ?? one.innerText).includes(${JSON.stringify(words)}))`;
  await panel.until(`${find} && !${find}.disabled && !${find}.closest(".is-arming")`);
  await panel.evaluate(`${find}.click()`);
}

/**
 * Settles when the extension's storage meets the condition.
 * @param {string} condition  a function of its whole content
 */
export function untilStored(panel, condition) {
  return panel.evaluate(`new Promise((stored) => {
    const look = async () => {
      if (!(${condition})(await chrome.storage.local.get(null))) return;
      chrome.storage.onChanged.removeListener(look);
      stored(true);
    };
    chrome.storage.onChanged.addListener(look);
    void look();
  })`);
}
