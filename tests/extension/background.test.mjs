/** The background's native port: hello, answers, loss, the delay before the next retry. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { faultOfLastError, mendsItself } from "../../extension/background/last-error.js";
import { NativeLink } from "../../extension/background/native-link.js";
import { Reopened } from "../../extension/background/reopened.js";
import { backoff, FIRST_MS, LAST_MS } from "../../extension/shared/backoff.js";
import { t } from "./shim.mjs";

/** A native port with the test as its host. */
function fakePort() {
  const listeners = { message: () => {}, disconnect: () => {} };
  return {
    sent: [],
    closed: false,
    postMessage(message) {
      this.sent.push(message);
    },
    disconnect() {
      this.closed = true;
    },
    onMessage: {
      addListener: (listener) => {
        listeners.message = listener;
      },
    },
    onDisconnect: {
      addListener: (listener) => {
        listeners.disconnect = listener;
      },
    },
    receive: (message) => listeners.message(message),
    lose: () => listeners.disconnect(),
  };
}

const settled = () => new Promise((next) => setImmediate(next));

function setUp({ retries = () => true } = {}) {
  const ports = [];
  const states = [];
  const notifications = [];
  const held = { lastError: "Native host has exited." };
  const link = new NativeLink({
    open: () => {
      const port = fakePort();
      ports.push(port);
      return port;
    },
    lossFault: (text) => faultOfLastError(text, t),
    lastError: () => held.lastError,
    hello: async () => ({ protocol: 2 }),
    prove: async ({ challenge }) => ({ publicKey: "key", signature: `over ${challenge}` }),
    unconfirmed: (code) => ({ code: "panel-unconfirmed", message: "not confirmed", command: `gstack panels confirm ${code}` }),
    silent: { code: "timeout", message: "silent" },
    retries,
    onNotification: (message) => notifications.push(message),
    onState: (state) => states.push(state),
  });
  return { link, ports, states, notifications, held };
}

async function connected(options) {
  const all = setUp(options);
  all.link.connect();
  await settled();
  const port = all.ports[0];
  port.receive({ id: port.sent[0].id, result: { protocol: 1, epoch: "e" } });
  await settled();
  return { ...all, port };
}

