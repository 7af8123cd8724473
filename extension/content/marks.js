/**
 * The marks in a tab that an agent works in: a thin frame, the agent's cursor, and a status pill that opens the panel.
 *
 * Owns our single host element with its closed shadow root. What gstack itself draws over the page (refs, outline) goes
 * into the same root. Reads nothing from the page and accepts nothing from it: everything shown comes from the
 * background. Injected only while an agent works or a person views refs, and removed afterwards.
 */
(() => {
  /**
   * Injected again after each load. Within one document the first instance stays and reconnects.
   * @type {{ gstackMarks?: { root: ShadowRoot, connect: () => void } }}
   */
  const world = /** @type {any} */ (globalThis);
  if (world.gstackMarks) return world.gstackMarks.connect();

  // Fixed colours, because the page's theme is not ours. `!important` rules of `:host` win over every style of the
  // page, and the host has no size, so it cannot cover anything. The text of its attribute is set by the program that
  // drives the page.
  const STYLE = `
    :host { all: initial !important; display: block !important; position: fixed !important; left: 0 !important;
      top: 0 !important; width: 0 !important;
      height: 0 !important; z-index: 2147483647 !important; pointer-events: none !important; }
    :host([data-gstack~="hidden"]) { display: none !important; }
    :host::backdrop { display: none !important; }
    :host([data-gstack~="yielding"]) .pill { pointer-events: none !important; }
    .frame { position: fixed; inset: 0; box-sizing: border-box; border: 2px solid #f59e0b;
      box-shadow: inset 0 0 0 1px rgb(0 0 0 / .2); transition: opacity 160ms; }
    .pill { position: fixed; right: 16px; bottom: 16px; max-width: calc(100vw - 32px); box-sizing: border-box;
      display: inline-flex; align-items: center; gap: 8px; height: 32px; margin: 0; padding: 0 12px;
      border: 1px solid #3f3f46; border-radius: 8px; background: #0c0c0c; color: #d4d4d8;
      box-shadow: 0 4px 16px rgb(0 0 0 / .25); cursor: pointer; pointer-events: none;
      font: 400 12px/16px "JetBrains Mono", ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, monospace;
      transition: opacity 250ms; }
    .pill.is-open { pointer-events: auto; }
    .pill:hover { border-color: #71717a; }
    .pill:focus-visible { outline: 2px solid #f59e0b; outline-offset: 2px; }
    .pill b { font-weight: 500; color: #fafafa; white-space: nowrap; }
    .doing { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
    .time { color: #8a8a93; font-size: 11px; font-variant-numeric: tabular-nums; white-space: nowrap; }
    .dot { width: 6px; height: 6px; border-radius: 50%; background: #f59e0b; flex: none; animation: live 1.6s ease-in-out infinite; }
    .pill.is-paused .dot { animation: none; background: #8a8a93; }
    .cursor { position: fixed; left: 0; top: 0; display: flex; align-items: flex-start;
      transition: transform 180ms cubic-bezier(.2, 0, 0, 1), opacity 250ms; }
    .cursor svg { width: 24px; height: 24px; margin: -2px 0 0 -4px; display: block; flex: none;
      filter: drop-shadow(0 1px 2px rgb(0 0 0 / .35)); }
    .cursor.is-there { transition: opacity 250ms; }
    .label { margin: 20px 0 0 -4px; padding: 2px 8px; max-width: 320px; overflow: hidden; text-overflow: ellipsis;
      border-radius: 4px; background: #f59e0b; color: #0c0c0c; white-space: nowrap;
      font: 500 11px/16px "JetBrains Mono", ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, monospace; }
    .label:empty { display: none; }
    .cursor.is-right { flex-direction: row-reverse; }
    .cursor.is-right .label { margin: 20px -4px 0 0; }
    .ripple { position: fixed; left: -16px; top: -16px; width: 32px; height: 32px; box-sizing: border-box;
      border: 2px solid #f59e0b; border-radius: 50%; opacity: 0; }
    @keyframes live { 50% { opacity: .35; } }
    .is-idle { opacity: 0; }
    .is-off { display: none; }
    @media (prefers-reduced-motion: reduce) { * { animation: none !important; transition: none !important; } }`;

  /** The pause between two steps of an agent in which the pill stays silent: most steps follow each other at once. */
  const BETWEEN_STEPS_MS = 600;
  const GLIDE_MS = 180;
  const isLowered = chrome.i18n.getMessage("midSentence") === "lower";
  const still = matchMedia("(prefers-reduced-motion: reduce)");

  /** @param {string} tag @param {string} name @returns {HTMLElement} */
  const make = (tag, name) => Object.assign(document.createElement(tag), { className: name });

  const host = document.createElement("div");
  host.setAttribute("data-gstack", "");
  // In the browser's top layer, because dialogs and fullscreen elements are there too, above every z-index. A manual
  // popover takes no focus, closes no other popover and does not close on Escape.
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
  // Our text follows our language's direction, and the pointer's tip is left of its label, whatever the page's
  // direction.
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

  // No event of ours reaches the page's listeners, except listeners on the window that were added before ours: they see
  // that an event reached our element, but not which part. Only a person's own click opens the panel.
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

  /** Puts the host into the page, above everything else in the top layer. */
  function lift() {
    if (!host.isConnected) document.documentElement.append(host);
    if (host.matches(":popover-open")) host.hidePopover();
    host.showPopover();
  }

  // A new element in the top layer comes above the existing ones. (Dialogs fire `toggle` events only since Chrome 132.)
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

  /**
   * @param {{ since: number, agent: string, doing: string, waiting: boolean,
   *   paused: boolean, shows: { cursor: boolean, pill: boolean } }} state
   */
  function work(state) {
    for (const part of [frame, cursor, ripple]) part.classList.toggle("is-off", !state.shows.cursor);
    pill.classList.toggle("is-off", !state.shows.pill);
    since = state.since;
    name.textContent = state.agent;
    clearTimeout(pause);
    if (state.paused) say(chrome.i18n.getMessage("pillPaused"), true);
    else if (state.waiting) say(chrome.i18n.getMessage("pillWaits"), true);
    else if (state.doing) say(state.doing, false);
    else pause = setTimeout(() => say(chrome.i18n.getMessage("pillThinks"), true), BETWEEN_STEPS_MS);
    lift();
    const rests = state.waiting || state.paused;
    frame.classList.toggle("is-idle", rests);
    pill.classList.toggle("is-paused", state.paused);
    if (rests) cursor.classList.add("is-idle");
    pill.classList.remove("is-idle");
    clearInterval(clock);
    clock = setInterval(tick, 1000);
    tick();
  }

  /**
   * Shows the words on the pill. `open`: no action is in progress, so the pill may be clicked; otherwise it lets the
   * agent's events through.
   * @param {string} words
   * @param {boolean} open
   */
  function say(words, open) {
    doing.textContent = continued(words);
    label.textContent = open ? "" : words;
    pill.classList.toggle("is-open", open);
  }

  /**
   * Returns the phrase as it reads after the agent's name, as `midSentence` in shared/i18n.js does.
   * @param {string} phrase
   */
  function continued(phrase) {
    return isLowered ? phrase.charAt(0).toLowerCase() + phrase.slice(1) : phrase;
  }

  /** Moves the agent's pointer. @param {{ x: number, y: number, pressed: boolean }} at */
  function act({ x, y, pressed }) {
    if (pill.classList.contains("is-idle")) return;
    const appears = cursor.classList.contains("is-idle");
    // The first time it appears in place, because it has no previous position.
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
    // Removes the host once it has faded, or at once without transitions. Refs that are shown stay.
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
    // The worker stopped or the extension was updated, so nothing else would remove the marks.
    port.onDisconnect.addListener(() => {
      connected = false;
      rest();
    });
  }
  world.gstackMarks = { root, connect };
  connect();
})();
