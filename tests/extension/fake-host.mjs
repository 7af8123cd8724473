/**
 * A native messaging host for tests: speaks the wire like the daemon and plays a scripted conversation.
 *
 * Arguments: a folder for its state (so that a conversation outlives the host), the scenario's name. Owns frames,
 * journal and subscriptions; `scenarios.mjs` defines what a turn does.
 */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fakeDrivers } from "./fake-drivers.mjs";
import { exported, recordMethods } from "./fake-records.mjs";
import { scenarios } from "./scenarios.mjs";

const [folder, name] = process.argv.slice(2);
const scenario = scenarios[name];
const journal = join(folder, "conversations.json");
const log = (...words) => appendFileSync(join(folder, "wire.log"), `${words.join(" ")}\n`);

const epoch = crypto.randomUUID();
/** Cancels the waiting pick. */
let stopPick = null;
/** @type {Map<string, any>} */
const conversations = new Map(existsSync(journal) ? JSON.parse(readFileSync(journal, "utf8")) : []);
const save = () => writeFileSync(journal, JSON.stringify([...conversations]));
/** Subscribed panels by conversation. */
const subscribers = new Map();
let tabs = [];
const agents = scenario.agents;

function post(message) {
  const bytes = Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...message }));
  const head = Buffer.alloc(4);
  head.writeUInt32LE(bytes.length);
  process.stdout.write(Buffer.concat([head, bytes]));
}

const infoOf = (held) => {
  const { events, chromeTabId, past, deleted, ...info } = held;
  return { ...info, head: events.length, queued: 0 };
};

function push(id, method, params) {
  for (const client of subscribers.get(id) ?? []) post({ client, method, params: { conversationId: id, ...params } });
}

/** The actions of a scenario. */
function stage(held) {
  const id = held.conversationId;
  return {
    held,
    event(body) {
      const event = { seq: held.events.length + 1, at: Date.now(), ...body };
      held.events.push(event);
      save();
      push(id, "chat.event", { event });
      return event;
    },
    /** Appends to a text. */
    delta(event, text, kept = true) {
      const offset = event.text.length;
      event.text += text;
      if (kept) save();
      push(id, "chat.delta", { seq: event.seq, offset, text });
    },
    push: (method, params) => push(id, method, params),
    state(state) {
      held.state = state;
      for (const client of subscribers.get(id) ?? []) post({ client, method: "chat.info", params: infoOf(held) });
    },
    working(doing, waiting = false, phrase = undefined) {
      const tab = tabs.find(({ chromeTabId }) => chromeTabId === held.chromeTabId);
      post({
        method: "tabs.working",
        params: {
          tabs:
            doing === null || !tab ? [] : [{ tabId: 1, chromeTabId: tab.chromeTabId, agentLabel: "Claude Code", doing, phrase, waiting }],
        },
      });
    },
    post,
    exit: (code) => process.stdout.write("", () => process.exit(code)),
  };
}

function newConversation(chromeTabId) {
  const held = {
    conversationId: crypto.randomUUID(),
    chromeTabId,
    title: "",
    tabId: 1,
    folder: "/home/you/shop",
    createdAt: Date.now(),
    updatedAt: Date.now(),
    state: "idle",
    agent: agents.find((agent) => agent.default)?.name,
    events: [],
  };
  conversations.set(held.conversationId, held);
  save();
  return held;
}

const current = (chromeTabId) =>
  [...conversations.values()].findLast((held) => held.chromeTabId === chromeTabId && !held.past) ?? newConversation(chromeTabId);
const fault = (code, message, more = {}) => Object.assign(new Error(message), { fault: { code, message, ...more } });

const drivers = fakeDrivers({ scenario, post, log, tabs: () => tabs, fault });

