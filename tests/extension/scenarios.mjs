/**
 * Conversations for the fake host: earlier messages, and what a turn does.
 *
 * A turn paces itself by short timers so that streaming is visible; tests wait for what appears, never for time.
 */
import { deflateSync } from "node:zlib";
import { debugScenario } from "./debug-scenario.mjs";
import { HEAVY, HOSTILE } from "./hostile.mjs";

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const CLAUDE = {
  name: "claude",
  label: "Claude Code",
  status: "ready",
  version: "2.1.329",
  default: true,
  hasModel: true,
  models: [
    { id: "sonnet", label: "Sonnet", description: "Fast and able" },
    { id: "opus", label: "Opus", description: "For hard questions" },
  ],
  commands: [
    { name: "review", description: "Review the changes on this branch" },
    { name: "release-notes", description: "Write notes from the commits", hint: "[since]" },
    { name: "init", description: "Write down what this folder is" },
    { name: "check", description: "Check the changed code for mistakes", hint: "[low|medium|high|max] [--fix] [--comment] [<target>]" },
  ],
};
const CODEX = { name: "codex", label: "Codex", status: "ready", version: "0.48.0", default: false, hasModel: true };
/** Returns a fault's sentences as codes, as the daemon sends them. */
const words = (message, values, hint) => ({ message: { code: message, values }, hint: { code: hint } });
const signedOut = (label, command) => ({
  code: "agent-signed-out",
  message: `${label} is not signed in`,
  hint: "Sign in from a terminal, then send the message again.",
  command,
  hop: "agent",
  words: words("agent_signed_out", [label], "sign_in"),
});
const GEMINI = {
  name: "gemini",
  label: "Gemini CLI",
  status: "signed-out",
  version: "0.12.1",
  default: false,
  hasModel: true,
  fault: signedOut("Gemini CLI", "gemini"),
};
const BUILTIN = { name: "builtin", label: "Built-in", status: "ready", version: "0.1.0", default: false, hasModel: false };
/** Every agent with a model, in the state of a machine where none is installed. */
export const MISSING = [
  ["claude", "Claude Code", "npm install -g @anthropic-ai/claude-code"],
  ["codex", "Codex", "npm install -g @openai/codex"],
  ["gemini", "Gemini CLI", "npm install -g @google/gemini-cli"],
  ["claude-agent-acp", "Claude (ACP)", "npm install -g @agentclientprotocol/claude-agent-acp"],
].map(([name, label, command]) => ({
  name,
  label,
  status: "missing",
  default: false,
  hasModel: true,
  fault: {
    code: "agent-missing",
    message: `${label} is not installed`,
    hint: "Install it, or set its path in the configuration; then look again.",
    command,
    hop: "agent",
    words: words("agent_missing", [label], "agent_install"),
  },
}));
const [, , NO_GEMINI, NO_ACP] = MISSING;
const AGENTS = [CLAUDE, CODEX, GEMINI, NO_ACP, BUILTIN];

/** Times differ from round to round, as in reality. */
let rounds = 0;
const hopsWith = (agent) => () => {
  rounds += 1;
  const took = (millis, step) => millis * (1 + 0.4 * Math.sin(rounds * step) + 0.2 * Math.cos(rounds * 2.3));
  return [
    { hop: "host", ok: true, detail: "version 0.1.0, pid 41207" },
    { hop: "daemon", ok: true, detail: "version 0.1.0, pid 40112, home /home/you/.gstack" },
    { hop: "browser", ok: true, detail: "Chromium/156.0.7420.31, pid 40180, tabs: 9", millis: took(2.1, 1.3) },
    { hop: "agent", detail: "Claude Code 2.1.329 at /home/you/.local/bin/claude", ...agent(took) },
  ];
};
const HOPS = hopsWith((took) => ({ ok: true, millis: took(84, 0.7) }));

