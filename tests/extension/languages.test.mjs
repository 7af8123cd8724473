/** Faults and the pill in the page use the browser's language, and Latin names do not change a sentence's direction. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { drawn } from "../e2e/harness/marks.mjs";
import { until } from "../e2e/harness/wait.mjs";
import { options, say, text, withPanel } from "./with-panel.mjs";

const locales = new URL("../../extension/_locales/", import.meta.url);
const catalogue = (locale) => JSON.parse(readFileSync(new URL(`${locale}/messages.json`, locales), "utf8"));

/** Behaves like a browser of that language. */
function speak(locale) {
  const words = catalogue(locale);
  globalThis.chrome = {
    i18n: { getMessage: (name, values = []) => (words[name]?.message ?? "").replaceAll(/\$(\d)/g, (_place, at) => values[at - 1] ?? "") },
  };
}

const FAULT = {
  code: "agent-error",
  message: "OpenAI's API failed (stream error)",
  hint: "Try again in a minute.",
  hop: "agent",
  words: { message: { code: "api_failed", values: ["OpenAI"] }, said: "stream error", hint: { code: "try_in_a_minute" } },
};

describe("a fault", () => {
  test("is said in every language, with what a program said behind it", async () => {
    const { worded } = await import("../../extension/shared/fault-words.js");
    const said = new Set();
    for (const locale of readdirSync(locales)) {
      speak(locale);
      const { message, hint, words } = worded(FAULT);
      assert.match(message, /OpenAI.*stream error/s, locale);
      assert.equal(hint, catalogue(locale).fault_try_in_a_minute.message);
      assert.deepEqual(words, {});
      said.add(message);
    }
    assert.equal(said.size, 7);
    speak("en");
    assert.equal(worded(FAULT).message, FAULT.message);
  });

  test("without words says its kind, and keeps its English, which a sentence from the right does not turn around", async () => {
    const { SAID, worded } = await import("../../extension/shared/fault-words.js");
    const plain = { code: "tab-gone", message: "It is /tmp/a.", hint: "Look." };
    const newer = { ...plain, words: { message: { code: "of_a_newer_daemon", values: ["a"] } } };
    speak("en");
    for (const fault of [plain, newer]) assert.deepEqual(worded(fault), { ...plain, words: {} });
    speak("de");
    const german = { code: "tab-gone", message: "Der Tab ist nicht mehr da. (It is /tmp/a. Look.)", words: {} };
    for (const fault of [plain, newer, { ...plain, words: { hint: { code: "of_a_newer_daemon" } } }])
      assert.deepEqual(worded(fault), german);
    assert.deepEqual(worded(german), german, "what is in words stays so");
    assert.equal(worded({ ...plain, code: "of-a-newer-daemon" }).message, plain.message);
    assert.equal(worded({ code: "timeout", message: "Zu spät.", words: SAID }).message, "Zu spät.", "the extension's own");
    speak("ar");
    const said = catalogue("ar").code_tab_gone.message;
    assert.deepEqual(worded(plain), { code: "tab-gone", message: `${said} (\u2068It is /tmp/a. Look.\u2069)`, words: {} });
    const half = { ...FAULT, hint: "Look.", words: { message: FAULT.words.message } };
    assert.equal(worded(half).hint, "(\u2068Look.\u2069)", "an English hint behind words of ours");
  });

  test("of each kind that can reach a panel has words in every language", () => {
    const declared = readFileSync(new URL("../protocol.d.ts", locales), "utf8").match(/export type FaultCode = ([^;]+);/)?.[1] ?? "";
    const kinds = [...declared.matchAll(/"([a-z-]+)"/g)].map(([, code]) => `code_${code.replaceAll("-", "_")}`);
    assert.ok(kinds.length > 20);
    for (const locale of readdirSync(locales)) {
      const known = Object.keys(catalogue(locale)).filter((name) => name.startsWith("code_"));
      assert.deepEqual(known.sort(), [...kinds].sort(), locale);
      assert.equal(new Set(known.map((name) => catalogue(locale)[name].message)).size, kinds.length, `${locale}: each its own words`);
    }
  });

  test("has each Latin value isolated in a sentence from the right", async () => {
    const { worded } = await import("../../extension/shared/fault-words.js");
    const words = catalogue("ar");
    speak("ar");
    for (const [name, { message }] of Object.entries(words).filter(([name]) => name.startsWith("fault_"))) {
      const places = [...message.matchAll(/\$\d/g)];
      const values = places.map((_place, at) => `/home/you/${at}.`);
      const said = worded({ ...FAULT, words: { message: { code: name.slice("fault_".length), values } } }).message;
      for (const value of values) assert.ok(said.includes(`\u2068${value}\u2069`), `${name}: ${said}`);
    }
  });
});

