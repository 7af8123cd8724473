/**
 * On gstack's own welcome page: reports on which side the panel opens, and fires one event when the panel of this
 * window is connected, and puts the suggestion that a person clicks into the panel's message box.
 *
 * Any program of this machine can serve such a page, so the page chooses no text: it is one of the panel's own, by its
 * number, after a person's own click. Nothing is sent.
 */
(() => {
  const port = chrome.runtime.connect({ name: "welcome" });
  port.onMessage.addListener((message) => {
    if (message.type === "side") document.documentElement.dataset.panelSide = message.side === "left" ? "left" : "right";
    if (message.type !== "ready") return;
    const tell = () => document.dispatchEvent(new Event("gstack-extension-ready"));
    if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", tell, { once: true });
    else tell();
    port.disconnect();
  });
  document.addEventListener("click", ({ isTrusted, target }) => {
    const row = isTrusted && target instanceof Element ? target.closest("[data-suggestion]") : null;
    const number = Number(row?.getAttribute("data-suggestion"));
    if (row && Number.isSafeInteger(number)) void chrome.runtime.sendMessage({ type: "suggest", number });
  });
})();
