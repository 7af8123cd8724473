/**
 * In a tab that an agent works in: a thin frame and a status pill that opens the panel.
 *
 * Owns one host element with a closed shadow root. Reads nothing of the page and accepts nothing from it:
 * what is shown comes from the background alone. Injected only where an agent works, gone when it has ended.
 */
(() => {
  /** Injected again after each load; within one document the first one stays and connects anew. @type {{ gstackMarks?: () => void }} */
  const world = /** @type {any} */ (globalThis);
  if (world.gstackMarks) return world.gstackMarks();

  // Fixed colours: the page's theme is not ours. `all: initial` keeps the page's inherited styles out.
  const STYLE = `
    :host { all: initial !important; position: fixed !important; inset: 0 !important; z-index: 2147483647 !important; pointer-events: none !important; }
    .frame { position: absolute; inset: 0; border: 2px solid #f59e0b; box-shadow: inset 0 0 0 1px rgb(0 0 0 / .2); transition: opacity 160ms; }
    .pill { position: absolute; right: 16px; bottom: 16px; max-width: calc(100% - 32px); box-sizing: border-box; display: inline-flex; align-items: center; gap: 8px; height: 32px; padding: 0 12px;
      border: 1px solid #3f3f46; border-radius: 8px; background: #0c0c0c; color: #d4d4d8; box-shadow: 0 4px 16px rgb(0 0 0 / .25); cursor: pointer;
      font: 400 12px/16px "JetBrains Mono", ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, monospace; transition: opacity 250ms; }
    .pill:focus-visible { outline: 2px solid #f59e0b; outline-offset: 2px; }
    .pill b { font-weight: 500; color: #fafafa; }
    .doing { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
    .time { color: #8a8a93; font-size: 11px; font-variant-numeric: tabular-nums; }
    .dot { width: 6px; height: 6px; border-radius: 50%; background: #f59e0b; flex: none; animation: live 1.6s ease-in-out infinite; }
    @keyframes live { 50% { opacity: .35; } }
    .is-idle { opacity: 0; }
    @media (prefers-reduced-motion: reduce) { * { animation: none !important; transition: none !important; } }`;

  /** @param {string} tag @param {string} name */
  const make = (tag, name) => Object.assign(document.createElement(tag), { className: name });

  const host = document.createElement("div");
  host.setAttribute("data-gstack", "");
  const root = host.attachShadow({ mode: "closed" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(STYLE);
  root.adoptedStyleSheets = [sheet];
  const frame = make("div", "frame is-idle");
  const pill = make("button", "pill is-idle");
  const doing = make("span", "doing");
  const time = make("span", "time");
  const name = document.createElement("b");
  name.textContent = "gstack";
  pill.append(make("i", "dot"), name, doing, time);
  root.append(frame, pill);
  pill.addEventListener("click", (event) => {
    if (event.isTrusted) void chrome.runtime.sendMessage({ type: "open-panel" });
  });

  let since = 0;
  /** @type {ReturnType<typeof setInterval> | undefined} */
  let clock;
  const tick = () => {
    const seconds = Math.max(0, Math.round((Date.now() - since) / 1000));
    time.textContent = seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min`;
  };

  /** @param {{ since: number, doing: string, waiting: boolean }} state */
  function work(state) {
    since = state.since;
    doing.textContent = state.doing;
    if (!host.isConnected) document.documentElement.append(host);
    frame.classList.toggle("is-idle", state.waiting);
    pill.classList.remove("is-idle");
    // An agent's click at this spot must reach the page, so the pill yields unless a person is awaited.
    pill.style.pointerEvents = state.waiting ? "auto" : "none";
    pill.title = chrome.i18n.getMessage("openPanel");
    clearInterval(clock);
    clock = setInterval(tick, 1000);
    tick();
  }

  function rest() {
    clearInterval(clock);
    frame.classList.add("is-idle");
    pill.classList.add("is-idle");
    pill.style.pointerEvents = "none";
    // Out of the page once it has faded; without transitions at once.
    Promise.allSettled(pill.getAnimations().map((animation) => animation.finished)).then(() => {
      if (pill.classList.contains("is-idle")) host.remove();
    });
  }

  let connected = false;
  world.gstackMarks = () => {
    if (connected) return;
    connected = true;
    const port = chrome.runtime.connect({ name: "marks" });
    port.onMessage.addListener((message) => {
      if (message.type === "working") work(message);
      else rest();
    });
    // The worker stopped, or the extension was updated: nobody would take the marks away.
    port.onDisconnect.addListener(() => {
      connected = false;
      rest();
    });
  };
  world.gstackMarks();
})();