test("a fault's own words begin with a capital letter; the program's name and a value stay as they are", async () => {
  const { worded } = await import("../../extension/shared/fault-words.js");
  const said = (code, ...values) => worded({ ...FAULT, words: { message: { code, values } } }).message.replace(/[\u2068\u2069]/g, "");
  speak("en");
  assert.equal(said("message_empty"), "The message is empty");
  assert.equal(said("updating").slice(0, 9), "gstack is");
  assert.equal(said("not_a_folder", "notes"), "notes is not a folder");
  assert.equal(worded({ ...FAULT, message: "nonsense is not a value", words: null }).message, "nonsense is not a value");
  speak("de");
  assert.equal(said("message_empty"), "Die Nachricht ist leer");
});

describe("what else the daemon tells", () => {
  const told = [
    [
      "Claude's API is overloaded; trying again. (2/10)",
      { message: { code: "retry_overloaded", values: ["Claude"] }, said: "2/10" },
      /Claude.*2\/10/s,
    ],
    ["version 0.1.0, pid 7, home /h", { message: { code: "hop_daemon", values: ["0.1.0", "7", "/h"] } }, /0\.1\.0.*7.*\/h/s],
    ["no work tree could be made: git was not found", { message: { code: "tree_no_git" } }, /git/],
    ["the page navigated away while gstack was reading it", { message: { code: "page_left" } }, /./],
    ["GEMINI_API_KEY is set: …", { message: { code: "key_billed_gemini", values: ["GEMINI_API_KEY"] } }, /GEMINI_API_KEY.*Google/s],
  ];

  test("notices, warnings, hops, work trees and pages are said in every language", async () => {
    const { inWords } = await import("../../extension/shared/fault-words.js");
    for (const [english, words, holds] of told) {
      const said = new Set();
      for (const locale of readdirSync(locales)) {
        speak(locale);
        assert.match(inWords(english, words), holds, locale);
        said.add(inWords(english, words));
      }
      assert.equal(said.size, 7, english);
    }
    speak("de");
    assert.equal(inWords("as it came", null), "as it came");
  });

  test("no file of the panel shows words that are in no catalogue", () => {
    const panel = new URL("../../extension/panel/", import.meta.url);
    const before = /setText\([^,()]+, |textContent = |"aria-label": |(?:title|placeholder): |^\s+h\("[a-z]+", \{[^{}]*\}, /;
    const shown = new RegExp(`(?:${before.source})"([^"]*[A-Za-z]{3,}[^"]*)"`, "gm");
    const found = readdirSync(panel, { recursive: true })
      .filter((name) => name.endsWith(".js"))
      .flatMap((name) => [...readFileSync(new URL(name, panel), "utf8").matchAll(shown)].map(([, words]) => `${name}: ${words}`));
    // A name and a key, the same in every language.
    assert.deepEqual(
      found.filter((one) => !/: (?:gstack|esc)$/.test(one)),
      [],
    );
  });
});

test("what a value hides itself stays with it, to be named; only what we put around values goes", async () => {
  const { askParts, askWords } = await import("../../extension/shared/said.js");
  speak("ar");
  const hostile = "Pay\u2069\u202e now";
  const asked = { ask: `Click “${hostile}”`, phrase: { code: "click_sel", values: [hostile] } };
  assert.deepEqual(askParts(asked), [
    { text: "النقر على ", isValue: false },
    { text: `«${hostile}»`, isValue: true },
  ]);
  assert.equal(askWords(asked), `النقر على \u2068«${hostile}»\u2069`);
  speak("en");
  assert.deepEqual(askParts(asked), [{ text: asked.ask, isValue: true }]);
});

test("what is Latin in an Arabic sentence and would turn around is isolated", () => {
  for (const [name, { message }] of Object.entries(catalogue("ar"))) {
    if (!/[\u0600-\u06ff]/.test(message)) continue;
    const open = message.replaceAll(/\u2068[^\u2068\u2069]*\u2069/g, "");
    assert.doesNotMatch(open, /[\u2066-\u2069]/, `${name}: each isolate is closed`);
    // Text that starts in another script follows that script where the text decides its direction.
    assert.doesNotMatch(open, /^[^\u0600-\u06ff]*[A-Za-z]/, `${name}: ${message}`);
    // A sign that belongs to the Latin word beside it: the sentence's own direction would move it to the other side.
    assert.doesNotMatch(open, /(?:^|[\s(«])[~/.\-@#$][A-Za-z]|~\/|[A-Za-z]\/(?=$|[\s)»])|`/, `${name}: ${message}`);
  }
});

/** An expression for where each of the texts begins and ends on the screen: `[left, right]` of its box. */
const places = (selector, ...parts) => `(() => {
  const walker = document.createTreeWalker(document.querySelector(${JSON.stringify(selector)}), NodeFilter.SHOW_TEXT);
  const found = {};
  for (let node = walker.nextNode(); node; node = walker.nextNode()) for (const part of ${JSON.stringify(parts)}) {
    const at = node.data.indexOf(part);
    if (at < 0) continue;
    const range = document.createRange();
    range.setStart(node, at);
    range.setEnd(node, at + part.length);
    const { left, right } = range.getBoundingClientRect();
    found[part] = [left, right];
  }
  return ${JSON.stringify(parts)}.map((part) => found[part]);
})()`;

describe("the panel", options, () => {
  for (const [language, card, ended] of [
    ["de", "Claude Code ist nicht angemeldet", "Codex wurde unerwartet beendet (exit status: 101)"],
    ["fr", "Claude Code n’est pas connecté à un compte", "Codex s’est arrêté de façon inattendue (exit status: 101)"],
  ]) {
    test(`says why a turn failed in its language: ${language}`, () =>
      withPanel(
        "errors",
        async (panel) => {
          await panel.until(text(card));
          await panel.until(text(ended));
          assert.equal(await panel.evaluate(text("is not signed in")), false);
        },
        { language },
      ));
  }

  for (const [scenario, ask] of [
    ["approval", "النقر على «Revoke key»"],
    ["together", "تعبئة الحقول: 2، ثم النقر على «Place order»"],
  ]) {
    test(`asks in Arabic without naming what keeps Latin values in their place as hidden: ${scenario}`, () =>
      withPanel(
        scenario,
        async (panel) => {
          await panel.until("document.querySelector('.approval__ask')?.innerText");
          assert.equal(await panel.evaluate("document.querySelector('.approval__ask').innerText"), ask);
          assert.equal(await panel.evaluate("document.querySelectorAll('.approval .unseen').length"), 0);
          const [verb, name] = await panel.evaluate(places(".approval__ask", "النقر", scenario === "together" ? "Place" : "Revoke"));
          assert.ok(verb[0] >= name[1] || scenario === "together", "from the right");
        },
        { language: "ar" },
      ));
  }

  for (const [language, step, failed] of [
    ["de", "Checkout anklicken", "Der Schritt ist fehlgeschlagen. (Covered by"],
    ["ar", "Checkout", "(\u2068Covered by"],
  ]) {
    test(`says what was done and that it failed: ${language}`, () =>
      withPanel(
        "steps",
        async (panel) => {
          await panel.until("document.querySelector('.steps > summary')");
          await panel.evaluate("for (const summary of document.querySelectorAll('.steps > summary')) summary.click()");
          await panel.until("document.querySelector('.step__reason')");
          const labels = await panel.evaluate("[...document.querySelectorAll('.step .step__label')].map((one) => one.innerText)");
          assert.ok(
            labels.some((label) => label.includes(step)),
            labels.join("\n"),
          );
          assert.doesNotMatch(labels.join("\n"), /Clicking|Opening|Reading|Filling|Closing/);
          const reasons = await panel.evaluate("[...document.querySelectorAll('.step__reason')].map((one) => one.textContent)");
          assert.ok(
            reasons.some((reason) => reason.includes(failed)),
            reasons.join("\n"),
          );
          for (const reason of reasons) assert.doesNotMatch(reason, /^Covered/, "not as if the panel said it");
        },
        { language },
      ));
  }

  test("says in Arabic, from the right, that gstack is missing", () =>
    withPanel(
      undefined,
      async (panel) => {
        await panel.until("document.querySelector('.empty__title') && document.querySelector('.empty .command code')");
        const [first, who, name] = await panel.evaluate(places(".empty__title", "لا", "المتصفح", "gstack"));
        assert.ok(first[0] >= who[1] && who[0] >= name[1], JSON.stringify([first, who, name]));
        const [no, reached] = await panel.evaluate(places(".agent-button__name", "بلا", "gstack"));
        assert.ok(no[0] >= reached[1], JSON.stringify([no, reached]));
        const [program, argument] = await panel.evaluate(places(".empty .command code", "gstack", "host"));
        assert.ok(program[1] <= argument[0], "a command runs from the left");
      },
      { language: "ar" },
    ));

  test("leaves English without Arabic words as it is read: its full stop comes behind it", () =>
    withPanel(
      "broken",
      async (panel) => {
        await panel.until("document.querySelector('.empty__title')");
        const [word, colon] = await panel.evaluate(places(".empty__title", "wrong", ":"));
        assert.ok(word[1] <= colon[0] + 1, JSON.stringify([word, colon]));
      },
      { language: "ar" },
    ));
});

describe("the pill in the page", options, () => {
  for (const [language, doing] of [
    ["en", "clicking Apply"],
    ["de", "Apply anklicken"],
    ["ar", "Apply"],
  ]) {
    test(`says what the agent does: ${language}`, () =>
      withPanel(
        "working",
        async (panel, _browser, page) => {
          await say(panel, "Do it");
          await page.send("DOM.enable");
          const pill = await until(
            async () =>
              (await drawn(page)).find(
                ({ names, text: said }) => names.includes("pill") && !names.includes("is-idle") && said.includes("Apply"),
              ),
            "the pill",
          );
          if (language === "ar") {
            assert.match(pill.text, /[\u0600-\u06ff].*\u2068Apply\u2069/s);
            const { node } = await page.send("DOM.describeNode", { nodeId: pill.nodeId });
            assert.equal(node.attributes[node.attributes.indexOf("dir") + 1], "rtl");
          } else assert.ok(pill.text.includes(doing), pill.text);
        },
        { language },
      ));
  }
});

test("code lines that run from the right, English quotation marks and nameless speakers: a panel in Arabic and in German", async () => {
  const directions = `[...document.querySelectorAll(".approval code, .steps code, .command code")].map((one) =>
    [getComputedStyle(one).direction, getComputedStyle(one).unicodeBidi].join(" "))`;
  for (const [language, quotes] of [
    ["ar", "«Revoke key»"],
    ["de", "„Revoke key“"],
  ]) {
    await withPanel(
      "approval",
      async (panel) => {
        await panel.until("document.querySelector('.approval .choice')");
        const found = await panel.evaluate(directions);
        assert.ok(found.length > 0);
        assert.deepEqual([...new Set(found)], ["ltr isolate"]);
        assert.match(await panel.evaluate("document.querySelector('.approval__ask').innerText"), new RegExp(quotes));
        assert.deepEqual(await panel.evaluate("[...document.querySelectorAll('.turn > h2')].map((one) => one.textContent)"), [
          catalogue(language).you.message,
          "Claude Code",
        ]);
      },
      { language },
    );
  }
});
