/**
 * Frames of other extensions in pages: while one is there, Chrome refuses every attachment to its tab.
 *
 * Owns which frames are taken out of a page, and putting them back. Never does so by itself: the person allows it.
 */

import { shownText } from "../shared/page-text.js";

/** @typedef {{ frame: HTMLIFrameElement, parent: Node, next: Node | null }} Aside */

/** Takes other extensions' frames out of a tab's documents. @param {number} tabId */
export async function setAside(tabId) {
  await chrome.scripting.executeScript({
    target: { tabId, allFrames: true },
    func: takeOut,
    args: [chrome.runtime.getURL("")],
    injectImmediately: true,
  });
}

/** Puts the frames back, which load again. @param {number} tabId */
export async function putBack(tabId) {
  await chrome.scripting.executeScript({ target: { tabId, allFrames: true }, func: putIn, injectImmediately: true }).catch(() => {
    // The tab or its page is gone, and the frames with it.
  });
}

/** Returns the address of a tab's page and the text that it shows. @param {number} tabId */
export async function readText(tabId) {
  const [{ result }] = await chrome.scripting.executeScript({ target: { tabId }, func: shownText, injectImmediately: true });
  return result;
}

/* The functions below run in the page, in our own world, where nothing else of this file exists. */

/** @param {string} own */
function takeOut(own) {
  const world = /** @type {{ gstackAside?: Aside[] }} */ (globalThis);
  world.gstackAside ??= [];
  const kept = world.gstackAside;
  /** @param {Document | ShadowRoot} root */
  const look = (root) => {
    const { querySelectorAll } = root instanceof Document ? Document.prototype : DocumentFragment.prototype;
    for (const element of querySelectorAll.call(root, "*")) {
      const inside = element instanceof HTMLElement ? chrome.dom.openOrClosedShadowRoot(element) : null;
      if (inside) look(inside);
      if (!(element instanceof HTMLIFrameElement) || !element.src.startsWith("chrome-extension://") || element.src.startsWith(own))
        continue;
      if (element.parentNode) kept.push({ frame: element, parent: element.parentNode, next: element.nextSibling });
      element.remove();
    }
  };
  look(document);
}

function putIn() {
  const world = /** @type {{ gstackAside?: Aside[] }} */ (globalThis);
  for (const { frame, parent, next } of (world.gstackAside ?? []).reverse()) {
    if (!frame.isConnected && parent.isConnected) parent.insertBefore(frame, next?.parentNode === parent ? next : null);
  }
  world.gstackAside = [];
}
