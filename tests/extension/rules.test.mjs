/**
 * The panel's pure rules: commands, chips, models, history, settings, a person's rules, answers, the parts of a turn.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { cost, date, duration, lastOf, setLanguage, size, tokens } from "../../extension/panel/format.js";
import { elementContext, heldOf, joined, pageContext, partsOf, selectionContext } from "../../extension/panel/state/context.js";
import { newConversation, prepended, pushed, subscribed } from "../../extension/panel/state/conversation.js";
import { displayed } from "../../extension/panel/state/display.js";
import { directionOf } from "../../extension/panel/state/direction.js";
import { fold, openAsk, runningTurn } from "../../extension/panel/state/entries.js";
import { notableMode } from "../../extension/panel/state/mode.js";
import { keptModel, modelName, modelNamed } from "../../extension/panel/state/model.js";
import { INITIAL, newerExtension, reduce } from "../../extension/panel/state/panel-state.js";
import { byDay, dayOf, foldersOf, marked } from "../../extension/panel/state/past.js";
import { spanOf, unattended, unattendedRule } from "../../extension/panel/state/policy.js";
import { answersOf } from "../../extension/panel/state/question.js";
import { byGroup, controlOf, valueOf } from "../../extension/panel/state/settings.js";
import { offered, ownCommand, typedCommand } from "../../extension/panel/state/slash.js";

const INFO = { conversationId: "c", title: "", folder: "/home/you", head: 0, createdAt: 1, updatedAt: 1, state: "idle", queued: 0 };
const event = (seq, body) => ({ seq, at: seq * 1000, ...body });
const message = (seq, clientId = "m") => event(seq, { type: "message", clientId, text: clientId, from: "panel" });
const started = (seq, turnId = "t", clientId = "m", more = {}) =>
  event(seq, { type: "turn-started", turnId, clientId, agent: "claude", agentLabel: "Claude Code", ...more });
const done = (seq, outcome = "done", turnId = "t") => event(seq, { type: "turn-done", turnId, outcome, durationMs: 9 });
const read = (...events) => subscribed(newConversation(INFO), { epoch: "e", info: INFO, head: events.length, events, older: false }, 0);

describe("commands", () => {
  const own = [
    { name: "new", about: "", hint: "", own: true },
    { name: "rename", about: "", hint: "title", own: true },
  ];
  const claude = { label: "Claude Code", commands: [{ name: "review" }, { name: "pre-release", hint: "[since]" }, { name: "cost" }] };

  test("a slash at the very beginning, alone, is a command; all else is a message", () => {
    assert.deepEqual(
      [
        [1, "/ a message"],
        [3, "/re a message"],
        [3, "/renew"],
        [9, "/re a message"],
      ].map(([caret, value]) => typedCommand(value, caret)),
      [{ name: "", rest: "a message" }, { name: "re", rest: "a message" }, null, null],
    );
    const name = (/** @type {string} */ value) => typedCommand(value)?.name ?? null;
    assert.deepEqual(["/", "/re", "/re view", "a /re", "", "//", "/mcp:list"].map(name), ["", "re", null, null, null, null, "mcp:list"]);
  });

  const flows = [{ name: "order", hint: "size=…" }, { name: "review", description: "Mine" }, { name: "new" }];

  test("ours come first, then the agent's; those that begin with it before those that hold it", () => {
    assert.deepEqual(
      offered("re", own, claude, [], "Flows").map(({ title, commands }) => [title, commands.map(({ name }) => name)]),
      [
        ["gstack", ["rename"]],
        ["Claude Code", ["review", "pre-release"]],
      ],
    );
    assert.deepEqual(offered("zzz", own, claude, flows, "Flows"), []);
    assert.deepEqual(
      offered("", own, undefined, [], "Flows").map(({ title }) => title),
      ["gstack"],
    );
  });

  test("a name that two have stands once, with the one that runs; what begins with the text comes first", () => {
    const shown = (/** @type {string} */ typed) =>
      offered(typed, own, claude, flows, "Flows").map(({ title, commands }) => [title, commands.map(({ name }) => name)]);
    assert.deepEqual(shown("re"), [
      ["gstack", ["rename"]],
      ["Flows", ["review"]],
      ["Claude Code", ["pre-release"]],
    ]);
    assert.deepEqual(shown("n"), [["gstack", ["new", "rename"]]]);
    assert.deepEqual(shown("e"), [
      ["gstack", ["new", "rename"]],
      ["Flows", ["order", "review"]],
      ["Claude Code", ["pre-release"]],
    ]);
    assert.deepEqual(shown("o")[0], ["Flows", ["order"]]);
  });

  test("ours are known with what follows them, the agent's are messages", () => {
    assert.deepEqual(ownCommand("/folder ~/shop "), { name: "folder", argument: "~/shop" });
    assert.deepEqual(ownCommand("/new"), { name: "new", argument: "" });
    assert.deepEqual(["/review", "/newest", "new", "/toString"].map(ownCommand), [null, null, null, null]);
  });
});

