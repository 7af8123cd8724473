/** The wire's rules in the panel's state: order, gaps, growth, epochs, resends, the queue. */
import assert from "node:assert/strict";
import { modelName } from "../../extension/panel/format.js";
import { stepMs, workedMs } from "../../extension/panel/state/times.js";
import { describe, test } from "node:test";
import {
  ackOf,
  grown,
  headOf,
  newConversation,
  prepended,
  pushed,
  resumeAfter,
  shortened,
  subscribed,
} from "../../extension/panel/state/conversation.js";
import { displayed } from "../../extension/panel/state/display.js";
import { openAsk, runningTurn } from "../../extension/panel/state/entries.js";
import { INITIAL, reduce } from "../../extension/panel/state/panel-state.js";
import { partsOf } from "../../extension/panel/state/turn-parts.js";
import { chosenAgent, onlyBuiltIn, troubleOf } from "../../extension/panel/state/trouble.js";

const INFO = { conversationId: "c", title: "", folder: "/home/you", head: 0, createdAt: 1, updatedAt: 1, state: "idle", queued: 0 };
const event = (seq, body) => ({ seq, at: seq * 1000, ...body });
const message = (seq, clientId = "m") => event(seq, { type: "message", clientId, text: `text of ${clientId}`, from: "panel" });
const started = (seq, turnId = "t", clientId = "m") =>
  event(seq, { type: "turn-started", turnId, clientId, agent: "claude", agentLabel: "Claude Code", model: "opus" });
const said = (seq, text = "", turnId = "t") => event(seq, { type: "text", turnId, text });
const step = (seq, stepId) =>
  event(seq, { type: "step", turnId: "t", stepId, kind: "act", verb: "Clicking", object: "Apply", tool: "click" });
const stepDone = (seq, stepId, outcome = "ok") => event(seq, { type: "step-done", turnId: "t", stepId, outcome, durationMs: 5 });
const done = (seq, outcome = "done", turnId = "t") => event(seq, { type: "turn-done", turnId, outcome, durationMs: 9 });

function read(...events) {
  return subscribed(newConversation(INFO), { epoch: "e1", info: INFO, head: events.at(-1)?.seq ?? 0, events, older: false }, 0);
}
const unsent = (clientId, state = "new", more = {}) => ({
  clientId,
  conversationId: "c",
  text: clientId,
  page: null,
  attachments: [],
  state,
  fault: null,
  ...more,
});

describe("the parts of a turn", () => {
  test("only the part that changed is another one, however often the turn grows", () => {
    const turnOf = (held) => runningTurn(held.view);
    const held = read(
      message(1),
      started(2),
      step(3, "a"),
      stepDone(4, "a"),
      said(5, "One"),
      step(6, "b"),
      stepDone(7, "b"),
      said(8, "Two"),
    );
    const before = partsOf(turnOf(held));
    const after = partsOf(turnOf(grown(held, { seq: 8, offset: 3, text: " and more" })), before);
    assert.deepEqual(
      after.map((part, index) => part === before[index]),
      [true, true, true, false],
    );
    const ended = partsOf(pushed(held, done(9)).view.entries.at(-1), before);
    assert.deepEqual(
      ended.map((part, index) => part === before[index]),
      [false, true, false, false],
      "what runs no more, and the last text, which is whole now",
    );
  });

  test("steps that the person started stay apart while they run, and fold at the end; an agent's always fold", () => {
    const folds = (turn) => partsOf(turn).map((part) => part.folds);
    const running = (turn) => read(message(1), turn, step(3, "a"), stepDone(4, "a"));
    const direct = running({ ...started(2), direct: true });
    assert.deepEqual(folds(runningTurn(direct.view)), [false]);
    assert.deepEqual(folds(pushed(direct, done(5)).view.entries.at(-1)), [true]);
    assert.deepEqual(folds(runningTurn(running(started(2)).view)), [true]);
  });
});