describe("the native link", () => {
  test("says hello first, as itself, and is connected with the answer", async () => {
    const { port, link } = await connected();
    assert.equal(port.sent[0].method, "hello");
    assert.equal(port.sent[0].client, undefined);
    assert.equal(link.state.status, "connected");
    assert.equal(link.state.welcome.epoch, "e");
  });

  test("gives each answer to its request, anyone who asked", async () => {
    const { port, link } = await connected();
    const [one, two] = [link.call("ping", {}, "panel-1"), link.call("ping", {}, "panel-2")];
    const [first, second] = port.sent.slice(1);
    assert.deepEqual([first.client, second.client], ["panel-1", "panel-2"]);
    port.receive({ id: second.id, client: "panel-2", result: { n: 2 } });
    port.receive({ id: first.id, client: "panel-1", error: { code: "not-found", message: "no" } });
    assert.deepEqual(await two, { n: 2 });
    await assert.rejects(one, ({ fault }) => fault.code === "not-found");
  });

  test("keeps what is asked while it connects, and sends it once it is connected", async () => {
    const { link, ports } = setUp();
    link.connect();
    const asked = link.call("settings.get", {}, "panel-1");
    await settled();
    const [port] = ports;
    assert.deepEqual(
      port.sent.map(({ method }) => method),
      ["hello"],
    );
    port.receive({ id: port.sent[0].id, result: { protocol: 1, epoch: "e" } });
    await settled();
    assert.deepEqual([port.sent[1].method, port.sent[1].client], ["settings.get", "panel-1"]);
    port.receive({ id: port.sent[1].id, client: "panel-1", result: { n: 1 } });
    assert.deepEqual(await asked, { n: 1 });
  });

  test("rejects what is asked while it connects with the reason why it did not", async () => {
    const { link, ports } = setUp({ retries: () => false });
    link.connect();
    const asked = assert.rejects(link.call("settings.get", {}), ({ fault }) => fault.code === "version-mismatch");
    await settled();
    ports[0].receive({ id: ports[0].sent[0].id, error: { code: "version-mismatch", message: "no" } });
    await asked;
    assert.equal(link.state.status, "down");
  });

  test("proves this browser's key before it is connected, where the daemon asks for that", async () => {
    const { link, ports } = setUp();
    link.connect();
    await settled();
    const [port] = ports;
    port.receive({ id: port.sent[0].id, result: { protocol: 2, epoch: "e", challenge: "c", homeId: "h" } });
    await settled();
    assert.equal(port.sent[1].method, "panel.prove");
    assert.deepEqual(port.sent[1].params, { publicKey: "key", signature: "over c" });
    assert.equal(link.state.status, "connecting");
    port.receive({ id: port.sent[1].id, result: { confirmed: true } });
    await settled();
    assert.equal(link.state.status, "connected");
  });

  test("waits on the open port for the person, shows their command, and goes on by itself", async () => {
    const { link, ports, notifications, states } = setUp();
    link.connect();
    await settled();
    const [port] = ports;
    port.receive({ id: port.sent[0].id, result: { protocol: 2, epoch: "e", challenge: "c", homeId: "h" } });
    await settled();
    port.receive({ id: port.sent[1].id, result: { confirmed: false, code: "BCDFGH" } });
    await settled();
    assert.equal(link.state.status, "down");
    assert.deepEqual(
      [link.state.fault.code, link.state.fault.command, link.state.retryAt],
      ["panel-unconfirmed", "gstack panels confirm BCDFGH", null],
    );
    await assert.rejects(link.call("chat.send", {}), ({ fault }) => fault.code === "panel-unconfirmed");
    port.receive({ method: "panel.confirmation", params: { confirmed: false, code: "GHJKLM" } });
    assert.equal(link.state.fault.command, "gstack panels confirm GHJKLM");
    port.receive({ method: "panel.confirmation", params: { confirmed: true } });
    assert.equal(link.state.status, "connected");
    assert.equal(link.state.welcome.epoch, "e");
    assert.deepEqual([ports.length, port.closed, notifications.length], [1, false, 0], "nobody else hears of it");
    assert.equal(states.filter(({ status }) => status === "connected").length, 1);
  });

  test("in a browser that gstack has started is connected at once, also if the key can't be proved", async () => {
    const { link, ports } = setUp();
    link.connect();
    await settled();
    const [port] = ports;
    port.receive({ id: port.sent[0].id, result: { protocol: 2, epoch: "e", challenge: "c", homeId: "h", confirmed: true } });
    await settled();
    assert.equal(link.state.status, "connected");
    port.receive({ id: port.sent[1].id, error: { code: "conflict", message: "no" } });
    await settled();
    assert.deepEqual([link.state.status, port.closed], ["connected", false]);
  });

  test("a lost port rejects what waits, and says why", async (context) => {
    context.mock.timers.enable({ apis: ["setTimeout"] });
    const { port, link, states } = await connected();
    const waiting = link.call("ping", {});
    port.lose();
    await assert.rejects(waiting, ({ fault }) => fault.code === "daemon-down" && fault.hop === "host");
    await assert.rejects(link.call("ping", {}), ({ fault }) => fault.hop === "host");
    assert.equal(states.at(-1).status, "down");
  });

  test("the host's own last words are the reason", async (context) => {
    context.mock.timers.enable({ apis: ["setTimeout"] });
    const { link, ports, states } = setUp();
    link.connect();
    ports[0].receive({ method: "fault", params: { code: "daemon-down", message: "disk full", hop: "daemon" } });
    ports[0].lose();
    assert.equal(states.at(-1).fault.message, "disk full");
  });

  test("a trouble that was told earlier, or to one panel, is not the reason of a later loss", async (context) => {
    context.mock.timers.enable({ apis: ["setTimeout"] });
    const { link, ports, states } = setUp();
    link.connect();
    const params = { code: "storage", message: "disk full", hop: "daemon" };
    ports[0].receive({ method: "fault", params });
    ports[0].receive({ method: "tabs.working", params: { tabs: [] } });
    ports[0].receive({ method: "fault", client: "p1", params });
    ports[0].lose();
    assert.equal(states.at(-1).fault.hop, "host");
  });

  test("tries again after the wait, and at once when asked", async (context) => {
    context.mock.timers.enable({ apis: ["setTimeout"] });
    const { link, ports } = setUp();
    link.connect();
    ports[0].lose();
    context.mock.timers.tick(FIRST_MS);
    assert.equal(ports.length, 2);
    ports[1].lose();
    link.retryNow();
    assert.equal(ports.length, 3);
    link.retryNow();
    assert.equal(ports.length, 3, "an open port is not opened twice");
  });

  test("nothing runs where only a person can help", async (context) => {
    context.mock.timers.enable({ apis: ["setTimeout"] });
    const { link, ports, held, states } = setUp({ retries: mendsItself });
    held.lastError = "Specified native messaging host not found.";
    link.connect();
    ports[0].lose();
    context.mock.timers.tick(LAST_MS * 2);
    assert.equal(ports.length, 1);
    assert.equal(states.at(-1).retryAt, null);
    assert.equal(states.at(-1).fault.command, "gstack install-host");
  });

  test("a daemon that refuses hello is a reason too", async (context) => {
    context.mock.timers.enable({ apis: ["setTimeout"] });
    const { link, ports, states } = setUp();
    link.connect();
    await settled();
    ports[0].receive({ id: ports[0].sent[0].id, error: { code: "protocol-mismatch", message: "update" } });
    await settled();
    assert.equal(states.at(-1).fault.code, "protocol-mismatch");
    assert.equal(ports[0].closed, true);
  });

  test("what an old port still says is not heard", async (context) => {
    context.mock.timers.enable({ apis: ["setTimeout"] });
    const { link, ports, notifications } = setUp();
    link.connect();
    ports[0].lose();
    ports[0].receive({ method: "tabs.working", params: { tabs: [] } });
    assert.deepEqual(notifications, []);
  });
});

