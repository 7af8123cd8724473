/**
 * The parts of the page in view that can go with a message: its text, its selection, a screenshot.
 *
 * Owns reading the page: each read happens once and only at a person's request.
 * @import { Connection } from "./connection.js"
 * @import { TabView } from "./state/panel-state.js"
 * @import { Shot } from "./view/attachments.js"
 */
import { FaultError } from "../shared/fault.js";
import { t } from "../shared/i18n.js";
import { pageContext, selectionContext } from "./state/context.js";
import { SAID } from "../shared/fault-words.js";
import { shownText } from "../shared/page-text.js";

/** Runs in the page's isolated world, so it must be self-contained. */
function selected() {
  const field = document.activeElement;
  const inField =
    field instanceof HTMLTextAreaElement ||
    (field instanceof HTMLInputElement && field.type !== "password" && field.selectionStart !== null)
      ? field.value.slice(field.selectionStart ?? 0, field.selectionEnd ?? 0)
      : "";
  return { text: inField || String(getSelection() ?? "") };
}

/** @param {number} tabId @param {() => { text: string }} look @param {boolean} allFrames */
async function textOf(tabId, look, allFrames) {
  try {
    const answers = await chrome.scripting.executeScript({ target: { tabId, allFrames }, func: look });
    return answers.map(({ result }) => result?.text ?? "").find((text) => text.trim() !== "") ?? "";
  } catch {
    throw new FaultError({ code: "forbidden", message: t("pageClosed"), words: SAID, hint: t("pageClosedHint") });
  }
}

/** @param {TabView} tab */
export async function attachPage(tab) {
  return pageContext(tab, await textOf(tab.chromeTabId, shownText, false));
}

/** @param {TabView} tab */
export async function attachSelection(tab) {
  const text = await textOf(tab.chromeTabId, selected, true);
  if (!text) throw new FaultError({ code: "not-found", message: t("nothingSelected"), words: SAID, hint: t("nothingSelectedHint") });
  return selectionContext(text);
}

/**
 * Takes a screenshot of the visible page. It stays with the daemon until the message is sent.
 * @param {Connection} connection
 * @param {TabView} tab
 * @returns {Promise<Shot>}
 */
export async function attachScreenshot(connection, { chromeTabId, title }) {
  const { files } = await connection.request("command.run", { chromeTabId, command: "screenshot", args: ["--viewport"] });
  const path = files?.[0];
  if (!path) throw new FaultError({ code: "internal", message: t("noScreenshot"), words: SAID });
  return { kind: "shot", attachment: { name: `${title || t("screenshot")}.png`, mime: "image/png", path } };
}