describe("events", () => {
  test("come in order; one that is held already changes nothing", () => {
    const held = read(message(1));
    assert.equal(pushed(held, message(1)), held);
    assert.equal(headOf(pushed(held, started(2))), 2);
  });

  test("a gap asks for a re-read and shows nothing out of order", () => {
    const held = pushed(read(message(1)), said(3));
    assert.equal(held.stale, true);
    assert.equal(headOf(held), 1);
  });

  test("before the first answer nothing is applied", () => {
    const held = newConversation(INFO);
    assert.equal(pushed(held, message(1)), held);
    assert.equal(grown(held, { seq: 1, offset: 0, text: "a" }), held);
  });

  test("of an unknown type are counted and otherwise ignored", () => {
    const held = pushed(read(message(1)), event(2, { type: "from-the-future" }));
    assert.equal(headOf(held), 2);
    assert.equal(held.stale, false);
  });
});

describe("growing text", () => {
  const open = () => read(message(1), started(2), said(3, "Grüße 👋"));

  test("offsets are UTF-16 units", () => {
    const held = grown(open(), { seq: 3, offset: 8, text: " all" });
    assert.equal(held.events[2].text, "Grüße 👋 all");
    assert.equal(runningTurn(held.view).items[0].text, "Grüße 👋 all");
  });

  test("a part that is held is ignored, the rest is taken", () => {
    const held = open();
    assert.equal(grown(held, { seq: 3, offset: 0, text: "Grüße" }), held);
    assert.equal(grown(held, { seq: 3, offset: 6, text: "👋!" }).events[2].text, "Grüße 👋!");
  });

  test("a hole within the text asks for a re-read from before it", () => {
    const held = grown(open(), { seq: 3, offset: 20, text: "x" });
    assert.equal(held.stale, true);
    assert.equal(resumeAfter(held), 2);
  });

  test("an unknown event is a gap, one from before the held page is nothing", () => {
    assert.equal(grown(open(), { seq: 9, offset: 0, text: "x" }).stale, true);
    const page = subscribed(
      newConversation(INFO),
      { epoch: "e", info: INFO, head: 11, events: [message(10), started(11)], older: true },
      0,
    );
    assert.equal(grown(page, { seq: 3, offset: 0, text: "x" }), page);
  });

  test("the acknowledgement says how much of it is held", () => {
    assert.deepEqual(ackOf(open()), { conversationId: "c", seq: 3, offset: 8 });
    assert.deepEqual(ackOf(read(message(1))), { conversationId: "c", seq: 1, offset: 0 });
    assert.equal(ackOf(newConversation(INFO)), null);
  });

  test("turns that did not change keep their identity", () => {
    const held = read(message(1), started(2), said(3, "a"), done(4), message(5, "n"), started(6, "u", "n"), said(7, "b", "u"));
    const next = grown(held, { seq: 7, offset: 1, text: "c" });
    assert.equal(next.view.entries[1], held.view.entries[1]);
    assert.notEqual(next.view.entries[3], held.view.entries[3]);
  });
});

describe("reading again", () => {
  test("a new epoch cuts back to its head", () => {
    const held = read(message(1), started(2), said(3, "never written"));
    const after = resumeAfter(held);
    const next = subscribed(held, { epoch: "e2", info: INFO, head: 2, events: [], older: false }, after);
    assert.equal(headOf(next), 2);
    assert.equal(runningTurn(next.view).items.length, 0);
    assert.equal(next.epoch, "e2");
  });

  test("the daemon's text stands where both have one", () => {
    const held = read(message(1), started(2), said(3, "longer than the journal"));
    const next = subscribed(
      held,
      { epoch: "e2", info: INFO, head: 4, events: [said(3, "longer"), done(4, "interrupted")], older: false },
      2,
    );
    assert.equal(next.events[2].text, "longer");
    assert.equal(next.view.entries.at(-1).done.outcome, "interrupted");
  });

  test("when the answer does not reach back, what was held is let go", () => {
    const held = read(message(1));
    const next = subscribed(
      held,
      { epoch: "e1", info: INFO, head: 900, events: [message(899, "x"), started(900, "u", "x")], older: true },
      1,
    );
    assert.deepEqual(
      next.events.map(({ seq }) => seq),
      [899, 900],
    );
    assert.equal(next.older, true);
  });

  test("an older page goes in front, without what is held", () => {
    const held = subscribed(newConversation(INFO), { epoch: "e", info: INFO, head: 4, events: [message(3, "b")], older: true }, 0);
    const next = prepended(held, {
      events: [message(1, "a"), event(2, { type: "message-removed", clientId: "a" }), message(3, "b")],
      older: false,
    });
    assert.deepEqual(
      next.events.map(({ seq }) => seq),
      [1, 2, 3],
    );
    assert.equal(next.older, false);
  });
});