test("the wait doubles up to its limit and is never longer", () => {
  assert.deepEqual(
    [0, 1, 2, 3, 4, 5, 6, 60].map((attempt) => backoff(attempt, 0)),
    [250, 500, 1000, 2000, 4000, 8000, 10_000, 10_000],
  );
  assert.equal(backoff(0, 1), 188);
});

test("each of Chrome's reasons has words, and those that a person fixes have a command", () => {
  const commands = {
    "Specified native messaging host not found.": "gstack install-host",
    "Access to the specified native messaging host is forbidden.": "gstack install-host",
    "Failed to start native messaging host.": "gstack install-host",
    "Error when communicating with the native messaging host.": "gstack doctor",
    "Native host has exited.": undefined,
    "Something new.": undefined,
  };
  for (const [text, command] of Object.entries(commands)) {
    const fault = faultOfLastError(text, t);
    assert.equal(fault.command, command, text);
    assert.equal(fault.hop, "host");
    assert.ok(fault.message);
  }
  assert.equal(faultOfLastError("Something new.", t).hint, "Something new.");
});

describe("tabs that Chrome brings back", () => {
  const LONG = "https://example.test/long";
  function watch() {
    const known = { closed: [], now: 0, back: [] };
    globalThis.chrome = { ...globalThis.chrome, sessions: { getRecentlyClosed: async () => known.closed } };
    const reopened = new Reopened(
      (tabId) => known.back.push(tabId),
      () => known.now,
    );
    /** The list that Chrome returns from now on. */
    const list = async (...urls) => {
      known.closed = urls.map((url) => ({ tab: { sessionId: `of ${url}`, url } }));
      reopened.look();
      await settled();
    };
    return { known, reopened, list };
  }

  test("one that left the list is the tab that was made with its address, whichever is told first", async () => {
    for (const first of ["list", "tab"]) {
      const { known, reopened, list } = watch();
      await list(LONG);
      if (first === "list") await list();
      reopened.made({ id: 7, url: "", pendingUrl: LONG });
      if (first === "tab") await list();
      assert.deepEqual(known.back, [7], first);
    }
  });

  test("a link to the same page, a tab that is gone and one that was pushed out bring nothing back", async () => {
    const { known, reopened, list } = watch();
    await list(LONG);
    reopened.made({ id: 1, url: LONG });
    reopened.gone(1);
    await list("https://example.test/newer");
    reopened.made({ id: 2, url: LONG });
    await list();
    known.now = 60_000;
    reopened.made({ id: 3, url: "https://example.test/newer" });
    assert.deepEqual(known.back, []);
  });

  test("a window brings all its tabs back", async () => {
    const { known, reopened, list } = watch();
    known.closed = [{ window: { sessionId: "w", tabs: [{ url: LONG }, { url: "https://example.test/two" }] } }];
    reopened.look();
    await settled();
    await list();
    reopened.made({ id: 4, url: "https://example.test/two" });
    reopened.made({ id: 5, url: LONG });
    assert.deepEqual(known.back, [4, 5]);
  });
});
