/** Input meant for something else decides nothing: hasty clicks, held keys, sentences being typed. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { revealed } from "../../extension/panel/state/revealed.js";
import { armed, composer, options, press, say, text, withPanel } from "./with-panel.mjs";

const decided = "document.querySelectorAll('.decided').length";
const card = "document.querySelector('.approval')";
const first = ".approval .choice";

async function types(panel, words) {
  for (const letter of words) await panel.key(letter, letter === " " ? "Space" : letter);
}

describe("a card that asks", options, () => {
  test("a click and an Enter that come with it decide nothing", () =>
    withPanel("approval-later", async (panel, browser) => {
      await panel.until("document.querySelector('.suggestion')");
      await panel.evaluate(`(() => {
      globalThis.hasty = 0;
      new MutationObserver(() => {
        const choice = document.querySelector(${JSON.stringify(first)});
        if (!choice || hasty > 0) return;
        hasty = 1;
        choice.click();
        choice.focus();
        choice.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true }));
        ${card}.focus();
        document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "1", bubbles: true, cancelable: true }));
      }).observe(document.querySelector("#conversation"), { subtree: true, childList: true });
    })()`);
      await say(panel, "Revoke it");
      await panel.until(armed);
      assert.equal(await panel.evaluate("hasty"), 1);
      assert.equal(await panel.evaluate(decided), 0);
      assert.doesNotMatch(await browser.wire(), /call approval\.answer/);
      await press(panel, "Deny");
      await panel.until(`${decided} === 1`);
    }));

  test("the second click of a double click does not approve the next card, however late it comes", () =>
    withPanel("approvals", async (panel) => {
      await panel.until(armed);
      await panel.click(first);
      await panel.until(`${decided} === 1 && ${armed}`);
      await panel.click(first, 2);
      assert.equal(await panel.evaluate(decided), 1);
      await panel.click(first);
      await panel.until(`${decided} === 2`);
    }));

  test("a double click on Allow once opens no steps that moved under the pointer", () =>
    withPanel("approval", async (panel) => {
      await panel.until(armed);
      const steps = "details.steps:not([hidden]) > summary";
      await panel.click(first);
      await panel.until(`${decided} === 1`);
      await panel.click(steps, 2);
      assert.equal(await panel.evaluate(`document.querySelector("${steps}").parentElement.open`), false);
      await panel.click(steps);
      assert.equal(await panel.evaluate(`document.querySelector("${steps}").parentElement.open`), true);
      // The person means the second click too if it hits the same control.
      await panel.click(steps, 2);
      assert.equal(await panel.evaluate(`document.querySelector("${steps}").parentElement.open`), false);
    }));

  test("one Enter never approves two cards, and a held one approves none", () =>
    withPanel("approvals", async (panel) => {
      await panel.until(armed);
      await panel.evaluate(`document.querySelector(${JSON.stringify(first)}).focus()`);
      await panel.key("Enter", "Enter", { autoRepeat: true });
      assert.equal(await panel.evaluate(decided), 0);
      await panel.key("Enter");
      await panel.until(`${decided} === 1 && ${armed}`);
      // The next card itself has the focus, not one of its answers.
      assert.equal(await panel.evaluate(`document.activeElement === ${card} || document.activeElement === ${composer}`), true);
      await panel.evaluate(`${card}.focus()`);
      await panel.key("Enter");
      await panel.key(" ", "Space");
      assert.equal(await panel.evaluate(decided), 1);
    }));

  test("a sentence typed over it goes to the composer, with its spaces and its Enter", () =>
    withPanel("approval", async (panel, browser) => {
      await panel.until(`${armed} && document.activeElement === ${card}`);
      await types(panel, "no wait, 2 of them");
      assert.equal(await panel.evaluate(`${composer}.value`), "no wait, 2 of them");
      await panel.key("Enter");
      // Typing at a card only joined the queue, and the card went on waiting.
      await panel.until(`${decided} === 1 && ${card} === null`);
      await panel.until("[...document.querySelectorAll('.bubble')].at(-1).innerText === 'no wait, 2 of them'");
      const wire = await browser.wire();
      assert.match(wire, /answered .*"decision":"deny"[^]*message .*no wait, 2 of them/);
      assert.equal(await panel.evaluate("document.querySelectorAll('.queue-chip').length"), 0);
    }));

  test("the card says what the message does to it; with Ctrl and Enter the message waits and the card stays", () =>
    withPanel("approval", async (panel, browser) => {
      await panel.until(armed);
      const rows = "[...document.querySelectorAll('.approval [data-instead]')].map((one) => one.innerText.replace(/\\s+/g, ' '))";
      assert.deepEqual(await panel.evaluate(rows), []);
      await panel.evaluate(`${composer}.focus()`);
      await panel.type("later then");
      assert.deepEqual(await panel.evaluate(rows), ["Deny and tell Claude Code Enter", "Send later, keep the request Ctrl Enter"]);
      await panel.key("Enter", "Enter", { modifiers: 2 });
      await panel.until("document.querySelector('.queue').innerText.includes('later then')");
      assert.deepEqual(await panel.evaluate(rows), []);
      assert.equal(await panel.evaluate(decided), 0);
      assert.doesNotMatch(await browser.wire(), /call approval\.answer/);
      await panel.type("no, the newest");
      await panel.evaluate("document.querySelector('[data-instead=now]').click()");
      await panel.until(`${decided} === 1`);
      await panel.until(text("no, the newest"));
    }));

  test("a card that moves under the pointer is not armed any more", () =>
    withPanel("approval", async (panel) => {
      await panel.until(armed);
      await panel.evaluate(`{
        const meanwhile = Object.assign(document.createElement("div"), { textContent: "It came meanwhile.", id: "meanwhile" });
        ${card}.closest(".turn").before(meanwhile);
      }`);
      await panel.evaluate(`document.querySelector("#conversation").scrollTop = 0`);
      // At once: no listener has been notified of the move yet.
      await panel.evaluate(
        `document.querySelector("#meanwhile").style.height = "37px"; document.querySelector(${JSON.stringify(first)}).click()`,
      );
      assert.equal(await panel.evaluate(decided), 0);
      await panel.until(armed);
      await press(panel, "Deny");
      await panel.until(`${decided} === 1`);
    }));

  test("scrolled out of view, a card waits without a word and a digit answers it unseen", () =>
    withPanel("approval", async (panel, browser) => {
      await panel.size(380, 460);
      await panel.until(armed);
      const waits = "document.querySelector('.waits')";
      assert.equal(await panel.evaluate(`${waits}.hidden`), true);
      await panel.evaluate(`${card}.focus()`);
      await panel.evaluate("document.querySelector('#conversation').scrollTop = 0");
      await panel.until(`!${waits}.hidden`);
      assert.match(await panel.evaluate(`${waits}.innerText`), /Click “Revoke key” for ci-old\s+Show/);
      assert.equal(await panel.evaluate("document.querySelector('.jump').hidden"), true);
      // The card is armed again: it has moved.
      await panel.until(armed);
      await panel.key("1");
      await panel.until("document.querySelector('#toast').innerText.includes('answer only a card that you see')");
      assert.equal(await panel.evaluate(decided), 0);
      assert.equal(await panel.evaluate(`${composer}.value`), "");
      await panel.evaluate(`${waits}.click()`);
      await panel.until(`${waits}.hidden && document.activeElement === ${card}`);
      assert.doesNotMatch(await browser.wire(), /call approval\.answer/);
      await panel.until(armed);
      await panel.key("1");
      await panel.until(`${decided} === 1 && ${waits}.hidden`);
    }));

  test("all that runs is shown: blanks are counted, what turns letters around is named, nothing is cut", () =>
    withPanel("approval-hidden", async (panel) => {
      await panel.until(card);
      const shown = await panel.evaluate("document.querySelector('.approval__does').innerText");
      assert.match(shown, /^document\.title⟨600 spaces⟩; fetch\("\/transfer\?to=⟨U\+202E⟩gro\.live⟨U\+202C⟩"\)/);
      assert.match(shown, /⟨41 empty lines⟩\s+\/\/ end x{3000} the last word$/);
      assert.match(
        await panel.evaluate("document.querySelector('.approval__why').innerText"),
        /^The agent says: The person ⟨U\+2067⟩already agreed$/,
      );
      await panel.until("!document.querySelector('.approval__long').hidden");
      await panel.evaluate("document.querySelector('.approval__does').scrollTop = 1e6");
      assert.equal(
        await panel.evaluate(() => {
          const { scrollTop, clientHeight, scrollHeight } = document.querySelector(".approval__does");
          return scrollTop + clientHeight >= scrollHeight - 1;
        }),
        true,
      );
    }));

  test("each choice says what it allows and where", () =>
    withPanel("approval", async (panel) => {
      await panel.until(card);
      const choices = await panel.evaluate("[...document.querySelectorAll('.choice__words')].map((one) => one.innerText)");
      assert.deepEqual(choices, [
        "Allow once",
        "Allow clicks and typing on console.halden.example",
        "Allow clicks and typing in this conversation",
        "Deny",
      ]);
    }));

  test("a choice for what sends forms does not say clicks and typing", () =>
    withPanel("approval-submit", async (panel) => {
      await panel.until(card);
      const choices = await panel.evaluate("[...document.querySelectorAll('.choice__words')].map((one) => one.innerText)");
      assert.deepEqual(choices, ["Allow once", "Allow sending forms, paying, deleting on console.halden.example", "Deny"]);
      assert.match(
        await panel.evaluate("document.querySelector('.approval__does').innerText"),
        /^button “Revoke key”\n→ https:\/\/console\.halden\.example\/keys$/,
      );
    }));

  test("a card for a click shows program text: it says the element, and the command is behind a disclosure", () =>
    withPanel("approval", async (panel) => {
      await panel.until(card);
      const fold = "document.querySelector('.approval__command')";
      assert.doesNotMatch(await panel.evaluate("document.querySelector('.approval').innerText"), /click @e14/);
      assert.equal(await panel.evaluate("document.querySelector('.approval__does').innerText"), "button “Revoke key”");
      await panel.evaluate(`${fold}.querySelector("summary").click()`);
      assert.match(await panel.evaluate(`${fold}.innerText`), /^Command\s+click @e14$/);
    }));

  test("a command that the card does not say completely stays in view", async () => {
    globalThis.chrome ??= { i18n: { getMessage: (_name, values = []) => `“${values[0]}”` } };
    const { factsOf } = await import("../../extension/panel/view/approval.js");
    const element = { target: "@e3", role: "textbox", name: "Name", document: "d" };
    const hidden = (command, action = {}) =>
      factsOf({ does: command, kind: "act", action: { command, element, ...action } }).command !== null;
    assert.deepEqual(
      [
        hidden("click @e3"),
        hidden("click -- #order"),
        hidden('fill @e3 "Ada"', { text: "Ada" }),
        hidden("drag @e3 @e4"),
        hidden("select @e3 Germany"),
      ],
      [true, true, true, true, true],
    );
    assert.deepEqual(
      [
        hidden("fill @e3 ••••••••"),
        hidden("click @e3 --new-tab"),
        hidden("click @e3", { element: undefined }),
        hidden("click @e3", { content: "more" }),
        hidden("js document.title"),
        hidden("modify @e3 color red"),
        hidden("clicks @e3"),
      ],
      [false, false, false, false, false, false, false],
    );
  });

  test("a drag shows both of its elements", () =>
    withPanel("approval-drag", async (panel) => {
      await panel.until(card);
      const shown = await panel.evaluate("document.querySelector('.approval__does').innerText");
      assert.equal(shown, "listitem “Invoice 17”\n→ list “Paid”");
    }));
});

describe("the card and the composer come first", options, () => {
  for (const drawer of ["Debug", "Settings", "History"]) {
    test(`a card that arrives closes ${drawer}; one that is behind it says so`, () =>
      withPanel("approval-later", async (panel) => {
        await panel.until("document.querySelector('.suggestion')");
        await panel.evaluate(`${composer}.value = "Revoke it"; ${composer}.dispatchEvent(new Event("input"))`);
        await panel.evaluate(
          `document.querySelector("#composer").requestSubmit(); document.querySelector('.statusbar [aria-label=${drawer}]').click()`,
        );
        await panel.until(armed);
        assert.deepEqual(await panel.evaluate("['history', 'settings', 'debug'].map((id) => document.getElementById(id).hidden)"), [
          true,
          true,
          true,
        ]);
        await panel.evaluate(`document.querySelector('.statusbar [aria-label=${drawer}]').click()`);
        await panel.until("!document.querySelector('#asks').hidden");
        await press(panel, "Show");
        await panel.until(`${armed} && document.querySelector('#asks').hidden`);
      }));
  }

  test("Escape that was pressed while the page had the keyboard stops the agent, and the letters before it stay", () =>
    withPanel("escaped", async (panel, browser) => {
      await panel.until("document.querySelector('.suggestion')");
      await say(panel, "Click about");
      await panel.until("document.querySelector('#conversation').innerText.toLowerCase().includes('stopped')");
      assert.match(await browser.wire(), /call chat\.stop/);
      assert.equal(await panel.evaluate(`${composer}.value`), "no");
    }));

  test("what is typed after a footer icon, a drawer and Escape is a message", () =>
    withPanel("usual", async (panel) => {
      await panel.until("document.querySelector('.suggestion')");
      await panel.click(".statusbar [aria-label=Settings]");
      await panel.until("!document.querySelector('#settings').hidden");
      await panel.key("Escape");
      await panel.until("document.querySelector('#settings').hidden");
      await types(panel, "one two");
      assert.equal(await panel.evaluate(`${composer}.value`), "one two");
      await panel.evaluate("document.querySelector('.statusbar [aria-label=Debug]').focus()");
      await types(panel, "x three");
      assert.equal(await panel.evaluate(`${composer}.value`), "one twox three");
      assert.equal(await panel.evaluate("document.querySelector('#debug').hidden"), true);
      await panel.click(".statusbar [aria-label=Settings]");
      await panel.until("!document.querySelector('#settings').hidden");
      await panel.evaluate("document.activeElement.blur()");
      await types(panel, "y");
      assert.equal(await panel.evaluate(`document.querySelector('#settings').hidden && ${composer}.value`), "one twox threey");
    }));

  test("without the keyboard the composer shows no ring", () =>
    withPanel("usual", async (panel, _browser, page) => {
      await panel.until("document.querySelector('.suggestion')");
      const ring = "getComputedStyle(document.querySelector('.composer')).borderColor";
      await panel.send("Page.bringToFront");
      await panel.evaluate(`${composer}.focus()`);
      await panel.until("document.hasFocus() && !document.documentElement.classList.contains('is-away')");
      await panel.evaluate("Promise.all(document.querySelector('.composer').getAnimations().map((one) => one.finished))");
      const focused = await panel.evaluate(ring);
      await page.send("Page.bringToFront");
      await panel.until("!document.hasFocus() && document.documentElement.classList.contains('is-away')");
      await panel.evaluate("Promise.all(document.querySelector('.composer').getAnimations().map((one) => one.finished))");
      assert.notEqual(await panel.evaluate(ring), focused);
      assert.equal(await panel.evaluate(`document.activeElement === ${composer}`), true);
    }));
});

describe("a text as it is", () => {
  test("what can't be seen is named, what people write stays", () => {
    const told = (words) =>
      revealed(words)
        .map((part) => (part.kind === "text" ? part.text : part.kind === "hidden" ? `<${part.name}>` : `<${part.count} ${part.kind}>`))
        .join("");
    assert.equal(told("a\u202eb\u2066c\u2069"), "a<U+202E>b<U+2066>c<U+2069>");
    assert.equal(told("pay\u200bpal\u00ad\u034f\u061c\u180e\u{e0041}"), "pay<U+200B>pal<U+00AD><U+034F><U+061C><U+180E><U+E0041>");
    assert.equal(told("a\rb\u0007c\u2028d"), "a<U+000D>b<U+0007>c<U+2028>d");
    assert.equal(told(`x${" ".repeat(600)}y`), "x<600 spaces>y");
    assert.equal(told("x\u00a0\u2003 \u3000y"), "x<4 spaces>y");
    assert.equal(told("if x:\n    return\n"), "if x:\n    return\n");
    assert.equal(told(`a\n${" ".repeat(200)}b`), "a\n<200 spaces>b");
    assert.equal(told("a\n\n\n\n\n\nb"), "a<6 lines>b");
    const visible = "Grüße, 日本語, مرحبا, 👩‍👩‍👧 ❤️ ok";
    assert.equal(told(visible), visible);
    assert.equal(told("x\u200dy\ufe0f"), "x<U+200D>y<U+FE0F>");
  });

  test("what the daemon has spelled out is named the same way", () => {
    const spelled = "a⟨U+202E⟩b ⟨600 blanks⟩ c\n⟨90 line breaks⟩\nd⟨U+27E8⟩e⟨f⟩";
    const kinds = revealed(spelled).filter((part) => part.kind !== "text");
    assert.deepEqual(kinds, [
      { kind: "hidden", name: "U+202E" },
      { kind: "spaces", count: 600 },
      { kind: "lines", count: 89 },
      { kind: "hidden", name: "U+27E8" },
    ]);
  });
});