describe("a long conversation", () => {
  /** Each turn has four events. */
  const turns = (count) =>
    Array.from({ length: count }, (_, n) => [
      message(4 * n + 1, `m${n}`),
      started(4 * n + 2, `t${n}`, `m${n}`),
      said(4 * n + 3, `answer ${n}`, `t${n}`),
      done(4 * n + 4, "done", `t${n}`),
    ]).flat();

  test("does not grow for ever: at its end the oldest turns are dropped, and the daemon has them", () => {
    let held = read(...turns(100));
    assert.equal(shortened(held), held, "a short one stays");
    let most = 0;
    for (const next of turns(3000).slice(400)) {
      held = shortened(pushed(held, next));
      most = Math.max(most, held.events.length);
    }
    assert.ok(most < 4000, `${most} of 12000 events`);
    assert.ok(held.older && held.events[0].type === "message" && headOf(held) === 12000);
    assert.equal(held.view.entries.length, held.events.length / 2, "a message and a turn each, whole");
    const first = held.events[0].seq;
    const back = prepended(held, { events: turns(3000).slice(first - 5, first - 1), older: true });
    assert.equal(back.view.entries.length, held.view.entries.length + 2, "scrolling up brings them back");
    assert.equal(resumeAfter(held), 12000);
  });

  test("keeps what a running turn or a waiting message needs", () => {
    const running = read(...turns(2000), message(8001, "now"), started(8002, "now", "now"));
    assert.equal(shortened(running), running);
    const waiting = read(...turns(2000), message(8001, "later"));
    assert.equal(shortened(waiting), waiting);
  });
});

describe("turns", () => {
  test("a step and its end are one item", () => {
    const held = read(message(1), started(2), step(3, "s"), stepDone(4, "s", "failed"));
    const [item] = runningTurn(held.view).items;
    assert.equal(item.done.outcome, "failed");
  });

  test("an approval stays open until it is answered", () => {
    const ask = event(3, {
      type: "approval",
      turnId: "t",
      approvalId: "a",
      ask: "Click",
      does: "click @e1",
      kind: "act",
      choices: ["allow-once", "deny"],
    });
    const held = read(message(1), started(2), ask);
    assert.equal(openAsk(runningTurn(held.view)).ask.approvalId, "a");
    const next = pushed(held, event(4, { type: "approval-done", turnId: "t", approvalId: "a", decision: "deny", by: "panel" }));
    assert.equal(openAsk(runningTurn(next.view)), null);
  });

  test("a message waits until its turn begins, and can be taken back", () => {
    const held = read(message(1), started(2), message(3, "second"), message(4, "third"));
    assert.deepEqual(
      held.view.waiting.map(({ clientId }) => clientId),
      ["second", "third"],
    );
    const next = pushed(held, event(5, { type: "message-removed", clientId: "second" }));
    assert.deepEqual(
      next.view.waiting.map(({ clientId }) => clientId),
      ["third"],
    );
    const ended = pushed(pushed(next, done(6)), started(7, "u", "third"));
    assert.deepEqual(
      ended.view.entries.map(({ key }) => key),
      ["message:m", "turn:m", "message:third", "turn:third"],
    );
  });
});

describe("what is shown", () => {
  test("a message stands with its dots before the host has heard of it", () => {
    const { entries, queue } = displayed(read(), [unsent("m")], true);
    assert.deepEqual(
      entries.map(({ key }) => key),
      ["message:m", "turn:m"],
    );
    assert.deepEqual(queue, []);
  });

  test("its nodes keep their keys when the host names message and turn", () => {
    const keys = displayed(read(message(1), started(2)), [], true).entries.map(({ key }) => key);
    assert.deepEqual(keys, ["message:m", "turn:m"]);
  });

  test("behind a running turn messages are chips", () => {
    const { queue } = displayed(read(message(1), started(2), message(3, "second")), [unsent("third", "sending")], true);
    assert.deepEqual(
      queue.map(({ clientId, sent }) => [clientId, sent]),
      [
        ["second", true],
        ["third", false],
      ],
    );
  });

  test("without a connection what was not sent says so", () => {
    const { entries } = displayed(read(), [unsent("m"), unsent("n", "failed", { fault: { code: "conflict", message: "full" } })], false);
    assert.deepEqual(
      entries.map(({ key, note }) => [key, note]),
      [
        ["message:n", "failed"],
        ["message:m", "away"],
      ],
    );
  });

  test("another conversation's messages are not shown", () => {
    assert.deepEqual(displayed(read(), [unsent("m", "new", { conversationId: "other" })], true).entries, []);
  });
});

