/**
 * Draws every state of the real panel in both themes: `node shots.mjs FOLDER [state …]`.
 *
 * Owns the list of states; each defines its steps before the picture. The pictures are for people, not for byte
 * comparison.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { endSharedBrowser, freshBrowser } from "./shared-browser.mjs";
import { site } from "./site.mjs";

const click = (text) =>
  `[...document.querySelectorAll("button")].find((button) => button.offsetParent
    && (button.getAttribute("aria-label") ?? button.innerText).includes(${JSON.stringify(text)})).click()`;
/** An expression: the settings are drawn, and the advanced ones are open. */
const allSettings = (setting) =>
  `document.querySelector('${setting}') && document.querySelector('.rules') && (document.querySelector('.advanced').open = true)`;
/** Like a pointer press: moves the focus too. */
const press = (selector) =>
  `{ const one = document.querySelector(${JSON.stringify(selector)}); one.focus({ focusVisible: false }); one.click(); }`;
const rendered = "document.querySelector('.prose :is(p, ol, ul):not(.live-block *)')";

const READY = "document.querySelectorAll('.suggestion').length === 4 && !document.querySelector('.agent-button').disabled";
const ended = "document.querySelector('.turn-footer [aria-label=\"Copy answer\"]') && !document.querySelector('.live-block')";

const editFirst = press(".bubble-edit");
const isEdited = "!document.querySelector('#editing').hidden";

/** The page beside the panel, unless a state names another. */
const CART = "http://localhost:5173/cart";
const KEYS = "http://console.halden.example/keys";

/** The panel's height at which every setting is visible. */
const ALL_SETTINGS = (width) => (width < 400 ? 2900 : 2560);
/** Returns the panel's height in a state, in pixels. */
export const heightOf = ({ height = 720 }, width) => (typeof height === "function" ? height(width) : height);

/** The states with the most text, in another language of the panel. */
function inLanguage(language) {
  const drawer = (index) => `document.querySelectorAll('.statusbar .icon-button')[${index}].click()`;
  return Object.fromEntries(
    Object.entries({
      empty: { scenario: "usual", ready: READY },
      said: { scenario: "languages", ready: "document.querySelectorAll('.prose :is(p, ul):not(.live-block *)').length >= 3", height: 780 },
      "no-agent": { scenario: "no-agent", ready: "document.querySelectorAll('.suggestion').length === 4", height: 780 },
      steps: {
        scenario: "steps",
        ready: rendered,
        act: "for (const summary of document.querySelectorAll('.steps > summary')) summary.click()",
        height: 860,
      },
      approval: {
        scenario: "approval",
        page: KEYS,
        ready: "document.querySelector('.choice') && document.querySelector('.prose code:not(.live-block *)')",
        act: "document.querySelector('.approval__more > summary').click()",
        height: 760,
      },
      editing: { scenario: "done", ready: rendered, act: editFirst, after: isEdited },
      branch: { scenario: "done", ready: rendered, act: editFirst, then: branch },
      question: { scenario: "question", ready: "document.querySelector('.question')", height: 860 },
      agents: {
        scenario: "done",
        ready: `${rendered} && !document.querySelector('.agent-button').disabled`,
        act: "document.querySelector('.agent-button').click(); document.querySelector('.menu__missing > summary').click()",
      },
      settings: {
        scenario: "history",
        ready: "!document.querySelectorAll('.statusbar .icon-button')[1].disabled",
        act: drawer(2),
        after: allSettings("[data-setting]"),
        height: ALL_SETTINGS,
      },
      debug: {
        scenario: "debug",
        ready: "document.querySelector('.suggestion')",
        act: drawer(3),
        after: "document.querySelector('.log-row')",
        height: 820,
      },
      errors: { scenario: "errors", ready: "document.querySelectorAll('.card--danger').length === 3", height: 1060 },
      "errors-host": { ready: "document.querySelector('.hopline')" },
    }).map(([name, state]) => [`${language}-${name}`, { ...state, language, widths: [360] }]),
  );
}

