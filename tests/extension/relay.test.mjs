/** The CDP relay with a `chrome.debugger` whose answers arrive when the test says so. */
import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";
import { Relay } from "../../extension/background/relay.js";

const settled = () => new Promise((next) => setImmediate(next));

let attached, held, told, relay;

/** Makes the next call of that name wait until it is released. */
function hold(name) {
  let go;
  held[name] = new Promise((resolve) => {
    go = resolve;
  });
  return () => go();
}

async function through(name) {
  const wait = held[name];
  delete held[name];
  await wait;
}

beforeEach(async () => {
  attached = new Set();
  held = {};
  told = [];
  const updated = new Set();
  globalThis.chrome = {
    debugger: {
      getTargets: async () => [...attached].map((tabId) => ({ id: `target-${tabId}`, tabId, type: "page", attached: true })),
      async attach({ tabId }) {
        await through("attach");
        if (attached.has(tabId)) throw new Error(`Another debugger is already attached to the tab with id: ${tabId}.`);
        attached.add(tabId);
      },
      async detach({ tabId }) {
        await through("detach");
        if (!attached.delete(tabId)) throw new Error(`Debugger is not attached to the tab with id: ${tabId}.`);
      },
      async sendCommand({ tabId }, method) {
        await through("sendCommand");
        if (!attached.has(tabId)) throw new Error("Detached while handling command.");
        return { method };
      },
    },
    tabs: {
      get: async (id) => ({ id }),
      async update(id) {
        await through("update");
        for (const listener of [...updated]) listener(id, { status: "complete" }, { id, url: "about:blank" });
      },
      onUpdated: { addListener: (listener) => updated.add(listener), removeListener: (listener) => updated.delete(listener) },
    },
  };
  relay = new Relay({ tell: (method, params) => told.push([method, params]), tabReported: async () => {} });
  await relay.cleared;
});

describe("the relay", () => {
  test("attaches, commands and lets go, each with its answer", async () => {
    relay.message("relay.attach", { call: 1, chromeTabId: 7 });
    await settled();
    relay.message("relay.command", { call: 2, chromeTabId: 7, method: "Page.enable" });
    await settled();
    relay.message("relay.detach", { chromeTabId: 7 });
    await settled();
    assert.deepEqual(told, [
      ["relay.answer", { call: 1, result: { targetId: "target-7" } }],
      ["relay.answer", { call: 2, result: { method: "Page.enable" } }],
    ]);
    assert.equal(attached.size, 0);
  });

  test("a tab that was being attached to when the connection went is let go of, and nothing of it is told", async () => {
    const go = hold("attach");
    relay.message("relay.attach", { call: 1, chromeTabId: 7 });
    await settled();
    relay.letGo();
    go();
    await settled();
    relay.event({ tabId: 7 }, "Page.loadEventFired", {});
    assert.equal(attached.size, 0);
    assert.deepEqual(told, []);
  });

  test("the next connection's attachment of that tab stays", async () => {
    const go = hold("attach");
    relay.message("relay.attach", { call: 1, chromeTabId: 7 });
    await settled();
    relay.letGo();
    relay.message("relay.attach", { call: 1, chromeTabId: 7 });
    go();
    await settled();
    assert.deepEqual([...attached], [7]);
    assert.deepEqual(told, [["relay.answer", { call: 1, result: { targetId: "target-7" } }]]);
    relay.event({ tabId: 7 }, "Page.loadEventFired", {});
    assert.equal(told.at(-1)[0], "relay.event");
  });

  test("a tab is let go of that is told to be while it is being attached to", async () => {
    const go = hold("attach");
    relay.message("relay.attach", { call: 1, chromeTabId: 7 });
    await settled();
    relay.message("relay.detach", { chromeTabId: 7 });
    go();
    await settled();
    assert.equal(attached.size, 0);
  });

  test("what the former connection asked for is not answered in the next one", async () => {
    relay.message("relay.attach", { call: 1, chromeTabId: 7 });
    await settled();
    told.length = 0;
    const [leave, command] = [hold("update"), hold("sendCommand")];
    relay.message("relay.tab", { call: 2, act: "leave", chromeTabId: 7 });
    relay.message("relay.command", { call: 3, chromeTabId: 7, method: "Page.enable" });
    await settled();
    relay.letGo();
    leave();
    command();
    await settled();
    assert.deepEqual(told, []);
    relay.message("relay.tab", { call: 2, act: "leave", chromeTabId: 7 });
    await settled();
    assert.deepEqual(told, [["relay.answer", { call: 2, result: { chromeTabId: 7 } }]]);
  });

  test("another's attachment is a refusal, and takes nothing from it", async () => {
    globalThis.chrome.debugger.detach = async () => {
      throw new Error("Debugger is not attached to the tab with id: 7.");
    };
    attached.add(7);
    relay.message("relay.attach", { call: 1, chromeTabId: 7 });
    await settled();
    assert.equal(told[0][1].error.refusal, "occupied");
    assert.deepEqual([...attached], [7]);
  });

  test("another extension's frame in a page of the web is told apart from a page of the browser", async () => {
    globalThis.chrome.debugger.attach = async () => {
      throw new Error("Cannot access a chrome-extension:// URL of different extension");
    };
    for (const [url, refusal] of [
      ["https://shop.example/", "other-frame"],
      ["chrome://settings/", "own-page"],
      ["https://chromewebstore.google.com/", "own-page"],
    ]) {
      globalThis.chrome.tabs.get = async (id) => ({ id, url });
      relay.message("relay.attach", { call: 1, chromeTabId: 7 });
      await settled();
      assert.equal(told.pop()[1].error.refusal, refusal, url);
    }
    // The frame may come later: Chrome then ends the attachment, and the tab stays.
    globalThis.chrome.debugger.attach = async () => {};
    globalThis.chrome.tabs.get = async (id) => ({ id, url: "http://127.0.0.1/" });
    relay.message("relay.attach", { call: 2, chromeTabId: 7 });
    await settled();
    await relay.detached({ tabId: 7 }, "target_closed");
    assert.deepEqual(told.pop(), ["relay.detached", { chromeTabId: 7, reason: "other-frame" }]);
  });
});