describe("the panel", () => {
  const connected = { type: "connection", state: { status: "connected", fault: null, welcome: null, retryAt: null } };
  const down = {
    type: "connection",
    state: { status: "down", fault: { code: "daemon-down", message: "gone", hop: "host" }, welcome: null, retryAt: 1 },
  };
  const open = () =>
    [
      connected,
      { type: "tab", tab: { chromeTabId: 1, title: "", url: "" } },
      { type: "opened", info: INFO },
      { type: "subscribed", answer: { epoch: "e", info: INFO, head: 0, events: [], older: false }, after: 0 },
    ].reduce(reduce, INITIAL);

  test("a message leaves the outbox when its event is there", () => {
    const state = [
      { type: "queued", message: unsent("m", "sending") },
      { type: "event", conversationId: "c", event: message(1) },
    ].reduce(reduce, open());
    assert.deepEqual(state.outbox, []);
  });

  const OTHER = { ...INFO, conversationId: "d" };
  const placed = ({ outbox }) => outbox.map(({ clientId, conversationId, state: is }) => [clientId, conversationId, is]);
  const missing = { code: "not-found", message: "there is no conversation c" };

  test("what was written in a conversation that ended with its daemon is sent in the one that took its place", () => {
    const written = [
      { type: "queued", message: unsent("a") },
      { type: "queued", message: unsent("b", "failed", { fault: missing }) },
      { type: "queued", message: unsent("c", "sending") },
      { type: "queued", message: unsent("e", "new", { conversationId: "elsewhere" }) },
      { type: "opened", info: OTHER, insteadOf: "c" },
    ].reduce(reduce, open());
    assert.deepEqual(placed(written), [
      ["a", "d", "new"],
      ["b", "d", "new"],
      ["c", "d", "sending"],
      ["e", "elsewhere", "new"],
    ]);
  });

  test("a message whose conversation does not exist any more is shown in the one in view", () => {
    const refused = { type: "message-changed", clientId: "a", change: { state: "failed", fault: missing } };
    const other = { type: "queued", message: unsent("a", "sending", { conversationId: "gone" }) };
    assert.deepEqual(placed([other, refused].reduce(reduce, open())), [["a", "c", "failed"]]);
    const restored = { type: "restored", outbox: [unsent("a", "failed", { conversationId: "gone", fault: missing })] };
    assert.deepEqual(placed([restored, { type: "opened", info: INFO }].reduce(reduce, open())), [["a", "c", "failed"]]);
    const full = { code: "conflict", message: "full" };
    const elsewhere = { type: "message-changed", clientId: "a", change: { state: "failed", fault: full } };
    assert.deepEqual(placed([other, elsewhere].reduce(reduce, open())), [["a", "gone", "failed"]]);
  });

  test("a trouble of the daemon's stands until it is closed, or the connection is lost and has its own words", () => {
    const fault = { code: "storage", message: "disk full" };
    const told = reduce(open(), { type: "notice", fault });
    assert.equal(told.notice, fault);
    assert.equal(reduce(told, { type: "notice", fault: null }).notice, null);
    assert.equal(reduce(told, down).notice, null);
  });

  test("after a loss what was under way goes again with the same id, what was refused does not", () => {
    const state = [
      { type: "queued", message: unsent("a", "sending") },
      { type: "queued", message: unsent("b", "sent") },
      { type: "queued", message: unsent("c", "failed") },
      down,
    ].reduce(reduce, open());
    assert.deepEqual(
      state.outbox.map(({ clientId, state: is }) => [clientId, is]),
      [
        ["a", "new"],
        ["b", "new"],
        ["c", "failed"],
      ],
    );
  });

  test("another tab shows another conversation; a new title of the same one does not", () => {
    const held = open();
    assert.equal(reduce(held, { type: "tab", tab: { chromeTabId: 1, title: "New", url: "" } }).conversation, held.conversation);
    assert.equal(reduce(held, { type: "tab", tab: { chromeTabId: 2, title: "", url: "" } }).conversation, null);
  });

  test("opening the same conversation again keeps what is held", () => {
    const held = reduce(open(), { type: "event", conversationId: "c", event: message(1) });
    assert.equal(headOf(reduce(held, { type: "opened", info: INFO }).conversation), 1);
  });

  test("stopping ends with the turn", () => {
    const state = [message(1), started(2)].reduce(
      (held, each) => reduce(held, { type: "event", conversationId: "c", event: each }),
      reduce(open(), { type: "stopping", conversationId: "c" }),
    );
    assert.equal(state.stopping, "c");
    assert.equal(reduce(state, { type: "event", conversationId: "c", event: done(3, "stopped") }).stopping, null);
  });
});

