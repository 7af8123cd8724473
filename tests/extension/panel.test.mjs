/**
 * The real extension in a real Chromium against the fake host: the conversation, its connection, its page. Skipped
 * without Chromium (`GSTACK_TEST_CHROMIUM` overrides /usr/bin/chromium).
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { composer, options, press, say, text, untilStored, withPanel } from "./with-panel.mjs";

describe("the panel", options, () => {
  test("a message stands at once, its answer streams, and all of it is acknowledged", () =>
    withPanel("usual", async (panel, browser) => {
      await panel.until("document.querySelector('.suggestion')");
      await panel.evaluate(`${composer}.focus()`);
      await panel.type("Find out why");
      // Bubble, dots and footer in the frame of Enter, before any answer could have arrived.
      const shown = await panel.evaluate(`new Promise((drawn) => {
      ${composer}.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true }));
      const words = (selector) => document.querySelector(selector)?.innerText;
      const look = () => drawn([words(".bubble"), !!document.querySelector(".thinking"), words(".turn-footer")]);
      requestAnimationFrame(() => setTimeout(look));
    })`);
      assert.deepEqual(shown.slice(0, 2), ["Find out why", true]);
      assert.match(shown[2], /(working|waiting for Claude Code) 0 s/);
      await panel.until("document.querySelector('.turn-footer [aria-label=\"Copy answer\"]')");
      await panel.until("!document.querySelector('.live-block')");
      assert.equal(await panel.evaluate("document.querySelectorAll('.prose .num').length"), 15);
      assert.equal(await panel.evaluate("document.querySelector('.prose a').target"), "_blank");
      assert.equal(await panel.evaluate("document.querySelector('.turn-footer__facts').innerText.includes('$0.14')"), true);
      assert.match(await panel.evaluate("document.querySelector('#announcer').innerText"), /is done/);
      assert.equal(await panel.evaluate("document.querySelectorAll('.bubble').length"), 1);
      const head = await panel.evaluate("document.querySelectorAll('.step').length"); // six steps, each with its end
      assert.equal(head, 6);
      assert.match(await browser.wire(), /^ack 16 0$/m);
    }));

  test("its icons come from its own document, and drawing them makes no other", () =>
    withPanel("usual", async (panel) => {
      await panel.until("document.querySelector('.suggestion')");
      const missing = "[...document.querySelectorAll('use')].filter((use) => !document.querySelector(use.getAttribute('href')))";
      assert.equal(await panel.evaluate(`${missing}.length`), 0);
      assert.ok((await panel.evaluate("document.querySelectorAll('use').length")) > 3);
      const { documents: before } = await panel.send("Memory.getDOMCounters");
      await panel.evaluate(`import("/panel/view/dom.js").then(async ({ icon }) => {
      for (let n = 0; n < 100; n += 1) {
        const drawn = ["check", "cross", "chevron-right"].map((name) => icon(name));
        document.body.append(...drawn);
        await new Promise(requestAnimationFrame);
        for (const one of drawn) one.remove();
      }
    })`);
      const { documents: after } = await panel.send("Memory.getDOMCounters");
      assert.ok(after <= before + 5, `${before} documents before, ${after} after`);
    }));

  test("an approval is answered by its number, and only while nothing is being typed", () =>
    withPanel("approval", async (panel) => {
      await panel.until("document.querySelector('.choice')");
      await panel.evaluate(`${composer}.focus()`);
      await panel.type("in ");
      await panel.key("2");
      assert.equal(await panel.evaluate(`${composer}.value`), "in 2");
      assert.equal(await panel.evaluate("document.querySelectorAll('[data-choice] .key').length"), 4);
      await panel.evaluate(`${composer}.value = ""`);
      await panel.key("4");
      assert.equal(await panel.evaluate(`${composer}.value`), "4", "a number in the composer begins a sentence");
      // Directly after other letters it is text as well.
      while (await panel.evaluate("document.querySelector('.approval')?.focus() ?? document.querySelector('.approval') !== null"))
        await panel.key("4");
      await panel.until(text("Left as it is."));
      assert.match(await panel.evaluate("document.querySelector('.decided').innerText"), /Denied by you/);
    }));

  test("a host that dies in mid-turn: what was said stays, the next one goes on", () =>
    withPanel("dies", async (panel, browser) => {
      await panel.until("document.querySelector('.suggestion')");
      await say(panel, "a story");
      await panel.until(text("First half of a story"));
      await browser.untilHosts(2);
      await panel.until(
        "document.querySelector('.connection__text').innerText === 'connected' && document.querySelector('#banner').hidden",
      );
      assert.equal(await panel.evaluate("document.querySelectorAll('.bubble').length"), 1);
    }));

  test("typed and unsent text survives the loss of host and panel, and is sent once", () =>
    withPanel("usual", async (panel, browser) => {
      await panel.until("document.querySelector('.suggestion')");
      await browser.uninstallHost();
      await browser.killHosts();
      await panel.until("document.querySelector('.hopline')");
      await say(panel, "Do not lose me");
      await panel.until("document.querySelector('.bubble-note--failed')");
      await panel.type("a draft");
      await untilStored(panel, '(all) => Object.entries(all).some(([key, value]) => key.startsWith("draft:") && value === "a draft")');
      await browser.installHost("usual");
      await panel.send("Page.reload");
      await panel.until("document.querySelector('.turn-footer [aria-label=\"Copy answer\"]')");
      assert.equal(await panel.evaluate("document.querySelectorAll('.bubble').length"), 1);
      assert.equal(await panel.evaluate(`${composer}.value`), "a draft");
      assert.equal([...(await browser.wire()).matchAll(/^send /gm)].length, 1);
      await untilStored(panel, '(all) => !Object.keys(all).some((key) => key.startsWith("unsent:"))');
    }));

  test("a stopped worker comes back, and the panel with it", () =>
    withPanel("done", async (panel, browser) => {
      await panel.until(text("The total is rounded twice"));
      const worker = (await browser.targets()).find(({ type }) => type === "service_worker");
      await browser.pipe.send("Target.closeTarget", { targetId: worker.targetId });
      await panel.until("document.querySelector('.connection__text').innerText !== 'connected'").catch(() => {
        /* it was too quick to be seen */
      });
      await panel.until("document.querySelector('.connection__text').innerText === 'connected'");
      await say(panel, "still there?");
      await panel.until("document.querySelectorAll('.turn-footer [aria-label=\"Copy answer\"]').length === 2");
    }));

  test("no host: the command that fixes it, and the way back without a reload", () =>
    withPanel(undefined, async (panel, browser) => {
      await panel.until("document.body.innerText.includes('gstack install-host')");
      assert.match(await panel.evaluate("document.querySelector('.connection').innerText"), /gstack: down/);
      await browser.installHost("usual");
      await panel.evaluate("[...document.querySelectorAll('button')].find((button) => button.innerText === 'Check again').click()");
      await panel.until("document.querySelectorAll('.suggestion').length === 4");
    }));

  test("looking for agents again says that it looks and what it found", () =>
    withPanel("no-agent", async (panel) => {
      await press(panel, "Check again");
      await panel.until("document.querySelector('#toast').innerText.includes('Still no agent found')");
      await panel.until("![...document.querySelectorAll('button')].find((button) => button.innerText === 'Check again').disabled");
    }));

  test("an agent that was only found is checked when the list is opened, and not before", () =>
    withPanel("found-agent", async (panel, browser) => {
      await panel.until("document.querySelector('.agent-button')?.disabled === false");
      const asked = async () => [...(await browser.wire()).matchAll(/^call agents.list$/gm)].length;
      assert.equal(await asked(), 1);
      await panel.evaluate("document.querySelector('.agent-button').click()");
      await panel.until(`document.querySelector('[data-choice="agent codex"]')?.innerText.includes("0.48.0")`);
      assert.equal(await asked(), 2);
    }));

  test("a note lies over neither the quick actions nor the message box, and leaves by itself", () =>
    withPanel("usual", async (panel) => {
      await panel.until("document.querySelector('.suggestion')");
      await press(panel, "Clean up page");
      await panel.until("!document.querySelector('#toast').hidden");
      const covered = await panel.evaluate(() => {
        const note = document.querySelector("#toast").getBoundingClientRect();
        const isCovered = ({ top, bottom }) => bottom > note.top && top < note.bottom;
        return [...document.querySelectorAll("#quick button, .composer, .statusbar")]
          .filter((one) => isCovered(one.getBoundingClientRect()))
          .map((one) => one.innerText);
      });
      assert.deepEqual(covered, []);
      await panel.until("document.querySelector('#toast').hidden");
    }));

  test("a turn of which nothing has come yet says what is waited for", () =>
    withPanel("begun", (panel) =>
      panel.until("/^waiting for Claude Code \\d+ s/.test(document.querySelector('.turn-footer')?.innerText ?? '')"),
    ));

  test("the host's last words are shown", () =>
    withPanel("broken", (panel) =>
      panel.until("document.body.innerText.includes('could not be started') && document.body.innerText.includes('gstack doctor')"),
    ));

  test("the pill is in the page only while an agent works there, behind a closed root", () =>
    withPanel("usual", async (panel, _browser, page) => {
      await panel.until("document.querySelector('.suggestion')");
      assert.equal(await page.evaluate("document.querySelector('[data-gstack]')"), null);
      await say(panel, "go");
      await page.until("document.querySelector('[data-gstack]')");
      assert.equal(await page.evaluate("document.querySelector('[data-gstack]').shadowRoot"), null);
      assert.equal(await page.evaluate("getComputedStyle(document.querySelector('[data-gstack]')).pointerEvents"), "none");
      await page.until("!document.querySelector('[data-gstack]')");
    }));

  test("the welcome page learns of the connected panel of its window", () =>
    withPanel("usual", (_panel, _browser, page) => page.until("document.title === 'ready'"), { path: "/welcome?x=1" }));

  test("the welcome page's suggestions look like buttons: a click puts one into the message box and sends nothing", () =>
    withPanel(
      "usual",
      async (panel, browser, page) => {
        await page.until("document.title === 'ready'");
        await panel.until("!document.querySelector('.agent-button').disabled");
        // A page's own click is not a person's.
        await page.evaluate("document.querySelector('[data-suggestion]').click()");
        const [x, y] = await page.evaluate(
          `(({ x, y }) => [x + 4, y + 4])(document.querySelector("[data-suggestion]").getBoundingClientRect())`,
        );
        assert.equal(await panel.evaluate(`${composer}.value`), "");
        for (const type of ["mousePressed", "mouseReleased"])
          await page.send("Input.dispatchMouseEvent", { type, x, y, button: "left", clickCount: 1 });
        await panel.until(`${composer}.value === "Read the page "`);
        assert.doesNotMatch(await browser.wire(), /^message/m);
      },
      { path: "/welcome" },
    ));

  for (const [side, isRight] of [
    ["left", false],
    ["right", true],
  ]) {
    test(`the welcome page learns that panels open on the ${side}`, () =>
      withPanel(
        "usual",
        async (panel, _browser, page) => {
          const told = await panel.evaluate("chrome.sidePanel.getLayout?.().then(({ side }) => side)");
          // Older browsers do not report it.
          if (told !== undefined) assert.equal(told, side);
          await page.until("document.title === 'ready'");
          assert.equal(await page.evaluate("document.documentElement.dataset.panelSide"), told);
        },
        { path: "/welcome", preferences: { side_panel: { is_right_aligned: isRight } } },
      ));
  }

  test("without a host the welcome page goes on waiting", () =>
    withPanel(
      undefined,
      async (panel, _browser, page) => {
        await panel.until("document.querySelector('.hopline')");
        assert.equal(await page.evaluate("document.title"), "Welcome");
      },
      { path: "/welcome" },
    ));

  test("a long conversation: older pages come on the way up and what is read stays in its place", () =>
    withPanel("long", async (panel) => {
      await panel.until(text("Question 699"));
      const before = await panel.evaluate("document.querySelectorAll('.bubble').length");
      await panel.evaluate("document.querySelector('#conversation').scrollTop = 0");
      await panel.until(`document.querySelectorAll('.bubble').length > ${before}`);
      assert.ok(await panel.evaluate("document.querySelector('#conversation').scrollTop > 0"));
      await panel.until("document.querySelector('.jump').checkVisibility()");
      await panel.evaluate("document.querySelector('.statusbar [aria-label=Debug]').click()");
      await panel.until("!document.querySelector('#debug').hidden");
      assert.equal(await panel.evaluate("document.querySelector('.jump').checkVisibility()"), false, "it does not cover a drawer");
      await panel.evaluate("document.querySelector('.statusbar [aria-label=Debug]').click()");
      await panel.until("document.querySelector('.jump').checkVisibility()");
      await panel.evaluate("document.querySelector('.jump').click()");
      const below = await panel.evaluate(() => {
        const { scrollHeight, scrollTop, clientHeight } = document.querySelector("#conversation");
        return scrollHeight - scrollTop - clientHeight;
      });
      assert.ok(below < 30, String(below));
    }));

  test("the panel follows the tab in view, and what was typed stays with its tab", () =>
    withPanel("done", async (panel, _browser, _page, pages) => {
      await panel.until(text("The total is rounded twice"));
      await panel.evaluate(`${composer}.focus()`);
      await panel.type("for the cart");
      await panel.evaluate(`chrome.tabs.create({ url: "${pages.origin}/welcome" })`);
      await panel.until("['Welcome', 'ready'].includes(document.querySelector('.tabchip__title').innerText)");
      await panel.until(`${composer}.value === ""`);
      await panel.evaluate(
        "chrome.tabs.query({}).then((tabs) => chrome.tabs.update(tabs.find(({ title }) => title.startsWith('Cart')).id, { active: true }))",
      );
      await panel.until(`${composer}.value === "for the cart"`);
      await panel.until(text("The total is rounded twice"));
    }));

  test("what is read stays in its place while another tab is in view", () =>
    withPanel("done", async (panel, _browser, _page, pages) => {
      const place = "document.querySelector('#conversation').scrollTop";
      await panel.until(text("The total is rounded twice"));
      await panel.until(`document.querySelector('.turn-footer [aria-label="Copy answer"]') && !document.querySelector('.live-block')`);
      await panel.evaluate(`${place} = 40`);
      await panel.until(`${place} === 40`);
      await panel.evaluate(`chrome.tabs.create({ url: "${pages.origin}/welcome" })`);
      await panel.until(`!(${text("The total is rounded twice")})`);
      await panel.evaluate(
        "chrome.tabs.query({}).then((tabs) => chrome.tabs.update(tabs.find(({ title }) => title.startsWith('Cart')).id, { active: true }))",
      );
      await panel.until(text("The total is rounded twice"));
      await panel.until(`Math.abs(${place} - 40) < 4`);
    }));

  test("a new chat is empty, the old one is in history and can be read", () =>
    withPanel("done", async (panel) => {
      await panel.until(text("The total is rounded twice"));
      await panel.evaluate("document.querySelector('[aria-label=\"New chat\"]').click()");
      await panel.until("document.querySelector('.suggestion') && !document.querySelector('.bubble')");
      await panel.evaluate("document.querySelector('button[aria-label=History]').click()");
      await panel.until("document.querySelectorAll('.history-row').length === 1");
      await panel.evaluate("document.querySelector('.history-row__title').click()");
      await panel.until("!document.querySelector('#reading').hidden && document.querySelector('#dock').hidden");
      await panel.until(text("The total is rounded twice"));
      await panel.evaluate("document.querySelector('#reading button').click()");
      await panel.until("document.querySelector('#reading').hidden && !document.querySelector('#dock').hidden");
    }));

  test("a screenshot of the conversation is read in parts and opens large", () =>
    withPanel("done", async (panel, browser) => {
      await panel.until("document.querySelector('.shot__image').naturalWidth === 320");
      await panel.evaluate("document.querySelector('.shot').click()");
      await browser.target(({ type, url }) => type === "page" && url.startsWith("blob:"));
    }));

  test("a pasted picture goes with the message", () =>
    withPanel("usual", async (panel) => {
      await panel.until("document.querySelector('.suggestion')");
      await panel.evaluate(`(() => {
      const data = new DataTransfer();
      data.items.add(new File([new Uint8Array(2048)], "shot.png", { type: "image/png" }));
      ${composer}.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
    })()`);
      await panel.until("document.querySelector('.attachment__thumb')");
      await say(panel, "Look at this");
      await panel.until("document.querySelector('.attachment--sent')?.innerText.includes('shot.png')");
      assert.equal(await panel.evaluate("document.querySelectorAll('.composer .attachment').length"), 0);
    }));

  test("keys: menus by arrows, Escape stops, ↑ recalls, an input method's Enter does not send", () =>
    withPanel("streaming", async (panel) => {
      await panel.until(
        "document.querySelector('.stop') && !document.querySelector('.stop').hidden && !document.querySelector('.agent-button').disabled",
      );
      await panel.evaluate("document.querySelector('.agent-button').focus()");
      // The model first, then the models of the agent, then the agents.
      for (const key of Array(5).fill("ArrowDown")) await panel.key(key);
      await panel.key("Enter");
      await panel.until("document.querySelector('.agent-button').innerText === 'codex · auto'");
      await panel.evaluate(`${composer}.focus()`);
      await panel.key("ArrowUp");
      assert.equal(await panel.evaluate(`${composer}.value`), "And write a test that would have caught it, next to the others");
      await panel.evaluate(
        `${composer}.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", isComposing: true, bubbles: true, cancelable: true }))`,
      );
      assert.equal(await panel.evaluate("document.querySelectorAll('.queue-chip').length"), 2);
      await panel.key("Escape");
      await panel.until(text("stopped"));
    }));

  test("a message that the daemon refuses stays, with its reason, also in a panel that is opened later", () =>
    withPanel("refused", async (panel, browser) => {
      await panel.until("document.querySelector('.suggestion')");
      await say(panel, "Take me");
      await panel.until(text("not sent: The daemon is updating"));
      await untilStored(panel, '(all) => Object.values(all).some(({ message }) => message?.state === "failed")');
      await panel.send("Page.reload");
      // Waiting messages would be sent before the second one's subscription.
      while ([...(await browser.wire()).matchAll(/^call chat.subscribe$/gm)].length < 2) await new Promise((next) => setTimeout(next, 20));
      await panel.until(text("not sent: The daemon is updating"));
      assert.equal([...(await browser.wire()).matchAll(/^message /gm)].length, 1, "it is sent again only by a person");
      await panel.evaluate(
        "[...document.querySelectorAll('.bubble-note button')].find((button) => button.innerText === 'Take back').click()",
      );
      await panel.until(`${composer}.value === "Take me"`);
    }));
});