describe("what goes with a message", () => {
  const picked = {
    ref: "@e17",
    role: "button",
    name: "Buy now",
    selector: "button#buy",
    url: "https://shop.example/",
    rect: [0, 0, 1, 1],
    html: "<button>",
  };

  test("a selection alone stands as it is; several are told apart", () => {
    assert.equal(joined([]), null);
    assert.equal(joined([selectionContext("  3 items ")]), "3 items");
    assert.equal(
      joined([selectionContext("3 items"), elementContext(picked)]),
      "Selected text:\n3 items\n\nPicked element:\n@e17: button “Buy now”, button#buy in https://shop.example/\n<button>",
    );
  });

  test("a long selection leaves the picked element out of the message", () => {
    const long = selectionContext("é".repeat(20_000));
    const text = joined([long, elementContext(picked)]);
    assert.ok(Buffer.byteLength(text) <= 16 * 1024, String(Buffer.byteLength(text)));
    assert.ok(text.endsWith("button#buy in https://shop.example/\n<button>"), "the short part is whole");
    assert.match(text, /é…\n\nPicked element:/);
    const both = joined([long, pageContext({ title: "A", url: "" }, "😀".repeat(9000)), elementContext(picked)]);
    assert.ok(Buffer.byteLength(both) <= 16 * 1024);
    assert.deepEqual(
      partsOf(both).map(({ kind, text: part }) => [kind, part.length > 3500 || part.endsWith("<button>"), part.isWellFormed()]),
      [
        ["selection", true, true],
        ["page", true, true],
        ["element", true, true],
      ],
    );
  });

  test("a message that is taken back has a selection in place of its element", () => {
    const parts = [selectionContext("3 items"), elementContext(picked)];
    assert.deepEqual(partsOf(""), []);
    assert.deepEqual(partsOf("3 items"), [{ kind: "selection", text: "3 items" }]);
    const held = heldOf({ attachments: [], page: { url: "", title: "", selection: joined(parts) } });
    assert.deepEqual(
      held.map(({ kind, text }) => [kind, text]),
      parts.map(({ kind, text }) => [kind, text]),
    );
  });

  test("chips are short, and a page is cut", () => {
    assert.equal(selectionContext(`a  b\n${"x".repeat(90)}`).label.length, 61);
    assert.equal(pageContext({ title: "", url: "https://a.example/" }, "x".repeat(30_000)).label, "https://a.example/");
    assert.equal(pageContext({ title: "A", url: "" }, "x".repeat(30_000)).text.length, 20_001);
  });
});