export const STATES = {
  empty: { scenario: "usual", ready: READY },
  earlier: { scenario: "earlier", ready: `${READY} && document.querySelector('.earlier')` },
  "no-agent": {
    scenario: "no-agent",
    ready: "document.body.innerText.includes('built-in commands only') && document.querySelectorAll('.suggestion').length === 4",
    height: 780,
  },
  "no-agent-others": {
    scenario: "no-agent",
    ready: "document.querySelectorAll('.suggestion').length === 4",
    act: `${click("Other agents")}; document.querySelectorAll('.menu__missing > summary')[1].click()`,
    height: 780,
  },
  streaming: { scenario: "streaming", ready: `${rendered} && document.querySelectorAll('.queue-chip').length === 2` },
  done: {
    scenario: "done",
    ready: `document.querySelector('.codeblock') && document.querySelector('.prose table')
      && document.querySelector('.shot__image').naturalWidth`,
    height: 900,
  },
  steps: {
    scenario: "steps",
    ready: rendered,
    act: `for (const summary of document.querySelectorAll('.steps > summary')) summary.click();
      document.querySelectorAll('.step-item > summary')[4].click()`,
    after: "!document.querySelector('.jump').hidden",
    height: 860,
  },
  approval: {
    scenario: "approval",
    page: KEYS,
    ready: "document.querySelector('.choice') && document.querySelector('.prose code:not(.live-block *)')",
  },
  "approval-more": {
    scenario: "approval",
    page: KEYS,
    ready: "document.querySelector('.choice') && document.querySelector('.prose code:not(.live-block *)')",
    act: "document.querySelector('.approval__more > summary').click()",
    height: 760,
  },
  "client-asks": {
    scenario: "client-asks",
    ready: "document.querySelector('#clients .approval:not(.is-arming)') && !document.querySelector('#lease').hidden",
    height: 780,
  },
  "clients-ask": { scenario: "clients-ask", ready: "document.querySelector('#clients .approval:not(.is-arming)')", height: 780 },
  "client-elsewhere": { scenario: "client-elsewhere", ready: "document.querySelector('#clients .approval:not(.is-arming)')", height: 780 },
  "client-works": { scenario: "client-works", ready: `${READY} && !document.querySelector('#lease').hidden` },
  "taken-over": { scenario: "taken-over", ready: `${READY} && !document.querySelector('#takeover').hidden` },
  "client-closed": {
    scenario: "client-asks",
    ready: "document.querySelector('#clients .approval:not(.is-arming)')",
    act: "document.querySelector('#lease button').click()",
    after: "document.querySelector('#clients .decided')",
  },
  together: { scenario: "together", ready: "document.querySelector('.approval--group:not(.is-arming)')", height: 820 },
  code: { scenario: "code", ready: "document.querySelectorAll('.codeblock [class^=code--]').length > 3" },
  unattended: {
    scenario: "approval",
    page: KEYS,
    ready: "document.querySelector('.approval:not(.is-arming) .choice')",
    act: "document.querySelector('[data-choice=\"unattended-60\"]').click()",
    after: "!document.querySelector('#unattended').hidden && document.querySelector('.decided')",
  },
  question: {
    scenario: "question",
    ready: "document.querySelector('.question')",
    act: "document.querySelectorAll('.question input')[0].click()",
    height: 860,
  },
  "sign-in": { scenario: "sign-in", ready: "document.querySelector('.question:not(.is-arming)')" },
  "sign-in-hostile": {
    scenario: "sign-in-hostile",
    ready: "document.querySelector('.question:not(.is-arming)')",
    act: "document.querySelectorAll('.question input')[1].click()",
    height: 1000,
  },
  plan: { scenario: "plan", ready: "document.querySelector('.plan')" },
  usage: { scenario: "usage", ready: ended },
  slot: { scenario: "slot", ready: "document.body.innerText.includes('waiting for a free agent')" },
  paused: { scenario: "paused", ready: "document.body.innerText.includes('2 messages are waiting')" },
  errors: { scenario: "errors", ready: "document.querySelectorAll('.card--danger').length === 3", height: 1000 },
  missing: { scenario: "missing", ready: "document.querySelector('.card--danger')" },
  "errors-away": { scenario: "errors", ready: "document.querySelector('.card--danger')", then: away, height: 1000 },
  "errors-host": { ready: "document.querySelector('.hopline')" },
  "errors-daemon": { scenario: "broken", ready: "document.body.innerText.includes('could not be started')" },
  "composer-agent": {
    scenario: "done",
    ready: rendered,
    act: "document.querySelector('.agent-button').click(); document.querySelector('.menu__missing > summary').click()",
  },
  "composer-commands": { scenario: "picked", ready: READY, then: writeCommand },
  "composer-attach": { scenario: "usual", ready: READY, act: "document.querySelector('.composer__bar [aria-haspopup=menu]').click()" },
  "composer-folder": { scenario: "history", ready: READY, act: "document.querySelector('.folder-button').click()" },
  "queue-full": { scenario: "queue-full", ready: "document.querySelectorAll('.queue-chip').length === 5", then: typeAndEnter },
  tabs: {
    scenario: "tabs",
    ready: "document.querySelector('.tabchip__others .live-dot')",
    act: "document.querySelector('.tabchip').click()",
  },
  twins: {
    scenario: "twins",
    ready: READY,
    act: "document.querySelector('.tabchip').click()",
    after: "document.querySelector('.menu--tabs').innerText.includes('Refund')",
  },
  history: {
    scenario: "history",
    ready: "!document.querySelector('button[aria-label=History]').disabled",
    act: click("History"),
    after: "document.querySelector('.history-row')",
  },
  "history-search": {
    scenario: "history",
    ready: "!document.querySelector('button[aria-label=History]').disabled",
    act: click("History"),
    then: search,
  },
  "history-reading": {
    scenario: "history",
    ready: "!document.querySelector('button[aria-label=History]').disabled",
    act: click("History"),
    then: readAgain,
  },
  editing: { scenario: "done", ready: rendered, act: editFirst, after: isEdited },
  branch: { scenario: "done", ready: rendered, act: editFirst, then: branch },
  settings: {
    scenario: "history",
    ready: "!document.querySelector('button[aria-label=History]').disabled",
    act: click("Settings"),
    after: "document.querySelector('[data-setting]') && document.querySelector('.rules')",
    height: 760,
  },
  "settings-advanced": {
    scenario: "history",
    ready: "!document.querySelector('button[aria-label=History]').disabled",
    act: click("Settings"),
    after: allSettings('[data-setting="daemon.port"]'),
    height: ALL_SETTINGS,
  },
  newer: { scenario: "newer", ready: `${READY} && !document.querySelector('#update').hidden` },
  "debug-activity": {
    scenario: "debug",
    ready: "document.querySelector('.suggestion')",
    act: click("Debug"),
    after: "document.querySelector('.log-row')",
    height: 820,
  },
  "debug-refs": {
    scenario: "debug",
    ready: "document.querySelector('.suggestion')",
    act: `${click("Debug")}; ${press("#debug-tab-refs")}`,
    after: "document.querySelector('.ref-row')",
    height: 820,
  },
  "debug-inspector": {
    scenario: "debug",
    ready: "document.querySelector('.suggestion')",
    act: `${click("Debug")}; ${press("#debug-tab-inspector")};
      document.querySelector("#debug-inspector .button:not(.button--solid, [disabled])").click()`,
    after: "document.querySelector('.boxmodel')",
    height: 820,
  },
  connection: {
    scenario: "usual",
    ready: "document.querySelector('.suggestion')",
    act: "document.querySelector('.connection').click()",
    then: ping,
  },
  "connection-agent": {
    scenario: "signed-out",
    ready: "document.querySelector('.suggestion') && document.querySelector('.dot--wait')",
    act: "document.querySelector('.connection').click()",
    then: ping,
  },
  "connection-down": {
    ready: "document.querySelector('.hopline')",
    act: click("Open Connection"),
    after: "document.querySelectorAll('.hop').length === 3",
  },
  languages: { scenario: "languages", ready: "document.querySelectorAll('.prose :is(p, ul):not(.live-block *)').length >= 3", height: 780 },
  ...inLanguage("ar"),
  ...inLanguage("ja"),
};