describe("trouble", () => {
  test("names the hop, and promises no retry that needs a person", () => {
    assert.equal(troubleOf({ status: "connected", fault: null, welcome: null, retryAt: null }), null);
    assert.equal(troubleOf({ status: "connecting", fault: null, welcome: null, retryAt: null }), null);
    const missing = { code: "daemon-down", message: "", hop: "host", command: "gstack install-host" };
    assert.deepEqual(troubleOf({ status: "down", fault: missing, welcome: null, retryAt: 5 }), {
      hop: "host",
      fault: missing,
      trying: false,
    });
  });

  test("agents: the chosen one, else the default; built-in alone is said", () => {
    const builtin = { name: "builtin", label: "", status: "ready", default: true, hasModel: false };
    const claude = { name: "claude", label: "", status: "missing", default: false, hasModel: true };
    assert.equal(chosenAgent([claude, builtin], { ...INFO, agent: "claude" }), claude);
    assert.equal(chosenAgent([claude, builtin], INFO), builtin);
    assert.equal(onlyBuiltIn([claude, builtin]), true);
    assert.equal(onlyBuiltIn([{ ...claude, status: "signed-out" }, builtin]), false);
    assert.equal(onlyBuiltIn(null), false);
  });
});

test("step times: side by side counts once, and a person's time not at all", () => {
  const step = (from, to, durationMs = to - from) => ({ at: from, done: { at: to, durationMs } });
  assert.equal(workedMs([step(0, 1000), step(0, 1000)], []), 1000);
  assert.equal(workedMs([step(0, 1000), step(2000, 2500)], []), 1500);
  // 28 seconds, 26 of them while the card was open; the daemon's clock stopped during that time.
  assert.equal(workedMs([step(0, 28_000, 2000)], [1000, 27_000]), 2000);
  assert.equal(workedMs([step(0, 28_000, 2000), step(500, 28_000, 1500)], [1000, 27_000, 2000, 3000]), 2000);
});

test("a step that failed after seven seconds does not say 1 ms: a wait is subtracted once", () => {
  // 5 s of waiting for approval, then 7 s of work: the daemon already reports 7 s.
  const failed = { at: 0, done: { at: 12_000, durationMs: 7000, outcome: "failed" } };
  assert.equal(stepMs(failed), 7000);
  assert.equal(workedMs([failed], [0, 5000]), 7000);
  // Another card was open for nearly as long as this step ran beside it.
  assert.equal(stepMs({ at: 0, done: { at: 7000, durationMs: 7000 } }), 7000);
  assert.equal(workedMs([{ at: 6999, done: { at: 7000, durationMs: 7000 } }], []), 7000);
});

test("models as one speaks of them", () => {
  assert.deepEqual(
    ["claude-opus-4-5-20251101", "claude-opus-4-8[1m]", "claude-sonnet-4-latest", "opus", "gpt-5.1-codex", "models/gemini-2.5-pro"].map(
      modelName,
    ),
    ["opus 4.5", "opus 4.8", "sonnet 4", "opus", "gpt-5.1-codex", "gemini-2.5-pro"],
  );
});