describe("models", () => {
  const agent = { hasModel: true, models: [{ id: "opus-4", label: "Opus" }] };
  test("a tier is kept for another agent, a model is not", () => {
    assert.deepEqual(["fast", "deep", "opus-4", null, undefined].map(keptModel), ["fast", "deep", null, null, null]);
  });
  test("are named by people and found by what they write", () => {
    assert.deepEqual(
      [null, "deep", "opus-4", "gone"].map((model) => modelName(model, agent)),
      [null, "deep", "Opus", "gone"],
    );
    assert.deepEqual(
      ["auto", "FAST", "opus", "opus-4", "sonnet"].map((text) => modelNamed(text, agent)),
      [{ model: null }, { model: "fast" }, { model: "opus-4" }, { model: "opus-4" }, null],
    );
  });
});

describe("modes", () => {
  const asking = { id: "default", label: "Default", asks: true };
  const free = { id: "auto", label: "Auto", asks: false };
  const readOnly = { id: "gstack:read-only", label: "Read-only folder", asks: true };
  const agent = { hasModel: true, modes: [asking, free, readOnly] };
  test("one in which the agent does not ask, or cannot write, is always shown", () => {
    assert.deepEqual(
      [null, {}, { currentMode: asking }, { currentMode: free }, { mode: "auto" }, { currentMode: readOnly }].map((info) =>
        notableMode(info, agent),
      ),
      [null, null, null, free, free, readOnly],
    );
  });
});

describe("history", () => {
  const at = (...parts) => new Date(...parts).getTime();
  test("days: today, yesterday (also over the clock's change), earlier; nothing without words", () => {
    const now = at(2026, 2, 29, 9);
    assert.deepEqual(
      [at(2026, 2, 29, 0, 1), at(2026, 2, 28, 23), at(2026, 2, 27, 23)].map((each) => dayOf(each, now)),
      ["today", "yesterday", "earlier"],
    );
    const info = (updatedAt, head = 1) => ({ ...INFO, updatedAt, head });
    assert.deepEqual(
      byDay([info(at(2026, 2, 28, 3)), info(at(2026, 2, 29, 8)), info(now, 0), info(at(2026, 2, 28, 23))]).map(([, infos]) => infos.length),
      [1, 2],
    );
  });
  test("finds are marked, in any case of letters", () => {
    assert.deepEqual(
      marked("Total and total", "TOTAL")
        .map(({ text, hit }) => (hit ? `[${text}]` : text))
        .join(""),
      "[Total] and [total]",
    );
    assert.deepEqual(marked("İstanbul", "i"), [{ text: "İstanbul", hit: false }]);
    assert.deepEqual(marked("a", ""), [{ text: "a", hit: false }]);
  });
  test("folders: the newest first, each once, without the one that is used", () => {
    const at2 = (folder, updatedAt) => ({ ...INFO, folder, updatedAt });
    assert.deepEqual(foldersOf([at2("/a", 1), at2("/b", 3), at2("/a", 4), at2("/c", 2)], "/b", 5), ["/a", "/c"]);
  });
});

describe("settings", () => {
  const setting = (more) => ({ name: "n", label: "N", help: "", group: "G", value: true, default: true, ...more });
  test("each kind of value has its control", () => {
    assert.equal(controlOf(setting({})), "switch");
    assert.equal(controlOf(setting({ value: 3 })), "number");
    assert.equal(controlOf(setting({ value: "" })), "text");
    const choices = ["a", "b", "c", "d"].map((value) => ({ value, label: value }));
    assert.equal(controlOf(setting({ value: "a", choices: choices.slice(0, 3) })), "segments");
    assert.equal(controlOf(setting({ value: "a", choices })), "list");
    assert.equal(controlOf(setting({ value: "a", choices: [{ value: "a", label: "x".repeat(40) }] })), "list");
  });
  test("numbers are checked, groups keep their order", () => {
    const number = setting({ value: 3, range: [1, 32] });
    assert.deepEqual(
      ["4", "", "x", "0", "33", "1e9"].map((text) => valueOf(number, text)),
      [{ value: 4 }, { refused: "number" }, { refused: "number" }, { refused: "range" }, { refused: "range" }, { refused: "range" }],
    );
    assert.deepEqual(
      byGroup([setting({ group: "B" }), setting({ group: "A" }), setting({ group: "B" })]).map(([group, of]) => [group, of.length]),
      [
        ["B", 2],
        ["A", 1],
      ],
    );
  });
});