/** A small PNG with bands of colour, so that a thumbnail shows something. */
function picture(width = 320, height = 200) {
  const raw = Buffer.alloc((width * 3 + 1) * height);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const at = y * (width * 3 + 1) + 1 + x * 3;
      const shade = y < 36 ? [30, 58, 52] : x > 210 && y > 50 ? [233, 229, 220] : [251, 250, 247];
      raw.set(shade, at);
    }
  }
  const table = Array.from({ length: 256 }, (_, n) => {
    let c = n;
    for (let k = 0; k < 8; k += 1) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
    return c >>> 0;
  });
  const crc = (bytes) => {
    let c = 0xffffffff;
    for (const byte of bytes) c = table[(c ^ byte) & 255] ^ (c >>> 8);
    return (c ^ 0xffffffff) >>> 0;
  };
  const chunk = (type, data) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const whole = Buffer.alloc(body.length + 8);
    whole.writeUInt32BE(data.length);
    body.copy(whole, 4);
    whole.writeUInt32BE(crc(body), body.length + 4);
    return whole;
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width);
  head.writeUInt32BE(height, 4);
  head.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]),
    chunk("IHDR", head),
    chunk("IDAT", deflateSync(raw)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** The length of a flood, in characters. */
const FLOOD = 200_000;
const repeated = (part) => Array.from({ length: Math.ceil(FLOOD / part(0).length) }, (_, n) => part(n)).join("");
export const FLOODS = {
  flood: repeated(() => `Paragraph with \`code\` and **strong** words: ${"they go on and on, ".repeat(14)}\n\n- one\n- two\n\n`),
  "flood-code": `\`\`\`js\n${repeated((n) => `export const answer${n} = compute(${n}, "of many");\n`)}\`\`\`\n`,
  "flood-table": `| line | price | shown | what it is |\n|---|--:|--:|---|\n${Array.from(
    { length: 3000 },
    (_, n) => `| Linen apron ${n} | ${n}.95 | ${n}.05 | **rounded** to whole cents, and down |\n`,
  ).join("")}\n`,
  "flood-paragraph": repeated((n) => `Sentence ${n} says what \`lineTotal()\` does, and **why** it does it. `),
};

/** Streams a text in small pieces. */
async function flood(on, clientId, text) {
  const turn = turnOf(on, clientId);
  const event = on.event({ type: "text", turnId: turn.turnId, text: "" });
  for (let at = 0; at < text.length; at += 300) {
    for (let part = at; part < Math.min(at + 300, text.length); part += 60) on.delta(event, text.slice(part, part + 60), false);
    await pause(4);
  }
  turn.done();
}

let ids = 0;
const fresh = (kind) => `${kind}-${process.pid}-${++ids}`;

/** The codes of the steps' texts, as the daemon sends them. */
const PHRASES = {
  Clicking: "click_sel",
  "Closing the tab": "close_the_tab",
  Filling: "fill_sel",
  Opening: "open_url",
  Reading: "own_reading",
  "Reading the page": "read_the_page",
  "Reading the requests": "read_the_requests",
  Running: "own_running",
  Searching: "own_searching",
  "Taking a screenshot": "take_a_screenshot",
  "Tidying the page": "tidy_the_page",
  "Waiting for the page": "wait_for_the_page",
};
const phraseOf = (verb, object) => ({ code: PHRASES[verb], values: object ? [object] : [] });

/** Sends the events of one turn. */
function turnOf(on, clientId, { agentLabel = "Claude Code", agent = "claude", model = "opus", ...more } = {}) {
  const turnId = fresh("turn");
  const began = Date.now();
  on.event({ type: "turn-started", turnId, clientId, agent, agentLabel, model, ...more });
  return {
    turnId,
    step(verb, object, durationMs, { outcome = "ok", result = "ok", tool = "browser", args = "{}", kind = "act", images = [] } = {}) {
      const stepId = fresh("step");
      on.event({ type: "step", turnId, stepId, kind, verb, object, phrase: phraseOf(verb, object), tool, arguments: args });
      on.event({ type: "step-done", turnId, stepId, outcome, durationMs, result, images });
    },
    running(verb, object, phrase) {
      on.event({ type: "step", turnId, stepId: fresh("step"), kind: "act", verb, object, phrase, tool: "run", arguments: "{}" });
    },
    text: (text) => on.event({ type: "text", turnId, text }),
    async stream(text, piece = 12, gap = 4) {
      const event = on.event({ type: "text", turnId, text: "" });
      for (let at = 0; at < text.length; at += piece) {
        on.delta(event, text.slice(at, at + piece));
        await pause(gap);
      }
    },
    thinking: (text) => on.event({ type: "thinking", turnId, text }),
    notice: (text) => on.event({ type: "notice", turnId, text }),
    approval(more = {}) {
      on.event({
        type: "approval",
        turnId,
        approvalId: fresh("approval"),
        ask: "Click “Revoke key” for ci-old",
        phrase: { code: "click_sel", values: ["Revoke key"] },
        site: "console.halden.example",
        does: "click @e14",
        kind: "act",
        action: {
          command: "click @e14",
          scope: "act",
          submits: false,
          element: { target: "@e14", role: "button", name: "Revoke key", document: "d-1" },
          agentReason: "Last used 212 days ago; you asked for keys idle over 90 days.",
        },
        choices: ["allow-once", "allow-site", "allow-conversation", "allow-always", "deny"],
        ...more,
      });
      on.state("waiting-for-approval");
    },
    plan: (...entries) => on.event({ type: "plan", turnId, entries: entries.map(([text, status]) => ({ text, status })) }),
    question(...parts) {
      on.event({ type: "question", turnId, questionId: fresh("question"), parts });
      on.state("waiting-for-approval");
    },
    done(more = {}) {
      on.event({ type: "turn-done", turnId, outcome: "done", durationMs: Date.now() - began, model, ...more });
      on.state("idle");
    },
  };
}

const says = (on, text, more = {}) => on.event({ type: "message", clientId: fresh("message"), text, from: "panel", ...more }).clientId;

const ANSWER = `## The total is rounded twice

It is off **only with a percentage coupon**: without one every line is whole cents already.

- \`lineTotal()\` takes 10 % off and rounds to cents.
- \`cartTotal()\` adds those up and rounds again.

| line | price | shown | exact |
|---|--:|--:|--:|
| Linen apron | 18.95 | 17.05 | 17.055 |
| Oak board | 22.45 | 20.20 | 20.205 |
| Twine, 3 m | 4.59 | 4.13 | 4.131 |
| **Total** | 45.99 | **41.38** | **41.39** |

Keep the lines exact and round once, at the end:

\`\`\`diff
-const net = sum(lines.map(lineTotal));
+const net = sum(lines.map(lineExact));
 return roundCents(net);
\`\`\`

The tax line has the same rule, see [how rounding is documented](https://example.com/rounding).
`;

const SIX = (turn) => {
  turn.step("Opening", "localhost:5173/cart", 400, { kind: "navigate" });
  turn.step("Reading the page", "", 31, { kind: "read" });
  turn.step("Filling", "Coupon code", 120);
  turn.step("Clicking", "Apply", 300);
  turn.step("Reading the requests", "", 4, {
    kind: "read",
    args: '{"filter":"xhr"}',
    result: "POST /api/cart/coupon → 200 (48ms, 212B)\nGET /api/cart → 200 (31ms, 1840B)\nGET /img/board.webp → pending",
  });
  turn.step("Reading", "src/cart/total.ts", 6, { kind: "file" });
};

/** The usual turn: steps, streamed Markdown, an end. */
async function usual(on, clientId, text) {
  const turn = turnOf(on, clientId);
  on.working("Reading the page");
  await pause(30);
  SIX(turn);
  on.working("Clicking Apply");
  await turn.stream(`You said **${text}**.\n\n${ANSWER}`);
  on.working(null);
  turn.done({ costUsd: 0.14 });
}

const base = { agents: AGENTS, hops: HOPS, turn: usual, file: picture() };

export const scenarios = {
  /** An empty conversation; a message gets a complete turn as its answer. */
  usual: base,
  /** The answer repeats a hostile page. */
  hostile: {
    ...base,
    async turn(on, clientId) {
      const turn = turnOf(on, clientId);
      await turn.stream(HOSTILE, 7, 1);
      await turn.stream(HEAVY, 1000, 1);
      turn.done();
    },
  },
  /** For the debug drawer. */
  debug: debugScenario(base),
  "debug-refused": {
    ...debugScenario(base),
    refused: {
      code: "forbidden",
      message: "you can't pick an element here: extensions can't access the browser's own pages",
      hint: "Choose from the refs.",
    },
  },
  "found-agent": {
    ...base,
    agents: [CLAUDE, { ...CODEX, version: undefined, unexamined: true }, BUILTIN],
    examined: (agent) => (agent.unexamined ? CODEX : agent),
  },
  "no-agent": { ...base, agents: [...MISSING, { ...BUILTIN, default: true }] },
  /** The chosen agent has no account: its hop, its menu and the status bar all show it. */
  "signed-out": {
    ...base,
    agents: [{ ...CLAUDE, status: "signed-out", fault: signedOut("Claude Code", "claude auth login") }, CODEX, GEMINI, NO_ACP, BUILTIN],
    hops: hopsWith(() => ({ ok: false, fault: signedOut("Claude Code", "claude auth login") })),
  },
  /** A turn in the middle of its text, with a queue. */
  streaming: {
    ...base,
    before(on) {
      const turn = turnOf(on, says(on, "The total is one cent off when I apply SPRING10. Find out why."));
      SIX(turn);
      turn.text(
        "I can reproduce it. With `SPRING10` the page shows **€41.38**, the exact total is **€41.39**.\n\n" +
          "The amount is rounded twice:\n\n" +
          "1. `lineTotal()` takes 10 % off a line and rounds it.\n" +
          "2. `cartTotal()` adds the rounded lines up and rounds the sum ag",
      );
      turn.running("Running the cart with", "24 prices");
      on.held.state = "running";
      says(on, "Then check the same on a phone’s width");
      says(on, "And write a test that would have caught it, next to the others");
    },
  },
  "queue-full": {
    ...base,
    before(on) {
      turnOf(on, says(on, "The total is one cent off. Find out why.")).running("Reading", "src/cart/total.ts");
      on.held.state = "running";
      for (const text of [
        "Then check the same on a phone’s width",
        "And write a test that would have caught it",
        "Is the tax line right too?",
        "Compare with the product page",
        "Commit it",
      ])
        says(on, text);
    },
  },
  question: {
    ...base,
    before(on) {
      const turn = turnOf(on, says(on, "Set up the shop’s price page for me."));
      turn.plan(
        ["Look at the page as it is", "done"],
        ["Ask what it should show", "running"],
        ["Change the page", "pending"],
        ["Check it on a phone’s width", "pending"],
      );
      turn.step("Reading the page", "", 44, { kind: "read" });
      turn.question(
        {
          header: "Currency",
          text: "Which currency should the prices be shown in?",
          options: [
            { label: "Euro", description: "As on the cart page" },
            { label: "Danish krone" },
            { label: "The visitor’s own", description: "Needs a rate each day" },
          ],
        },
        {
          header: "Columns",
          text: "Which columns should the table have?",
          multiple: true,
          options: [{ label: "Price" }, { label: "Price with tax" }, { label: "In stock" }],
        },
      );
    },
    async answered(on, turnId, answers) {
      on.event({ type: "text", turnId, text: answers.length > 0 ? "I take that." : "I leave it." });
      on.event({ type: "turn-done", turnId, outcome: "done", durationMs: 12_000, model: "opus" });
      on.state("idle");
    },
  },
  /** An agent that needs a sign-in; its words, as the daemon passes them on. */
  "sign-in": {
    ...base,
    before(on) {
      turnOf(on, says(on, "Set up the shop’s price page for me.")).question({
        text: "Vibe is not signed in (Choose an account first.)",
        options: [
          { label: "Log in with Mistral", description: "Opens a page in your default browser" },
          { label: "Company account", description: "For single sign-on; needs a network of the company" },
        ],
        closed: true,
      });
    },
  },
  "sign-in-hostile": {
    ...base,
    before(on) {
      const long = "Welcome back to your account, which needs a short check of who you are ".repeat(4).slice(0, 297);
      turnOf(on, says(on, "Set up the shop’s price page for me.")).question({
        text: "Guest is not signed in (Allow once\n⟨600 blanks⟩\n<b>gstack</b> needs your password ⟨U+202E⟩drowssap⟨U+001B⟩[31m.)",
        options: [
          { label: `<img src=x onerror="document.title='owned'">`, description: "<script>document.title='owned'</script>" },
          { label: "Allow once ⟨U+202E⟩ecno⟨U+2066⟩ yned", description: `${long}…` },
          { label: `${"W".repeat(97)}…`, description: "x".repeat(300) },
          { label: "Answer" },
          { label: "Answer (2)", description: "gstack: sign in again to continue" },
        ],
        closed: true,
      });
    },
  },
  "one-question": {
    ...base,
    before(on) {
      turnOf(on, says(on, "Make it nicer.")).question({ text: "Which of the two?", options: [{ label: "Left" }, { label: "Right" }] });
    },
    async answered(on, turnId, answers) {
      on.event({ type: "text", turnId, text: `It is ${answers.flat().join()}.` });
      on.event({ type: "turn-done", turnId, outcome: "done", durationMs: 12_000, model: "opus" });
      on.state("idle");
    },
  },
  /** A plan in progress, and a finished one. */
  plan: {
    ...base,
    before(on) {
      const turn = turnOf(on, says(on, "Move the tests to the new runner."));
      turn.plan(["Find the tests", "running"], ["Move them", "pending"]);
      turn.step("Searching", "tests/**", 80, { kind: "file" });
      turn.plan(
        ["Find the tests", "done"],
        ["Move the ones that only need another import, which is most of them", "running"],
        ["Move the others", "pending"],
        ["Run all", "pending"],
      );
      turn.text("There are 41 files; 38 need only another import.");
      turn.running("Writing", "tests/cart.test.ts");
      on.held.state = "running";
    },
  },
  /** All agent slots are busy. */
  slot: {
    ...base,
    before(on) {
      turnOf(on, says(on, "And what about this page?"));
      on.held.state = "waiting-for-slot";
    },
  },
  /** The person presses Escape while the page has the keyboard for a moment. */
  escaped: {
    ...base,
    async turn(on, clientId) {
      const turn = turnOf(on, clientId);
      turn.text("I click about.");
      on.push("panel.keys", { keys: ["n", "o", "Escape"] });
    },
  },
  /** Messages wait after a turn that was stopped. */
  paused: {
    ...base,
    before(on) {
      const turn = turnOf(on, says(on, "Find out why."));
      turn.text("I look at it.");
      says(on, "Then check the same on a phone’s width");
      says(on, "And write a test");
      turn.done({ outcome: "stopped", durationMs: 12_000 });
    },
  },
  /** A turn's usage, and a turn that ran without a model. */
  usage: {
    ...base,
    before(on) {
      turnOf(on, says(on, "go to localhost:5173/cart"), { direct: true, agent: "builtin", agentLabel: "Built-in", model: null }).done({
        durationMs: 410,
        model: null,
      });
      const turn = turnOf(
        on,
        says(on, "What does the coupon do?", {
          page: { url: "http://localhost:5173/cart", title: "Cart", selection: "SPRING10 takes 10 % off" },
        }),
      );
      turn.text("It takes **10 %** off each line.");
      turn.done({
        durationMs: 4100,
        costUsd: 0.03,
        usage: { inputTokens: 4200, outputTokens: 310, cachedTokens: 14_000, contextTokens: 18_500, contextWindow: 200_000 },
      });
      on.held.costUsd = 0.42;
    },
  },
  picked: {
    ...base,
    picked: {
      ref: "@e17",
      role: "button",
      name: "Buy now",
      selector: "button#buy.primary",
      url: "http://localhost:5173/cart",
      rect: [10, 20, 90, 32],
      html: '<button id="buy">Buy now</button>',
    },
  },
  /** A newer extension is on disk. */
  "client-asks": { ...base, clients: "one" },
  "client-works": { ...base, clients: "working" },
  "taken-over": { ...base, clients: "taken" },
  "clients-ask": { ...base, clients: "several" },
  "client-elsewhere": { ...base, clients: "elsewhere" },
  newer: { ...base, welcome: { extensionVersion: "9.0.0" } },
  /** An earlier conversation about this page. */
  earlier: {
    ...base,
    past: (now) => [
      {
        conversationId: "past-0",
        title: "Cart total one cent off with SPRING10",
        page: { url: "http://localhost:5173/cart", title: "Cart" },
        agent: "claude",
        folder: "/home/you/shop",
        head: 4,
        createdAt: now,
        updatedAt: now - 3 * 86_400_000,
        state: "idle",
        queued: 0,
      },
    ],
    before(on) {
      on.held.earlier = {
        conversationId: "past-0",
        title: "Cart total one cent off with SPRING10",
        updatedAt: Date.now() - 3 * 86_400_000,
      };
    },
  },
  missing: {
    ...base,
    agents: [CLAUDE, CODEX, NO_GEMINI, NO_ACP, BUILTIN],
    before(on) {
      turnOf(on, says(on, "Which rule sets the width of the cart?"), { agent: "gemini", agentLabel: "Gemini CLI", model: null }).done({
        outcome: "failed",
        durationMs: 20,
        model: null,
        fault: NO_GEMINI.fault,
      });
    },
  },
  /** Right-to-left text, and text without spaces. */
  languages: {
    ...base,
    before(on) {
      const turn = turnOf(on, says(on, "لماذا يختلف المجموع بسنت واحد عند استخدام SPRING10؟"));
      turn.step("Reading the page", "", 44, { kind: "read" });
      const rounds = "- `lineTotal()` يقرّب كل سطر.\n- `cartTotal()` يقرّب المجموع مرة أخرى.";
      turn.text(`يتم **تقريب** المبلغ مرتين:\n\n${rounds}`);
      turn.done({ durationMs: 4100 });
      const question = "合計が一セントずれるのはなぜですか。割引コードを使うと起こります。";
      const next = turnOf(on, says(on, question));
      const twice = "各行で一度、合計でもう一度丸めています。";
      const last = "`roundCents()`は最後に一度だけ呼ぶべきです。";
      next.text(`金額が**二回**丸められているためです。${twice}${last}`);
      next.done({ durationMs: 3100 });
    },
  },
  /** A turn that has produced nothing yet. */
  begun: {
    ...base,
    before(on) {
      turnOf(on, says(on, "Why?"));
      on.held.state = "running";
    },
  },
  /** Code in several languages, one of them unknown. */
  code: {
    ...base,
    before(on) {
      const turn = turnOf(on, says(on, "Show me"));
      const block = (language, code) => `\`\`\`${language}\n${code}\n\`\`\``;
      turn.text(
        [
          block("rs", 'fn main() {\n    // A comment,\n\n    let a = "<img src=x onerror=alert(1)>";\n}'),
          block("TypeScript", "export const answer: number = 42; // &lt; stays\nconst twice = (count: number) => round(count * 2);"),
          block("html", '<b onclick="run()">bold</b><script>alert(1)</script>'),
          block("klingon", "no such language"),
          "That is all.",
        ].join("\n\n"),
      );
      turn.done({ durationMs: 900 });
    },
  },
  done: {
    ...base,
    before(on) {
      const turn = turnOf(on, says(on, "The total is one cent off when I apply SPRING10. Find out why."));
      SIX(turn);
      turn.step("Running", "the cart with 24 prices", 4100);
      turn.step("Reading the page", "", 28, { kind: "read" });
      turn.step("Taking a screenshot", "", 200, {
        kind: "read",
        images: [{ id: "picture", name: "Cart with the fix, total €41.39", mime: "image/png", bytes: picture().length }],
      });
      turn.text(ANSWER);
      turn.done({ durationMs: 48_000, costUsd: 0.14 });
    },
  },
  /** Tables that are wider than the panel: many columns, long words, long sentences. */
  wide: {
    ...base,
    before(on) {
      const turn = turnOf(on, says(on, "Compare the three providers."));
      turn.step("Reading the page", "", 28, { kind: "read" });
      turn.text(
        [
          "| Provider | Region | Plan | Price per month | Storage | Support |",
          "|---|---|---|---:|---:|---|",
          "| Halden Cloud | eu-north-1 | Business | €1,240.00 | 2,000 GB | around the clock, by phone and by mail |",
          "| Nordlys | eu-west-3 | Starter | €18.95 | 20 GB | on working days |",
          "",
          "| Setting | Meaning |",
          "|---|---|",
          "| `HALDEN_BILLING_WEBHOOK_SIGNATURE_TOLERANCE_SECONDS` | How old a signed message may be when it arrives " +
            "before it is refused as a replay |",
        ].join("\n"),
      );
      turn.done({ durationMs: 9_000 });
    },
  },
  steps: {
    ...base,
    before(on) {
      const turn = turnOf(on, says(on, "Apply SPRING10 and take it as far as the payment page."));
      turn.thinking("The coupon field is in the summary. I apply it first, then go on to the checkout.");
      SIX(turn);
      turn.step("Clicking", "Checkout", 5000, {
        outcome: "failed",
        result: 'Covered by <div class="cookie-banner">. Waited 5 s for the button to receive the click.',
      });
      turn.step("Tidying the page", "", 58);
      turn.step("Clicking", "Checkout", 600);
      turn.step("Waiting for the page", "", 900);
      turn.step("Clicking", "Pay now", 30, { outcome: "denied" });
      turn.step("Closing the tab", "", 30, { outcome: "unknown" });
      turn.text(
        "The payment page opens and the coupon holds: **€41.39**.\n\n" +
          "One thing for you: the cookie banner covers **Checkout** until it is closed. I hid it to get on; a customer cannot.\n\n" +
          "### What I would change\n\n" +
          "- Give the banner its own row instead of laying it over the page.\n" +
          "- Add the bottom padding back to the cart while it is open.\n\n" +
          "Shall I make the change in `src/layout/Banner.tsx` and run the tests that touch the cart?",
      );
      turn.notice("The agent’s API was busy; it tried again after 4 s.");
      turn.done({ durationMs: 7500 });
    },
  },
  /** Several calls of one turn wait at once: two fields and the button that submits them. */
  together: {
    ...base,
    before(on) {
      const turn = turnOf(on, says(on, "Order it for Ada Lovelace."));
      for (const [ref, name, text] of [
        ["@e3", "Full name", "Ada Lovelace"],
        ["#town", "Town", "Grasmere"],
        ["@e9", "Place order", null],
      ]) {
        const code = text === null ? "click_sel" : "fill_sel";
        turn.running(text === null ? "Clicking" : "Filling", text === null ? name : ref, { code, values: [text === null ? name : ref] });
        turn.approval({
          phrase: { code, values: [name] },
          ask: text === null ? `Click “${name}”` : `Fill “${name}”`,
          site: "shop.example",
          does: text === null ? `click ${ref}` : `fill ${ref} "${text}"`,
          choices: ["allow-once", "allow-site", "allow-conversation", "deny"],
          action: {
            command: text === null ? `click ${ref}` : `fill ${ref} "${text}"`,
            scope: text === null ? "submit" : "act",
            submits: text === null,
            ...(text !== null && { text }),
            element: { target: ref, role: text === null ? "button" : "textbox", name, document: "d1" },
            ...(text === null && { destination: "https://shop.example/order" }),
          },
        });
      }
      const step = on.held.events.find(({ object }) => object === "#town");
      on.event({
        type: "step-updated",
        turnId: step.turnId,
        stepId: step.stepId,
        object: "Town",
        phrase: { code: "fill_sel", values: ["Town"] },
      });
    },
    async answered() {
      /* the turn continues */
    },
  },
  /** Two waiting calls whose texts are longer than the panel is high. */
  "together-long": {
    ...base,
    before(on) {
      const turn = turnOf(on, says(on, "Write the report and send it."));
      const long = `${Array.from({ length: 200 }, (_, n) => `Paragraph ${n} of the report.`).join("\n")}\nThe last word of the text`;
      const address = `https://shop.example/send?${"part=value&".repeat(150)}the-last-word-of-the-address`;
      const why = `${"You asked for all of it. ".repeat(120)}The last word of the reason`;
      const element = (target, role, name) => ({ target, role, name, document: "d1" });
      turn.running("Filling", "Report");
      turn.approval({
        ask: "Fill “Report”",
        site: "shop.example",
        does: "fill @e3 …",
        why,
        choices: ["allow-once", "deny"],
        action: { command: "fill @e3 …", scope: "act", submits: false, text: long, element: element("@e3", "textbox", "Report") },
      });
      turn.running("Clicking", "Send");
      turn.approval({
        ask: `Click “Send ${"and send again ".repeat(80)}the last word of the name”`,
        site: "shop.example",
        does: "click @e9",
        choices: ["allow-once", "deny"],
        action: { command: "click @e9", scope: "submit", submits: true, element: element("@e9", "button", "Send"), destination: address },
      });
    },
    async answered() {
      /* the turn continues */
    },
  },
  approval: {
    ...base,
    before(on) {
      const turn = turnOf(on, says(on, "Revoke every API key that nobody has used for 90 days."));
      turn.step("Opening", "console.halden.example/keys", 900, { kind: "navigate" });
      turn.step("Reading the page", "", 44, { kind: "read" });
      turn.step("Clicking", "Last used", 300);
      turn.step("Reading the page", "", 38, { kind: "read" });
      turn.text("Three of eleven keys are idle: `ci-old`, `staging-2` and `lena-laptop`. I start with the oldest.");
      turn.approval();
    },
    rules: () => [],
    async answered(on, turnId, decision) {
      on.event({ type: "text", turnId, text: decision === "deny" ? "Left as it is." : "Revoked." });
      on.event({ type: "turn-done", turnId, outcome: "done", durationMs: 12_000, model: "opus" });
      on.state("idle");
    },
  },
  // One card directly follows another, in the same place.
  approvals: {
    ...base,
    before(on) {
      turnOf(on, says(on, "Revoke two keys.")).approval();
    },
    rules: () => [],
    async answered(on, turnId) {
      on.event({
        type: "approval",
        turnId,
        approvalId: fresh("approval"),
        ask: "Click “Revoke key” for ci-old",
        phrase: { code: "click_sel", values: ["Revoke key"] },
        site: "console.halden.example",
        does: "click @e14",
        kind: "act",
        action: {
          command: "click @e14",
          scope: "act",
          submits: false,
          element: { target: "@e14", role: "button", name: "Revoke key", document: "d-1" },
          agentReason: "Last used 212 days ago; you asked for keys idle over 90 days.",
        },
        choices: ["allow-once", "allow-site", "allow-conversation", "allow-always", "deny"],
      });
      on.state("waiting-for-approval");
    },
  },
  "approval-hidden": {
    ...base,
    before(on) {
      const hidden = `document.title${" ".repeat(600)}; fetch("/transfer?to=\u202egro.live\u202c")`;
      const payload = `${hidden}\n${"\n".repeat(40)}// end ${"x".repeat(3000)} the last word`;
      turnOf(on, says(on, "What is the title?")).approval({
        ask: "Run JavaScript in the page",
        does: payload,
        kind: "control",
        action: { command: payload, scope: "control", submits: false, agentReason: "The person \u2067already agreed" },
      });
    },
    rules: () => [],
  },
  "approval-submit": {
    ...base,
    before(on) {
      const element = { target: "@e14", role: "button", name: "Revoke key", document: "d-1" };
      const action = { command: "click @e14", scope: "submit", element, destination: "https://console.halden.example/keys", submits: true };
      turnOf(on, says(on, "Revoke one key.")).approval({ action, choices: ["allow-once", "allow-site", "deny"] });
    },
    rules: () => [],
  },
  "approval-drag": {
    ...base,
    before(on) {
      const element = { target: "@e3", role: "listitem", name: "Invoice 17", document: "d-1" };
      const otherElements = [{ target: "@e9", role: "list", name: "Paid", document: "d-1" }];
      const action = { command: "drag @e3 @e9", scope: "act", element, otherElements, submits: false };
      turnOf(on, says(on, "Sort the invoices.")).approval({ action });
    },
    rules: () => [],
  },
  // It requests the approval only on demand, which closes whatever is open.
  "approval-later": {
    ...base,
    async turn(on, clientId) {
      turnOf(on, clientId).approval();
    },
    rules: () => [],
  },
  errors: {
    ...base,
    before(on) {
      turnOf(on, says(on, "Which rule sets the width of the cart?")).done({
        outcome: "failed",
        fault: signedOut("Claude Code", "claude auth login"),
      });
      const codex = turnOf(on, says(on, "Compare it with the product page."), { agent: "codex", agentLabel: "Codex", model: null });
      codex.step("Reading the page", "", 30);
      codex.done({
        outcome: "failed",
        fault: {
          code: "agent-crashed",
          message: "Codex ended unexpectedly (exit status: 101)",
          hint: "Send the message again: the conversation continues.",
          hop: "agent",
          words: words("agent_ended", ["Codex", "exit status: 101"], "send_again_goes_on"),
        },
      });
      turnOf(on, says(on, "And again?", { from: "terminal" })).done({ outcome: "stopped", durationMs: 12_000 });
      turnOf(on, says(on, "Go on")).done({ outcome: "interrupted", durationMs: 3000 });
    },
  },
  /** An agent that works in the page as long as the test watches. */
  working: {
    ...base,
    async turn(on, clientId) {
      turnOf(on, clientId).running("Clicking", "Apply", { code: "click_sel", values: ["Apply"] });
      on.working("Clicking Apply", false, { code: "click_sel", values: ["Apply"] });
    },
  },
  /** The daemon refuses messages. */
  refused: { ...base, refuse: { code: "conflict", message: "The daemon is updating" } },
  tabs: {
    ...base,
    before(on) {
      turnOf(on, says(on, "Find out why.")).done();
      on.held.tabs = [{ tabId: 1, chromeTabId: on.held.chromeTabId, title: "Cart – Halden Store", url: "http://localhost:5173/cart" }];
    },
    tabs: [
      {
        tabId: 2,
        chromeTabId: 900_002,
        windowId: 1,
        title: "API keys – Halden Console",
        url: "https://console.halden.example/keys",
        conversationId: "b",
        running: true,
      },
      {
        tabId: 3,
        chromeTabId: 900_003,
        windowId: 1,
        title: "Rounding – Money handbook",
        url: "https://docs.halden.example/rounding",
        conversationId: "c",
        running: true,
      },
      {
        tabId: 4,
        chromeTabId: 900_004,
        windowId: 1,
        title: "Release checklist",
        url: "https://docs.halden.example/release",
        conversationId: "d",
        running: false,
      },
    ],
  },
  /** Two tabs with the same title on the same host. */
  twins: {
    ...base,
    tabs: ["orders/17", "orders/18"].map((path, index) => ({
      tabId: index + 2,
      chromeTabId: 900_002 + index,
      windowId: 1,
      title: "Order – Halden Store",
      url: `https://shop.halden.example/${path}`,
      conversationId: `past-${index}`,
      running: false,
    })),
    past: (now) =>
      ["Why is the total wrong?", "Refund the second apron"].map((title, index) => ({
        conversationId: `past-${index}`,
        title,
        page: { url: "https://shop.halden.example/", title: "Order" },
        agent: "claude",
        folder: "/home/you/shop",
        head: 4,
        createdAt: now,
        updatedAt: now,
        state: "idle",
        queued: 0,
      })),
  },
  history: {
    ...base,
    rules: (now) => [
      { id: "r-2", effect: "deny", scope: "act", site: "bank.example", madeAt: now - 1000 },
      { id: "r-1", effect: "allow", scope: "act", site: "localhost:5173", madeAt: now - 2000 },
    ],
    past: (now) =>
      [
        ["Cart total one cent off with SPRING10", "http://localhost:5173/cart", 0, "running"],
        ["Revoke idle API keys", "https://console.halden.example/keys", 1, "waiting-for-approval"],
        ["Which rounding rule does the handbook name", "https://docs.halden.example/rounding", 2, "idle"],
        ["Why the hero image loads last", "http://localhost:5173/", 26, "idle"],
        ["Keyboard order of the product filter", "http://localhost:5173/filter", 110, "idle"],
      ].map(([title, url, hours, state], index) => ({
        words: `${title}. The amount was rounded twice; now it is rounded once at the end.`,
        conversationId: `past-${index}`,
        title,
        page: { url, title },
        agent: "claude",
        folder: "/home/you",
        head: 4,
        createdAt: now - hours * 3_600_000,
        updatedAt: now - hours * 3_600_000,
        state,
        queued: 0,
      })),
  },
  /** Reports the reason and ends. */
  broken: {
    ...base,
    start({ post, exit }) {
      post({
        method: "fault",
        params: {
          code: "daemon-down",
          hop: "daemon",
          message: "gstack could not be started",
          hint: "Its folder is not writable. This shows what is wrong:",
          command: "gstack doctor",
        },
      });
      exit(1);
    },
  },
  /** The host dies in the middle of a turn; the next one continues from the journal. */
  dies: {
    ...base,
    async turn(on, clientId, text) {
      const turn = turnOf(on, clientId);
      await turn.stream(`First half of ${text}.\n\n`);
      on.exit(3);
    },
  },
  /** Many entries, and ten thousand. */
  long: { ...base, before: (on) => tell(on, 700) },
  huge: { ...base, before: (on) => tell(on, 5000) },
  /** Long answers in small pieces, as fast as possible: of many blocks, and of one. */
  ...Object.fromEntries(
    Object.entries(FLOODS).map(([name, text]) => [
      name,
      { ...base, turn: (on, clientId, said) => flood(on, clientId, said.startsWith("And then") ? "Yes." : text) },
    ]),
  ),
  /** All of them, sent before the panel opened. */
  "flood-read": {
    ...base,
    before(on) {
      for (const [name, text] of Object.entries(FLOODS)) {
        const turn = turnOf(on, says(on, name));
        turn.text(text);
        turn.done();
      }
    },
  },
};

/** Sends many messages with their answers. */
function tell(on, turns) {
  const { events } = on.held;
  const add = (body) => events.push({ seq: events.length + 1, at: Date.now() - 1e6, ...body });
  for (let n = 0; n < turns; n += 1) {
    const clientId = `m${n}`;
    const turnId = `t${n}`;
    add({ type: "message", clientId, text: `Question ${n}`, from: "panel" });
    add({ type: "turn-started", turnId, clientId, agent: "claude", agentLabel: "Claude Code", model: "opus" });
    add({ type: "text", turnId, text: `Answer **${n}** with some words that wrap over the line.\n\n- one\n- two` });
    add({ type: "turn-done", turnId, outcome: "done", durationMs: 900, model: "opus" });
  }
}
