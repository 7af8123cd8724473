/** Writing in the real panel: commands, models and agents, the folder, chips, page context. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { composer, options, press, say, text, untilStored, withPanel } from "./with-panel.mjs";

const ready = "document.querySelector('.suggestion') && !document.querySelector('.agent-button').disabled";
const chips = "[...document.querySelectorAll('.composer .attachment')].map((one) => one.dataset.kind)";
/** Returns the last message sent to the daemon, once there is one: its bubble appears earlier. */
async function sent(browser, count = 1) {
  for (;;) {
    const messages = [...(await browser.wire()).matchAll(/^message (.*)$/gm)];
    if (messages.length >= count) return JSON.parse(messages.at(-1)[1]);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
const selectedCommand = "document.querySelector('#commands [aria-selected=true] .menu__name')?.innerText";

describe("the composer", options, () => {
  test("a slash opens commands, the agent's and ours; arrows choose, tab completes, Escape leaves", () =>
    withPanel("usual", async (panel, browser) => {
      await panel.until(ready);
      await panel.evaluate(`${composer}.focus()`);
      await panel.type("/re");
      await panel.until("!document.querySelector('#commands').hidden");
      assert.deepEqual(
        await panel.evaluate("[...document.querySelectorAll('#commands .menu__name')].map((one) => one.innerText.split(' ')[0])"),
        ["/rename", "/screenshot", "/review", "/release-notes"],
      );
      assert.equal(await panel.evaluate(selectedCommand), "/rename title");
      assert.equal(
        await panel.evaluate(`document.getElementById(${composer}.getAttribute("aria-activedescendant")).getAttribute("aria-selected")`),
        "true",
      );
      for (let times = 0; times < 3; times += 1) await panel.key("ArrowDown");
      await panel.key("Tab");
      assert.equal(await panel.evaluate(`${composer}.value`), "/release-notes ");
      assert.equal(await panel.evaluate("document.querySelector('#commands').hidden"), true);
      await panel.type("since May");
      await panel.key("Enter");
      await panel.until(text("You said /release-notes since May."));
      assert.equal((await sent(browser)).text, "/release-notes since May");
      await panel.type("/");
      await panel.until("!document.querySelector('#commands').hidden");
      await panel.key("Escape");
      assert.equal(await panel.evaluate("document.querySelector('#commands').hidden"), true);
      assert.equal(await panel.evaluate(`${composer}.value`), "/");
    }));

  test("a long argument gives way to its command's description, and a resting pointer selects no second command", () =>
    withPanel("usual", async (panel) => {
      await panel.size(360, 800);
      await panel.until(ready);
      await panel.evaluate(`${composer}.focus()`);
      await panel.type("/");
      await panel.until("!document.querySelector('#commands').hidden");
      assert.equal(await panel.evaluate("document.querySelectorAll('.menu__name mark').length"), 0, "nothing is typed that could match");
      const rows = await panel.evaluate(() =>
        [...document.querySelectorAll("#commands [role=option]")].map((row) => ({
          name: row.querySelector(".menu__name").innerText.split(" ")[0],
          fits: row.scrollWidth <= row.clientWidth,
          described: row.querySelector(".menu__about").clientWidth > 40,
        })),
      );
      assert.ok(rows.some(({ name }) => name === "/check"));
      assert.deepEqual(
        rows.filter(({ fits, described }) => !fits || !described),
        [],
      );
      // As if the list had opened under the pointer.
      await panel.send("DOM.enable");
      await panel.send("CSS.enable");
      const { root } = await panel.send("DOM.getDocument");
      const third = "#commands [role=option]:nth-of-type(4)";
      const { nodeId } = await panel.send("DOM.querySelector", { nodeId: root.nodeId, selector: third });
      await panel.send("CSS.forcePseudoState", { nodeId, forcedPseudoClasses: ["hover"] });
      const painted = await panel.evaluate(() =>
        [...document.querySelectorAll("#commands [role=option]")]
          .filter((row) => getComputedStyle(row).backgroundColor !== "rgba(0, 0, 0, 0)")
          .map((row) => row.getAttribute("aria-selected")),
      );
      assert.deepEqual(painted, ["true"]);
    }));

  test("in a filled composer the slash did nothing: it lists the commands and keeps what was written", () =>
    withPanel("usual", async (panel, browser) => {
      await panel.until(ready);
      await panel.evaluate(`${composer}.focus()`);
      await panel.type("since May");
      const open = "document.querySelector('.composer__bar [aria-label=Commands]').click()";
      await panel.evaluate(open);
      await panel.until("!document.querySelector('#commands').hidden");
      await panel.key("Escape");
      assert.equal(await panel.evaluate(`${composer}.value`), "since May");
      await panel.evaluate(open);
      await panel.type("sett");
      await panel.until(`${selectedCommand}?.startsWith("/settings")`);
      await panel.key("Enter");
      await panel.until("!document.querySelector('#settings').hidden");
      assert.equal(await panel.evaluate(`${composer}.value`), "since May");
      await panel.key("Escape");
      await panel.evaluate(open);
      await panel.type("release");
      await panel.until(`${selectedCommand}?.startsWith("/release-notes")`);
      await panel.key("Enter");
      assert.equal(await panel.evaluate(`${composer}.value`), "/release-notes since May");
      await panel.key("Enter");
      assert.equal((await sent(browser)).text, "/release-notes since May");
    }));

  test("beside Stop and Send the model keeps its whole name, at every width", () =>
    withPanel("streaming", async (panel) => {
      await panel.until("document.querySelector('.stop').checkVisibility() && !document.querySelector('.agent-button').disabled");
      await panel.evaluate(`${composer}.focus()`);
      await panel.type("and then");
      await panel.until("document.querySelector('.send').checkVisibility()");
      for (const width of [280, 320, 340, 360, 420]) {
        await panel.size(width, 600);
        const { bar, model } = await panel.evaluate(() => {
          const fits = (one) => one.scrollWidth <= one.clientWidth;
          return {
            bar: fits(document.querySelector(".composer__bar")),
            model: fits([...document.querySelectorAll(".agent-button__name b")].at(-1)),
          };
        });
        assert.deepEqual({ width, bar, model }, { width, bar: true, model: true });
      }
    }));

  test("a message may ask for a model of its own: the daemon reads that from its beginning", () =>
    withPanel("done", async (panel, browser) => {
      await panel.until(text("The total is rounded twice"));
      await panel.type("/dee");
      await panel.until("document.querySelector('#commands').innerText.includes('Send this message with the deep model')");
      await panel.key("Tab");
      await panel.type("why twice?");
      await panel.key("Enter");
      await panel.until(text("/deep why twice?"));
      assert.equal((await sent(browser)).text, "/deep why twice?");
    }));

  test("our commands never reach an agent", () =>
    withPanel("done", async (panel, browser) => {
      await panel.until(text("The total is rounded twice"));
      await say(panel, "/history");
      await panel.until("!document.querySelector('#history').hidden");
      await panel.key("Escape");
      await panel.until("document.querySelector('#history').hidden");
      assert.equal(await panel.evaluate(`document.activeElement === ${composer}`), true, "the focus is back where it came from");
      await say(panel, "/help");
      await panel.until("!document.querySelector('#settings').hidden && document.activeElement.id === 'keys'");
      await panel.key("Escape");
      await say(panel, "/folder ~/elsewhere");
      await panel.until("document.querySelector('.folder-button').innerText === 'elsewhere'");
      await say(panel, "/model deep");
      await panel.until("document.querySelector('.agent-button').innerText === 'claude code · deep'");
      await say(panel, "/note Remember the tax line");
      await panel.until("document.querySelector('#toast').innerText.includes('inbox')");
      await say(panel, "/new");
      await panel.until("!document.querySelector('.bubble')");
      assert.doesNotMatch(await browser.wire(), /^send /m);
    }));

  test("model and agent are chosen in one place; what is missing says how to get it", () =>
    withPanel("usual", async (panel) => {
      await panel.until(ready);
      await panel.evaluate("document.querySelector('.agent-button').click()");
      await press(panel, "Deep");
      await panel.until("document.querySelector('.agent-button').innerText === 'claude code · deep'");
      assert.equal(
        await panel.evaluate("document.querySelector('#agents').contains(document.activeElement)"),
        true,
        "the focus stays in the dialog",
      );
      await press(panel, "Opus");
      await panel.until("document.querySelector('.agent-button').innerText === 'claude code · opus'");
      await panel.evaluate("document.querySelector('.agent-button').click()");
      await press(panel, "Claude (ACP)");
      const install = "npm install -g @agentclientprotocol/claude-agent-acp";
      await panel.until(`document.querySelector('.menu__missing[open] .command')?.innerText.includes("${install}")`);
      await press(panel, "Codex");
      await panel.until("document.querySelector('.agent-button').innerText === 'codex · auto'");
    }));

  test("the folder is shown and changed, and a wrong one is refused in words", () =>
    withPanel("usual", async (panel) => {
      await panel.until(ready);
      await panel.until("document.querySelector('.folder-button').innerText === 'shop'");
      await panel.evaluate("document.querySelector('.folder-button').click()");
      await panel.until("document.activeElement.matches('#folder input')");
      await panel.type("elsewhere");
      await panel.key("Enter");
      await panel.until("document.querySelector('#folder [role=alert]').innerText.includes('is not a full path')");
      await panel.evaluate("document.querySelector('#folder input').select()");
      await panel.type("/srv/site");
      await panel.key("Enter");
      await panel.until("document.querySelector('.folder-button').innerText === 'site'");
      assert.equal(await panel.evaluate("document.activeElement.className"), "folder-button");
    }));

  test("page, selection, screenshot and picture go as chips that can be taken away", () =>
    withPanel("usual", async (panel, browser, page) => {
      await panel.until(ready);
      const attach = async (source) => {
        await panel.evaluate("document.querySelector('.composer__bar [aria-haspopup=menu]').click()");
        await panel.evaluate(`document.querySelector('[data-source=${source}]').click()`);
      };
      await attach("selection");
      await panel.until("document.querySelector('#toast').innerText.includes('Nothing is selected')");
      await page.evaluate("getSelection().selectAllChildren(document.querySelector('h1'))");
      await attach("selection");
      await panel.until("document.querySelector('[data-kind=selection]')");
      await attach("page");
      await panel.until("document.querySelector('[data-kind=page]')");
      await attach("screenshot");
      await panel.until("document.querySelector('[data-kind=shot]')");
      assert.deepEqual(await panel.evaluate(chips), ["selection", "page", "shot"]);
      await panel.evaluate("document.querySelector('[data-kind=page] button').click()");
      assert.deepEqual(await panel.evaluate(chips), ["selection", "shot"]);
      assert.equal(
        await panel.evaluate("document.activeElement.closest('.attachment').dataset.kind"),
        "shot",
        "the focus goes to the next chip",
      );
      const heading = await page.evaluate("document.querySelector('h1').innerText");
      await say(panel, "Look at these");
      await panel.until("document.querySelectorAll('.bubble-files .attachment').length === 2");
      assert.deepEqual(await sent(browser), { text: "Look at these", selection: heading, attachments: ["/tmp/gstack/shot-1.png"] });
      assert.deepEqual(await panel.evaluate(chips), []);
    }));

  test("an element is picked in the page, or the pick is given up", () =>
    withPanel("usual", async (panel) => {
      await panel.until(ready);
      await press(panel, "Pick element");
      await panel.until("document.querySelector('#toast').innerText.includes('Pick an element')");
      await panel.key("Escape");
      await panel.until("document.querySelector('#toast').hidden");
      assert.deepEqual(await panel.evaluate(chips), []);
    }));

  test("a picked element goes with the message as what the page says", () =>
    withPanel("picked", async (panel, browser) => {
      await panel.until(ready);
      await press(panel, "Pick element");
      await panel.until("document.querySelector('[data-kind=element]')?.innerText.includes('@e17')");
      await say(panel, "Make it green");
      await panel.until("document.querySelector('.bubble-files')");
      assert.match((await sent(browser)).selection, /^Picked element:\n@e17: button “Buy now”/);
    }));

  test("a selection, an element and a picture that go together show no element, and Retry drops the picture", () =>
    withPanel("picked", async (panel, browser, page) => {
      await panel.until(ready);
      await page.evaluate("getSelection().selectAllChildren(document.querySelector('h1'))");
      await panel.evaluate("document.querySelector('.composer__bar [aria-haspopup=menu]').click()");
      await panel.evaluate("document.querySelector('[data-source=selection]').click()");
      await panel.until("document.querySelector('[data-kind=selection]')");
      await press(panel, "Pick element");
      await panel.until("document.querySelector('[data-kind=element]')");
      await panel.evaluate(`(() => {
        const data = new DataTransfer();
        data.items.add(new File([Uint8Array.of(137, 80)], "dot.png", { type: "image/png" }));
        ${composer}.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
      })()`);
      await panel.until("document.querySelector('[data-kind=picture]')");
      await say(panel, "Compare these");
      await panel.until("document.querySelectorAll('.bubble-files .attachment').length === 3");
      assert.deepEqual(await panel.evaluate("[...document.querySelectorAll('.bubble-files [data-part]')].map((one) => one.dataset.part)"), [
        "selection",
        "element",
      ]);
      const first = await sent(browser);
      assert.match(first.selection, /^Selected text:\n[\s\S]+\n\nPicked element:\n@e17/);
      assert.deepEqual(first.attachments, ["dot.png"]);
      await press(panel, "Retry");
      await panel.until("document.querySelectorAll('.bubble-files').length === 2");
      assert.deepEqual((await sent(browser, 2)).attachments, ["dot.png"]);
    }));

  test("what is attached survives the panel's end and belongs to its tab", () =>
    withPanel("picked", async (panel, browser) => {
      await panel.until(ready);
      await press(panel, "Pick element");
      await panel.until("document.querySelector('[data-kind=element]')");
      const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=";
      await panel.evaluate(`(() => {
      const data = new DataTransfer();
      const bytes = Uint8Array.from(atob("${png}"), (c) => c.charCodeAt(0));
      data.items.add(new File([bytes], "dot.png", { type: "image/png" }));
      ${composer}.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
    })()`);
      await panel.until("document.querySelector('[data-kind=picture]')");
      await panel.evaluate(`${composer}.focus()`);
      await panel.type("These two");
      await untilStored(
        panel,
        `(all) => Object.values(all).includes("These two")
          && Object.entries(all).some(([key, value]) => key.startsWith("attached:") && value.length === 2)`,
      );
      const other = await panel.evaluate("chrome.tabs.create({ url: 'about:blank' }).then(({ id }) => id)");
      await panel.until(`${composer}.value === "" && !document.querySelector('.composer .attachment')`);
      await panel.evaluate(`chrome.tabs.remove(${other})`);
      await panel.until(`${composer}.value === "These two" && document.querySelectorAll('.composer .attachment').length === 2`);
      await panel.send("Page.reload");
      await panel.until(`${composer}?.value === "These two" && document.querySelectorAll('.composer .attachment').length === 2`);
      assert.deepEqual(await panel.evaluate(chips), ["element", "picture"]);
      assert.equal(await panel.evaluate("document.querySelector('.attachment__thumb').decode().then(() => true)"), true);
      await panel.evaluate(`${composer}.focus()`);
      await panel.key("Enter");
      const message = await sent(browser);
      assert.equal(message.text, "These two");
      assert.match(message.selection, /@e17/);
      assert.deepEqual(message.attachments, ["dot.png"]);
      await untilStored(panel, "(all) => !Object.keys(all).some((key) => /^(draft|attached|unsent):/.test(key))");
    }));

  test("a picture and a page's text that are still being read when another tab comes into view stay with their tab", () =>
    withPanel("usual", async (panel) => {
      await panel.until(ready);
      await panel.evaluate(`(() => {
      const held = new Promise((go) => { globalThis.goOn = go; });
      const { executeScript } = chrome.scripting;
      chrome.scripting.executeScript = async (...given) => { await held; return executeScript(...given); };
      const { arrayBuffer } = File.prototype;
      File.prototype.arrayBuffer = async function () { await held; return arrayBuffer.call(this); };
      document.querySelector('.composer__bar [aria-haspopup=menu]').click();
      document.querySelector('[data-source=page]').click();
      const data = new DataTransfer();
      data.items.add(new File([new Uint8Array(100)], "dot.png", { type: "image/png" }));
      ${composer}.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
    })()`);
      const bar = await panel.evaluate("document.querySelector('#tabbar').innerText");
      const other = await panel.evaluate("chrome.tabs.create({ url: 'about:blank' }).then(({ id }) => id)");
      await panel.until(`document.querySelector('#tabbar').innerText !== ${JSON.stringify(bar)}`);
      await panel.evaluate("goOn()");
      await untilStored(panel, '(all) => Object.entries(all).some(([key, value]) => key.startsWith("attached:") && value.length === 2)');
      assert.deepEqual(await panel.evaluate(chips), []);
      await panel.evaluate(`chrome.tabs.remove(${other})`);
      await panel.until("document.querySelector('.composer [data-kind=page]') && document.querySelector('.composer [data-kind=picture]')");
    }));

  test("a queued message could only be removed: it is edited, moved forward, sent now, and all are cleared at once", () =>
    withPanel("queue-full", async (panel, browser) => {
      const chips = "[...document.querySelectorAll('.queue-chip > .truncate')].map((one) => one.innerText)";
      const act = (index, label) =>
        panel.evaluate(`document.querySelectorAll('.queue-chip')[${index}].querySelector('[aria-label="${label}"]').click()`);
      await panel.until(`${chips}.length === 5 && !document.querySelector(".queue-chip button").disabled`);
      const [first, second, third, ...rest] = await panel.evaluate(chips);
      await act(1, "Move forward");
      await panel.until(`${chips}[0] === ${JSON.stringify(second)}`);
      await act(1, "Edit");
      await panel.until(`${composer}.value === ${JSON.stringify(first)} && ${chips}.length === 4`);
      await act(1, "Stop the turn and send now");
      await panel.until(`${chips}.length === 3 && document.querySelector("#conversation").innerText.includes(${JSON.stringify(third)})`);
      assert.deepEqual(await panel.evaluate(chips), [second, ...rest]);
      assert.match(await browser.wire(), /order .*"now":true/);
      await press(panel, "Clear");
      await panel.until("document.querySelector('#queue').hidden");
    }));

  test("a message that was refused comes back whole, before what was written meanwhile", () =>
    withPanel("refused", async (panel) => {
      await panel.until(ready);
      await panel.evaluate(
        "document.querySelector('.composer__bar [aria-haspopup=menu]').click(); document.querySelector('[data-source=screenshot]').click()",
      );
      await panel.until("document.querySelector('.composer [data-kind=shot]')");
      await say(panel, "Look at it");
      await panel.until("document.querySelector('.bubble--failed')");
      await panel.evaluate(`${composer}.focus()`);
      await panel.type("Next one");
      await press(panel, "Take back");
      await panel.until(`!document.querySelector('.bubble') && ${composer}.value === ${JSON.stringify("Look at it\n\nNext one")}`);
      assert.deepEqual(await panel.evaluate(chips), ["shot"]);
    }));

  test("a long text that was pasted is shown by its beginning, and all of it on demand", () =>
    withPanel("usual", async (panel, browser) => {
      await panel.until(ready);
      const pasted = "A line of a log that somebody pasted.\n".repeat(600).trim();
      await say(panel, pasted);
      await panel.until("document.querySelector('.bubble-note button')");
      assert.equal(await panel.evaluate("document.querySelector('.bubble').textContent.length"), 3001);
      assert.equal((await sent(browser)).text.length, pasted.length);
      await press(panel, "Show all");
      assert.equal(await panel.evaluate("document.querySelector('.bubble').textContent.length"), pasted.length);
      assert.equal(await panel.evaluate("document.querySelector('.bubble-note button')"), null);
    }));
});
