/**
 * In a tab that an agent works in: a thin frame, its cursor, and a status pill that opens the panel.
 *
 * Owns our one host element with its closed shadow root; what gstack itself draws over the page (refs, outline) is put
 * into the same root. Reads nothing of the page and accepts nothing from it: what is shown comes from the background
 * alone. Injected only where an agent works or a person looks at refs, gone when that has ended.
 */
(() => {
  /** Injected again after each load; within one document the first one stays and reconnects. @type {{ gstackMarks?: { root: ShadowRoot, connect: () => void } }} */
  const world = /** @type {any} */ (globalThis);
  if (world.gstackMarks) return world.gstackMarks.connect();

  // Fixed colours: the page's theme is not ours. Important rules of `:host` win over every style of the page, and the
  // host has no size: nothing of it can be in the way. Its attribute's words are set by the program that drives the page.
  const STYLE = `
    :host { all: initial !important; display: block !important; position: fixed !important; left: 0 !important; top: 0 !important; width: 0 !important;
      height: 0 !important; z-index: 2147483647 !important; pointer-events: none !important; }
    :host([data-gstack~="hidden"]) { display: none !important; }
    :host::backdrop { display: none !important; }
    :host([data-gstack~="yielding"]) .pill { pointer-events: none !important; }
    .frame { position: fixed; inset: 0; box-sizing: border-box; border: 2px solid #f59e0b; box-shadow: inset 0 0 0 1px rgb(0 0 0 / .2); transition: opacity 160ms; }
    .pill { position: fixed; right: 16px; bottom: 16px; max-width: calc(100vw - 32px); box-sizing: border-box; display: inline-flex; align-items: center; gap: 8px; height: 32px; margin: 0; padding: 0 12px;
      border: 1px solid #3f3f46; border-radius: 8px; background: #0c0c0c; color: #d4d4d8; box-shadow: 0 4px 16px rgb(0 0 0 / .25); cursor: pointer; pointer-events: none;
      font: 400 12px/16px "JetBrains Mono", ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, monospace; transition: opacity 250ms; }
    .pill.is-open { pointer-events: auto; }
    .pill:hover { border-color: #71717a; }
    .pill:focus-visible { outline: 2px solid #f59e0b; outline-offset: 2px; }
    .pill b { font-weight: 500; color: #fafafa; white-space: nowrap; }
    .doing { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
    .time { color: #8a8a93; font-size: 11px; font-variant-numeric: tabular-nums; white-space: nowrap; }
    .dot { width: 6px; height: 6px; border-radius: 50%; background: #f59e0b; flex: none; animation: live 1.6s ease-in-out infinite; }
    .cursor { position: fixed; left: 0; top: 0; display: flex; align-items: flex-start; transition: transform 180ms cubic-bezier(.2, 0, 0, 1), opacity 250ms; }
    .cursor svg { width: 24px; height: 24px; margin: -2px 0 0 -4px; display: block; flex: none; filter: drop-shadow(0 1px 2px rgb(0 0 0 / .35)); }
    .cursor.is-there { transition: opacity 250ms; }
    .label { margin: 20px 0 0 -4px; padding: 2px 8px; max-width: 320px; overflow: hidden; text-overflow: ellipsis; border-radius: 4px; background: #f59e0b; color: #0c0c0c; white-space: nowrap;
      font: 500 11px/16px "JetBrains Mono", ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, monospace; }
    .label:empty { display: none; }
    .cursor.is-right { flex-direction: row-reverse; }
    .cursor.is-right .label { margin: 20px -4px 0 0; }
    .ripple { position: fixed; left: -16px; top: -16px; width: 32px; height: 32px; box-sizing: border-box; border: 2px solid #f59e0b; border-radius: 50%; opacity: 0; }
    @keyframes live { 50% { opacity: .35; } }
    .is-idle { opacity: 0; }
    .is-off { display: none; }
    @media (prefers-reduced-motion: reduce) { * { animation: none !important; transition: none !important; } }`;

  /** How long between two steps of an agent nothing is said of them: most follow each other at once. */
  const BETWEEN_STEPS_MS = 600;
  const GLIDE_MS = 180;
  const isEnglish = chrome.i18n.getMessage("language") === "en";
  const still = matchMedia("(prefers-reduced-motion: reduce)");

  /** @param {string} tag @param {string} name @returns {HTMLElement} */
  const make = (tag, name) => Object.assign(document.createElement(tag), { className: name });

  const host = document.createElement("div");
  host.setAttribute("data-gstack", "");
  // In the browser's top layer: dialogs and whatever fills the screen lie there too, above every number. A manual popover takes
  // no focus, closes no other and is not closed by Escape.
  host.popover = "manual";
  const root = host.attachShadow({ mode: "closed" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(STYLE);
  root.adoptedStyleSheets = [sheet];
  const frame = make("div", "frame is-idle");
  const cursor = make("div", "cursor is-idle");
  const label = make("span", "label");
  const ripple = make("div", "ripple is-idle");
  const pill = make("button", "pill is-idle");
  const doing = make("span", "doing");
  const time = make("span", "time");
  const name = document.createElement("b");
  pill.append(make("i", "dot"), name, doing, time);
  pill.title = chrome.i18n.getMessage("openPanel");
  // Our words run as our language does, and the pointer's tip lies left of its label: the page's direction says nothing of them.
  pill.dir = label.dir = chrome.i18n.getMessage("direction");
  cursor.dir = time.dir = "ltr";
  cursor.append(arrow(), label);
  root.append(frame, ripple, cursor, pill);

  function arrow() {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    svg.setAttribute("viewBox", "0 0 20 20");
    const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
    const attributes = {
      d: "M3 2l14 6.2-6 2.3-2.6 6z",
      fill: "#f59e0b",
      stroke: "#0c0c0c",
      "stroke-width": "1.5",
      "stroke-linejoin": "round",
    };
    for (const [key, value] of Object.entries(attributes)) path.setAttribute(key, value);
    svg.append(path);
    return svg;
  }

  // Nothing of ours reaches the page's listeners, but for those on the window that were there before us: they see that
  // something came to our element, and not what. Only a person's own click opens the panel.
  for (const type of [
    "pointerdown",
    "pointerup",
    "mousedown",
    "mouseup",
    "click",
    "auxclick",
    "dblclick",
    "contextmenu",
    "keydown",
    "keyup",
    "keypress",
    "beforetoggle",
    "toggle",
  ]) {
    addEventListener(
      type,
      (event) => {
        if (event.target !== host) return;
        event.stopImmediatePropagation();
        const opens =
          type === "click" || (event instanceof KeyboardEvent && type === "keydown" && (event.key === "Enter" || event.key === " "));
        if (opens && event.isTrusted) void chrome.runtime.sendMessage({ type: "open-panel" });
      },
      { capture: true },
    );
  }

  /** Puts the host into the page, above all else that is in the top layer now. */
  function lift() {
    if (!host.isConnected) document.documentElement.append(host);
    if (host.matches(":popover-open")) host.hidePopover();
    host.showPopover();
  }

  // What comes into the top layer comes above what is there. (Dialogs tell of it themselves only since Chrome 132.)
  const lifted = () => {
    if (host.isConnected) lift();
  };
  const opened = new MutationObserver((records) => {
    if (records.some(({ target }) => target instanceof HTMLDialogElement && target.open)) lifted();
  });
  opened.observe(document, { subtree: true, attributeFilter: ["open"] });
  document.addEventListener(
    "toggle",
    ({ target }) => {
      if (target !== host) lifted();
    },
    { capture: true },
  );
  document.addEventListener("fullscreenchange", lifted);

  let since = 0;
  /** @type {ReturnType<typeof setInterval> | undefined} */ let clock;
  /** @type {ReturnType<typeof setTimeout> | undefined} */ let pause;
  const tick = () => {
    const seconds = Math.max(0, Math.round((Date.now() - since) / 1000));
    time.textContent = seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min`;
  };

  /** @param {{ since: number, agent: string, doing: string, waiting: boolean, shows: { cursor: boolean, pill: boolean } }} state */
  function work(state) {
    for (const part of [frame, cursor, ripple]) part.classList.toggle("is-off", !state.shows.cursor);
    pill.classList.toggle("is-off", !state.shows.pill);
    since = state.since;
    name.textContent = state.agent;
    clearTimeout(pause);
    if (state.waiting) say(chrome.i18n.getMessage("pillWaits"), true);
    else if (state.doing) say(state.doing, false);
    else pause = setTimeout(() => say(chrome.i18n.getMessage("pillThinks"), true), BETWEEN_STEPS_MS);
    lift();
    frame.classList.toggle("is-idle", state.waiting);
    if (state.waiting) cursor.classList.add("is-idle");
    pill.classList.remove("is-idle");
    clearInterval(clock);
    clock = setInterval(tick, 1000);
    tick();
  }

  /** `open`: no action is under way, so the pill may be clicked; else it yields to what the agent does. @param {string} words @param {boolean} open */
  function say(words, open) {
    doing.textContent = lowerFirst(words);
    label.textContent = open ? "" : words;
    pill.classList.toggle("is-open", open);
  }

  /** Only English is known to begin with a word that is written small. @param {string} words  after the agent's name */
  function lowerFirst(words) {
    return isEnglish ? words.charAt(0).toLowerCase() + words.slice(1) : words;
  }

  /** The agent's pointer goes there. @param {{ x: number, y: number, pressed: boolean }} at */
  function act({ x, y, pressed }) {
    if (pill.classList.contains("is-idle")) return;
    const appears = cursor.classList.contains("is-idle");
    // The first time it is simply there: it comes from nowhere.
    cursor.classList.toggle("is-there", appears);
    cursor.classList.toggle("is-right", x > innerWidth - 180);
    const right = cursor.classList.contains("is-right") ? ` translateX(calc(-100% + 20px))` : "";
    cursor.style.transform = `translate(${x}px, ${y}px)${right}`;
    cursor.classList.remove("is-idle");
    if (!pressed || still.matches) return;
    ripple.style.transform = `translate(${x}px, ${y}px)`;
    ripple.animate(
      [
        { opacity: 0.9, scale: 0.3 },
        { opacity: 0, scale: 1.4 },
      ],
      { duration: 420, delay: appears ? 0 : GLIDE_MS, easing: "ease-out" },
    );
  }

  function rest() {
    clearInterval(clock);
    clearTimeout(pause);
    for (const part of [frame, cursor, pill]) part.classList.add("is-idle");
    pill.classList.remove("is-open");
    // Out of the page once it has faded; without transitions at once. Refs that are shown stay.
    void Promise.allSettled(pill.getAnimations().map((animation) => animation.finished)).then(() => {
      if ([...root.children].every((child) => child.classList.contains("is-idle"))) host.remove();
    });
  }

  let connected = false;
  function connect() {
    if (connected) return;
    connected = true;
    const port = chrome.runtime.connect({ name: "marks" });
    port.onMessage.addListener((message) => {
      if (message.type === "working") work(message);
      else if (message.type === "acting") act(message);
      else rest();
    });
    // The worker stopped, or the extension was updated: nobody would take the marks away.
    port.onDisconnect.addListener(() => {
      connected = false;
      rest();
    });
  }
  world.gstackMarks = { root, connect };
  connect();
})();