const methods = {
  hello: () => ({ protocol: 2, version: "0.1.0", epoch, pid: process.pid, driven: true, ...scenario.welcome }),
  ping: () => ({ epoch }),
  hops: () => ({ hops: scenario.hops() }),
  "tabs.changed": ({ full, tabs: changed, removed }) => {
    tabs = full
      ? changed
      : [
          ...tabs.filter(({ chromeTabId }) => !removed.includes(chromeTabId) && !changed.some((tab) => tab.chromeTabId === chromeTabId)),
          ...changed,
        ];
    drivers.tell();
  },
  "panel.opened": () => {
    if (scenario.tabs) post({ method: "tabs.conversations", params: { tabs: scenario.tabs } });
    drivers.tell();
  },
  "panel.closed": (_params, client) => subscribers.forEach((panels) => panels.delete(client)),
  "chat.open": ({ chromeTabId }) => {
    if (!tabs.some((tab) => tab.chromeTabId === chromeTabId)) throw fault("not-found", `no tab ${chromeTabId}`);
    const held = current(chromeTabId);
    if (held.events.length === 0) scenario.before?.(stage(held));
    return infoOf(held);
  },
  "chat.subscribe": ({ conversationId, after }, client) => {
    const held = conversations.get(conversationId) ?? {
      ...scenario.past?.(Date.now()).find((one) => one.conversationId === conversationId),
      conversationId,
      events: [
        { seq: 1, at: 1, type: "message", clientId: "then", text: "Said long ago", from: "panel" },
        { seq: 2, at: 2, type: "turn-started", turnId: "then", clientId: "then", agent: "claude", agentLabel: "Claude Code" },
        { seq: 3, at: 3, type: "text", turnId: "then", text: "Answered long ago." },
        { seq: 4, at: 4, type: "turn-done", turnId: "then", outcome: "done", durationMs: 4000 },
      ],
    };
    if (!subscribers.has(conversationId)) subscribers.set(conversationId, new Set());
    subscribers.get(conversationId).add(client);
    const events = held.events.filter(({ seq }) => seq > after);
    return { epoch, info: infoOf(held), head: held.events.length, events: events.slice(-400), older: events.length > 400 };
  },
  "chat.unsubscribe": ({ conversationId }, client) => (subscribers.get(conversationId)?.delete(client), {}),
  "chat.history": ({ conversationId, before, limit }) => {
    const events = conversations.get(conversationId).events.filter(({ seq }) => seq < before);
    return { events: events.slice(-limit), older: events.length > limit };
  },
  "chat.ack": (params) => log("ack", params.seq, params.offset),
  "chat.send": ({ conversationId, clientId, text, page, attachments = [] }) => {
    log("message", JSON.stringify({ text, selection: page?.selection, attachments: attachments.map(({ name, path }) => path ?? name) }));
    const held = conversations.get(conversationId);
    if (scenario.refuse) throw fault(scenario.refuse.code, scenario.refuse.message);
    log("send", clientId);
    const before = held.events.find((event) => event.type === "message" && event.clientId === clientId);
    if (before) return { seq: before.seq, position: 0 };
    const on = stage(held);
    if (!held.title) held.title = text.slice(0, 60);
    held.page = page;
    const event = on.event({
      type: "message",
      clientId,
      text,
      page,
      from: "panel",
      attachments: attachments.map((file) => ({
        id: crypto.randomUUID(),
        name: file.name,
        mime: file.mime,
        bytes: Math.floor((file.data ?? "").length * 0.75),
      })),
    });
    if (held.state === "idle") void run(on, clientId, text);
    return { seq: event.seq, position: held.state === "idle" ? 0 : 1 };
  },
  "chat.branch": ({ conversationId, clientId, send }) => {
    const of = conversations.get(conversationId);
    const turn = of.events.findIndex((event) => event.type === "turn-started" && event.clientId === clientId);
    const before = of.events.slice(0, turn).filter((event) => event.clientId !== clientId);
    const events = before.map((event, index) => ({ ...event, seq: index + 1 }));
    of.past = true;
    const branch = { ...of, past: false, conversationId: send.conversationId, title: "", events, state: "idle" };
    conversations.set(send.conversationId, { ...branch, branchOf: { conversationId, title: of.title } });
    const sent = methods["chat.send"](send);
    return { info: infoOf(conversations.get(send.conversationId)), sent };
  },
  "chat.unqueue": ({ conversationId, clientId }) => (
    stage(conversations.get(conversationId)).event({ type: "message-removed", clientId }), {}
  ),
  "chat.order": ({ conversationId, clientIds, now }) => {
    const held = conversations.get(conversationId);
    const begun = (clientId) => held.events.some((event) => event.type === "turn-started" && event.clientId === clientId);
    if (clientIds.some(begun) || (now && held.state === "idle")) throw fault("conflict", "This message is not waiting");
    log("order", JSON.stringify({ clientIds: clientIds.length, now }));
    const on = stage(held);
    on.event({ type: "queue-ordered", clientIds });
    if (!now) return {};
    methods["chat.stop"]({ conversationId });
    const first = held.events.find((event) => event.type === "message" && event.clientId === clientIds[0]);
    void run(on, first.clientId, first.text);
    return {};
  },
  "chat.stop": ({ conversationId }) => {
    const held = conversations.get(conversationId);
    const turn = held.events.findLast(({ type }) => type === "turn-started");
    stage(held).event({ type: "turn-done", turnId: turn.turnId, outcome: "stopped", durationMs: Date.now() - turn.at });
    stage(held).state("idle");
    return {};
  },
  "chat.clear": ({ conversationId }) => {
    const held = conversations.get(conversationId);
    held.past = true;
    return infoOf(newConversation(held.chromeTabId));
  },
  "approval.answer": ({ conversationId, approvalId, decision, text }) => {
    if (drivers.has(approvalId)) return drivers.answer({ approvalId, decision, text });
    log(
      "answered",
      JSON.stringify({
        ask: conversations.get(conversationId).events.find((event) => event.approvalId === approvalId).ask,
        decision,
        text,
      }),
    );
    const held = conversations.get(conversationId);
    const { turnId } = held.events.find((event) => event.approvalId === approvalId);
    const on = stage(held);
    on.event({ type: "approval-done", turnId, approvalId, decision, by: "panel" });
    void scenario.answered?.(on, turnId, decision);
    return {};
  },
  ...drivers.methods,
  "agents.list": ({ examine }) => ({ agents: examine ? agents.map(scenario.examined) : agents }),
  "agents.choose": ({ conversationId, agent, model, mode }) => {
    const held = conversations.get(conversationId);
    Object.assign(held, { agent, model, mode });
    save();
    return infoOf(held);
  },
  "question.answer": ({ conversationId, questionId, answers }) => {
    const held = conversations.get(conversationId);
    const { turnId } = held.events.find((event) => event.questionId === questionId);
    const on = stage(held);
    on.event({ type: "question-done", turnId, questionId, answers, by: "panel" });
    void scenario.answered?.(on, turnId, answers);
    return {};
  },
  "chat.continue": ({ conversationId }) => {
    const on = stage(conversations.get(conversationId));
    const waiting = on.held.events.filter(
      (event) =>
        event.type === "message" && !on.held.events.some((each) => each.type === "turn-started" && each.clientId === event.clientId),
    );
    if (waiting[0]) void run(on, waiting[0].clientId, waiting[0].text);
    return {};
  },
  "chat.stopAll": () => ({ turns: 2 }),
  "pick.start": () =>
    (scenario.refused ? Promise.reject(fault(scenario.refused.code, scenario.refused.message, scenario.refused)) : scenario.picked) ??
    new Promise((_resolve, reject) => {
      stopPick = () => reject(fault("cancelled", "Nothing was picked"));
    }),
  "pick.stop": () => (stopPick?.(), {}),
  ...recordMethods({ scenario, conversations, infoOf, save, fault, tabs: () => tabs, current: (chromeTabId) => current(chromeTabId) }),
  "file.read": ({ id, offset }) => {
    const bytes = exported.get(id) ?? scenario.file ?? Buffer.alloc(0);
    const part = bytes.subarray(offset, offset + 40_000);
    return { data: part.toString("base64"), total: bytes.length, mime: exported.has(id) ? "text/plain" : "image/png" };
  },
  "command.run": ({ command, args }) => {
    log("command", JSON.stringify([command, ...args]));
    if (scenario.command) return scenario.command(command, args, fault);
    return { output: `${command}: ok`, files: ["/tmp/gstack/shot-1.png"] };
  },
  "refs.list": () => ({ refs: scenario.refs ?? [] }),
  "refs.show": ({ show }) => (log("refs.show", show), {}),
  "refs.highlight": ({ ref }) => (log("refs.highlight", ref ?? "none"), {}),
  "activity.subscribe": (_params, client) => {
    scenario.followed?.((entry) => post({ client, method: "activity.entry", params: entry }));
    return { entries: scenario.activity ?? [], gap: false };
  },
  "activity.unsubscribe": () => (log("activity.unsubscribe"), {}),
};

async function run(on, clientId, text) {
  on.state("running");
  await scenario.turn(on, clientId, text);
}

async function receive({ id, method, params, client }) {
  log(id === undefined ? "note" : "call", method);
  try {
    const result = await methods[method](params, client);
    if (id !== undefined) post({ client, id, result: result ?? {} });
  } catch (error) {
    if (id !== undefined) post({ client, id, error: error.fault ?? { code: "internal", message: error.stack } });
  }
}

log("start", process.pid);
scenario.start?.({ post, exit: (code) => process.stdout.write("", () => process.exit(code)) });
let rest = Buffer.alloc(0);
if (!scenario.start)
  process.stdin.on("data", (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 4 && rest.length >= 4 + rest.readUInt32LE(0)) {
      const end = 4 + rest.readUInt32LE(0);
      void receive(JSON.parse(rest.subarray(4, end).toString()));
      rest = rest.subarray(end);
    }
  });
process.stdin.on("end", () => process.exit(0));
