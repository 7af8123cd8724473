/**
 * On gstack's own welcome page: reports on which side the panel opens, and fires one event when the panel of this
 * window is connected.
 *
 * Listens to the background alone. The page can neither request nor answer anything here.
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
})();
