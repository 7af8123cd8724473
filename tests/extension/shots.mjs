/**
 * Draws every state of the real panel in both themes: `node shots.mjs FOLDER [state …]`.
 *
 * Owns the list of states; each says what to do before the picture. The pictures are for eyes, not for comparing bytes.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Browser } from "./pipe.mjs";
import { site } from "./site.mjs";

const click = (text) => `[...document.querySelectorAll("button")].find((button) => (button.getAttribute("aria-label") ?? button.innerText).includes(${JSON.stringify(text)}) && button.offsetParent).click()`;
const rendered = "document.querySelector('.prose :is(p, ol, ul):not(.live-block *)')";

const STATES = {
  empty: { scenario: "usual", ready: "document.querySelectorAll('.suggestion').length === 4" },
  "no-agent": { scenario: "no-agent", ready: "document.body.innerText.includes('built-in commands only') && document.querySelectorAll('.suggestion').length === 4" },
  streaming: { scenario: "streaming", ready: `${rendered} && document.querySelectorAll('.queue-chip').length === 2` },
  done: { scenario: "done", ready: "document.querySelector('.codeblock') && document.querySelector('.prose table')", height: 900 },
  steps: { scenario: "steps", ready: rendered, act: "for (const summary of document.querySelectorAll('.steps > summary')) summary.click(); document.querySelectorAll('.step-item > summary')[4].click()", after: "!document.querySelector('.jump').hidden", height: 860 },
  approval: { scenario: "approval", ready: "document.querySelector('.choice') && document.querySelector('.prose code:not(.live-block *)')" },
  errors: { scenario: "errors", ready: "document.querySelectorAll('.card--danger').length === 3", height: 1000 },
  "errors-away": { scenario: "errors", ready: "document.querySelector('.card--danger')", then: away, height: 1000 },
  "errors-host": { ready: "document.querySelector('.hopline')" },
  "errors-daemon": { scenario: "broken", ready: "document.body.innerText.includes('could not be started')" },
  "composer-agent": { scenario: "streaming", ready: rendered, act: "document.querySelector('.agent-button').click()" },
  "queue-full": { scenario: "queue-full", ready: "document.querySelectorAll('.queue-chip').length === 5", then: typeAndEnter },
  tabs: { scenario: "tabs", ready: "!document.querySelector('.tabchip').disabled", act: "document.querySelector('.tabchip').click()" },
  history: { scenario: "history", ready: "!document.querySelector('button[aria-label=History]').disabled", act: click("History"), after: "document.querySelector('.history-row')" },
  "debug-activity": { scenario: "debug", ready: "document.querySelector('.suggestion')", act: click("Debug"), after: "document.querySelector('.log-row')", height: 820 },
  "debug-refs": { scenario: "debug", ready: "document.querySelector('.suggestion')", act: `${click("Debug")}; document.querySelector("#debug-tab-refs").click()`, after: "document.querySelector('.ref-row')", height: 820 },
  "debug-inspector": { scenario: "debug", ready: "document.querySelector('.suggestion')", act: `${click("Debug")}; document.querySelector("#debug-tab-inspector").click(); document.querySelector("#debug-inspector .button:not(.button--solid, [disabled])").click()`, after: "document.querySelector('.boxmodel')", height: 820 },
  connection: { scenario: "usual", ready: "document.querySelector('.suggestion')", act: "document.querySelector('.connection').click()", after: "document.querySelectorAll('.hop__trace').length >= 1 && document.querySelectorAll('.hop').length === 6" },
  "connection-down": { ready: "document.querySelector('.hopline')", act: click("Open Connection"), after: "document.querySelectorAll('.hop').length === 3" },
};

async function typeAndEnter(panel) {
  await panel.evaluate("document.querySelector('.composer__text').focus()");
  await panel.type("One more");
  await panel.key("Enter");
}

/** The host is killed while a message is typed. */
async function away(panel, browser) {
  await browser.uninstallHost();
  await browser.killHosts();
  await panel.until("document.querySelector('.hopline')");
  await panel.evaluate("document.querySelector('.composer__text').focus()");
  await panel.type("Then compare it with the product page.");
  await panel.key("Enter");
  await panel.until("document.querySelector('.bubble--failed')");
}

const [folder = "shots", ...names] = process.argv.slice(2);
const widths = (process.env.WIDTHS ?? "380").split(",").map(Number);
await mkdir(folder, { recursive: true });
const pages = await site();
try {
  for (const [name, state] of Object.entries(STATES)) {
    if (names.length > 0 && !names.includes(name)) continue;
    const browser = await Browser.start({ scenario: state.scenario });
    try {
      const page = await browser.page();
      await page.send("Page.enable");
      await page.send("Page.navigate", { url: `${pages.origin}/cart` });
      const panel = await browser.openPanel();
      await panel.size(widths[0], state.height ?? 720);
      await panel.theme("dark");
      await panel.until(state.ready);
      if (state.act) await panel.evaluate(state.act);
      if (state.then) await state.then(panel, browser);
      if (state.after) await panel.until(state.after);
      for (const width of widths) {
        await panel.size(width, state.height ?? 720);
        for (const theme of ["dark", "light"]) {
          await panel.theme(theme);
          await panel.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))");
          const suffix = widths.length > 1 ? `-${width}` : "";
          await writeFile(join(folder, `${name}-${theme}${suffix}.png`), await panel.screenshot());
        }
        const wide = await panel.evaluate("document.documentElement.scrollWidth > innerWidth");
        if (wide) console.log(`${name}: overflows at ${width}`);
      }
      console.log(name);
    } catch (error) {
      console.log(`${name}: ${error.message}`);
    } finally {
      await browser.close();
    }
  }
} finally {
  await pages.close();
}
