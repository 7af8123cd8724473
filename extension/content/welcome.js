/**
 * On gstack's own welcome page: says by one event that the panel of this window is connected.
 *
 * Listens to the background alone. The page can neither ask nor answer anything here.
 */
(() => {
  const port = chrome.runtime.connect({ name: "welcome" });
  port.onMessage.addListener(() => {
    const tell = () => document.dispatchEvent(new Event("gstack-extension-ready"));
    if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", tell, { once: true });
    else tell();
    port.disconnect();
  });
})();