describe("a person's rules", () => {
  const rule = (more) => ({ id: "r", effect: "allow", scope: "everything", until: 2000, madeAt: 1, ...more });
  test("unattended is everything, allowed, for now, here", () => {
    const of = (more, now = 1000) => unattendedRule([rule(more)], "c", now)?.id ?? null;
    assert.equal(of({}), "r");
    assert.equal(of({ conversationId: "c" }), "r");
    for (const other of [
      { conversationId: "d" },
      { effect: "deny" },
      { scope: "act" },
      { site: "a.example" },
      { until: undefined },
      { until: 900 },
    ])
      assert.equal(of(other), null, JSON.stringify(other));
    assert.equal(unattendedRule(null, "c", 0), null);
  });
  test("spans as people write them, at most a day", () => {
    assert.deepEqual(["15", "15m", "1h", "2 hours", "24h", "25h", "0", "soon", "-1"].map(spanOf), [
      15,
      15,
      60,
      120,
      1440,
      null,
      null,
      null,
      null,
    ]);
    assert.deepEqual(unattended("c", 15, 1000), { effect: "allow", scope: "everything", conversationId: "c", until: 901_000 });
  });
});

describe("answers", () => {
  const given = (chosen, own = "", multiple = false) => ({ chosen, own, multiple });
  test("every part needs one; own words stand for a choice, or beside several", () => {
    assert.deepEqual(answersOf([given(["A"]), given([], " mine "), given(["B"], "more", true)]), [["A"], ["mine"], ["B", "more"]]);
    assert.equal(answersOf([given(["A"]), given([], "  ")]), null);
    assert.equal(answersOf([]), null);
  });
});

describe("turns", () => {
  const plan = (seq, ...entries) => event(seq, { type: "plan", turnId: "t", entries: entries.map(([text, status]) => ({ text, status })) });
  const question = (seq, questionId = "q") =>
    event(seq, { type: "question", turnId: "t", questionId, parts: [{ text: "Which?", options: [] }] });

  test("a new plan takes the place of the one before", () => {
    const held = read(
      message(1),
      started(2),
      plan(3, ["a", "running"]),
      event(4, { type: "notice", turnId: "t", text: "n" }),
      plan(5, ["a", "done"], ["b", "running"]),
    );
    const { items } = runningTurn(held.view);
    assert.deepEqual(
      items.map(({ kind, seq }) => [kind, seq]),
      [
        ["plan", 3],
        ["notice", 4],
      ],
    );
    assert.equal(items[0].entries.length, 2);
  });

  test("a question waits until it is answered or its turn ends", () => {
    const held = read(message(1), started(2), question(3));
    assert.equal(openAsk(runningTurn(held.view)).ask.questionId, "q");
    assert.equal(
      openAsk(
        runningTurn(pushed(held, event(4, { type: "question-done", turnId: "t", questionId: "q", answers: [["A"]], by: "panel" })).view),
      ),
      null,
    );
    assert.equal(openAsk(pushed(held, done(4, "stopped")).view.entries.at(-1)), null);
  });

  test("one that ran without a model says so", () => {
    assert.equal(runningTurn(read(message(1), started(2, "t", "m", { direct: true })).view).direct, true);
    assert.equal(runningTurn(read(message(1), started(2)).view).direct, false);
  });

  test("read at once or pushed one by one, the entries are the same", () => {
    const events = [
      message(1),
      started(2),
      plan(3, ["a", "running"]),
      question(4),
      event(5, { type: "text", turnId: "t", text: "x" }),
      message(6, "n"),
      message(7, "o"),
      event(8, { type: "message-removed", clientId: "n" }),
      done(9),
      started(10, "u", "o"),
      done(11, "done", "u"),
    ];
    const one = events.reduce((held, each) => pushed(held, each), read());
    assert.deepEqual(one.view, fold(events));
    assert.deepEqual(prepended(read(), { events, older: false }).view, fold(events));
  });

  test("what is drawn keeps its identity while a message is pushed", () => {
    const held = read(message(1), started(2), done(3));
    assert.equal(pushed(held, message(4, "n")).view.entries, held.view.entries);
  });
});