/** Runs as many rounds as a sparkline shows, one after the other. */
async function ping(panel) {
  await panel.until("document.querySelectorAll('.hop').length === 6");
  for (let rounds = 2; rounds <= 25; rounds += 1) {
    await panel.evaluate(click("Ping again"));
    await panel.until(`document.querySelector('.hop__trace polyline')?.points.length >= ${rounds}`);
  }
}

/** Chips and the list of commands. */
async function writeCommand(panel) {
  await panel.evaluate(click("Pick element"));
  await panel.until("document.querySelector('[data-kind=element]')");
  await panel.evaluate(
    "document.querySelector('.composer__bar [aria-haspopup=menu]').click(); document.querySelector('[data-source=screenshot]').click()",
  );
  await panel.until("document.querySelector('[data-kind=shot]')");
  await panel.evaluate("document.querySelector('.composer__text').focus()");
  await panel.type("/re");
  await panel.until("!document.querySelector('#commands').hidden");
}

/** Sends the edited message. */
async function branch(panel) {
  await panel.until(isEdited);
  await panel.evaluate("document.querySelector('.composer__text').focus()");
  await panel.key("Enter");
  await panel.until(`!document.querySelector("#origin").hidden && ${rendered}`);
}

async function search(panel) {
  await panel.until("document.querySelector('.history-row')");
  await panel.type("round");
  await panel.until("document.querySelector('.history-row__excerpt mark')");
}