describe("the queue after a turn that did not end well", () => {
  const stopped = (...more) => read(message(1), started(2), message(3, "a"), message(4, "b"), done(5, "stopped"), ...more);
  test("waits for a word, and no message of it looks as if it ran", () => {
    const { entries, queue, paused } = displayed(stopped(), [], true);
    assert.equal(paused, true);
    assert.deepEqual(
      queue.map(({ clientId }) => clientId),
      ["a", "b"],
    );
    assert.equal(entries.at(-1).kind, "turn");
  });
  test("goes on by itself after a good end, and a message that comes later is not held up", () => {
    assert.equal(displayed(read(message(1), started(2), message(3, "a"), done(4)), [], true).paused, false);
    const later = displayed(read(message(1), started(2), done(3, "stopped"), message(4, "n")), [], true);
    assert.deepEqual([later.paused, later.entries.at(-1).kind], [false, "pending"]);
  });
});

describe("a newer extension", () => {
  const connected = (extensionVersion) =>
    reduce(INITIAL, { type: "connection", state: { status: "connected", fault: null, retryAt: null, welcome: { extensionVersion } } });
  test("is offered where it differs, and loaded only while nothing runs", () => {
    assert.equal(newerExtension(connected("1.0.0"), "1.0.0"), null);
    assert.equal(newerExtension(connected(undefined), "1.0.0"), null);
    assert.deepEqual(newerExtension(connected("1.1.0"), "1.0.0"), { version: "1.1.0", mayReload: true });
    const busy = reduce(connected("1.1.0"), { type: "tabs", tabs: [{ running: true }] });
    assert.equal(newerExtension(busy, "1.0.0").mayReload, false);
  });
});

test("a text runs as its first letter does", () => {
  assert.deepEqual(["Hello שלום", "**שלום** a", "1. يتم", "金額", "…", "`x` يتم"].map(directionOf), [
    "ltr",
    "rtl",
    "rtl",
    "ltr",
    null,
    "ltr",
  ]);
});

test("numbers and paths are short", () => {
  assert.deepEqual([830, 12_400, 99_960, 999_600, 1_240_000].map(tokens), ["830", "12.4k", "100k", "1.0M", "1.2M"]);
  assert.deepEqual(["/home/you/shop/", "C:\\work\\shop", "/", "~"].map(lastOf), ["shop", "shop", "/", "~"]);
  assert.deepEqual([0.003, 0.42].map(cost), ["$0.0030", "$0.42"]);
});

test("a decimal point in a language with commas: numbers and dates follow the panel's language, with Latin digits", () => {
  const day = Date.UTC(2026, 2, 9, 12);
  const shown = (tag) => {
    setLanguage(tag);
    return [duration(1234), size(3_500_000), tokens(1_240_000), cost(0.42), date(day, { day: "numeric", month: "long", timeZone: "UTC" })];
  };
  try {
    assert.deepEqual(shown("de"), ["1,2 s", "3,3 MB", "1,2M", "$0,42", "9. März"]);
    assert.deepEqual(shown("fr").slice(0, 2), ["1,2 s", "3,3 MB"]);
    for (const text of shown("ar-EG")) assert.doesNotMatch(text, /[\u0660-\u0669]/);
    assert.deepEqual(shown("en-GB").at(-1), "9 March");
  } finally {
    setLanguage("en");
  }
});