async function readAgain(panel) {
  await panel.until("document.querySelector('.history-row')");
  await panel.evaluate("document.querySelectorAll('.history-row__title')[3].click()");
  await panel.until("!document.querySelector('#reading').hidden");
}

async function typeAndEnter(panel) {
  await panel.evaluate("document.querySelector('.composer__text').focus()");
  await panel.type("One more");
  await panel.key("Enter");
}

/** Kills the host while a message is being typed. */
async function away(panel, browser) {
  await browser.uninstallHost();
  await browser.killHosts();
  await panel.until("document.querySelector('.hopline')");
  await panel.evaluate("document.querySelector('.composer__text').focus()");
  await panel.type("Then compare it with the product page.");
  await panel.key("Enter");
  await panel.until("document.querySelector('.bubble--failed')");
}

/**
 * Brings a browser with the panel into a state and passes both on. Whoever calls this ends the shared browser.
 * @param {string} name
 * @param {string} origin  of the pages that are shown, by the names that the scenarios give them
 * @param {(panel: import("./pipe.mjs").Target, browser: import("./pipe.mjs").Browser) => Promise<void>} run
 * @param {number} [width]
 */
export async function inState(name, origin, run, width = 380) {
  const state = STATES[name];
  const browser = await freshBrowser({ scenario: state.scenario, language: state.language, origin });
  try {
    const page = await browser.page();
    await page.send("Page.enable");
    await page.send("Page.navigate", { url: state.page ?? CART });
    const panel = await browser.openPanel();
    await panel.size(width, heightOf(state, width));
    await panel.theme("dark");
    await panel.until(state.ready);
    if (state.act) await panel.evaluate(`{ ${state.act} }`);
    if (state.then) await state.then(panel, browser);
    if (state.after) await panel.until(state.after);
    await run(panel, browser);
  } catch (error) {
    await endSharedBrowser();
    throw error;
  }
}

/**
 * Draws states into a folder: each theme at each width.
 * @param {string} folder
 * @param {{ names?: string[], widths?: number[], themes?: string[], optimise?: (path: string) => void }} options
 * without names: all
 */
export async function draw(folder, { names = [], widths = [380], themes = ["dark", "light"], optimise = () => {} } = {}) {
  await mkdir(folder, { recursive: true });
  const pages = await site();
  try {
    for (const [name, state] of Object.entries(STATES)) {
      if (names.length > 0 && !names.includes(name)) continue;
      try {
        await inState(
          name,
          pages.origin,
          async (panel) => {
            for (const width of widths.length > 1 ? (state.widths ?? widths) : widths) {
              await panel.size(width, heightOf(state, width));
              for (const theme of themes) {
                await panel.theme(theme);
                await panel.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))");
                const path = join(folder, `${name}-${theme}${widths.length > 1 ? `-${width}` : ""}.png`);
                await writeFile(path, await panel.screenshot());
                optimise(path);
              }
            }
          },
          widths[0],
        );
        console.log(name);
      } catch (error) {
        console.log(`${name}: ${error.message}`);
        process.exitCode = 1;
      }
    }
  } finally {
    await endSharedBrowser();
    await pages.close();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [folder = "shots", ...names] = process.argv.slice(2);
  await draw(folder, { names, widths: (process.env.WIDTHS ?? "380").split(",").map(Number) });
}
