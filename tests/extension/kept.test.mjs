/** The data that the panel saves and restores: unsent messages, drafts, their attachments. */
import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";
import { Drafts } from "../../extension/panel/drafts.js";
import { keepUnsent, restoreUnsent } from "../../extension/panel/storage.js";

/** `chrome.storage.local` in memory: answers requests in order. */
class Store {
  held = {};

  async get(keys) {
    const found = structuredClone(this.held);
    return keys === null
      ? found
      : Object.fromEntries(
          [keys]
            .flat()
            .filter((key) => key in found)
            .map((key) => [key, found[key]]),
        );
  }

  async set(items) {
    Object.assign(this.held, structuredClone(items));
  }

  async remove(keys) {
    for (const key of [keys].flat()) delete this.held[key];
  }
}

let store;
beforeEach(() => {
  store = new Store();
  globalThis.chrome = { storage: { local: store } };
  globalThis.addEventListener = () => {};
});

const settled = () => new Promise((next) => setImmediate(next));

const unsent = (clientId, state = "new", fault = null) => ({
  clientId,
  conversationId: "c",
  text: clientId,
  page: null,
  attachments: [],
  state,
  fault,
});
const refused = { code: "conflict", message: "The daemon is updating" };
const brief = (outbox) => outbox.map(({ clientId, state }) => [clientId, state]);

describe("unsent messages", () => {
  test("one that failed waits for a person in a later run, too", async () => {
    keepUnsent([], [unsent("a")]);
    keepUnsent([unsent("a")], [unsent("a", "sending")]);
    keepUnsent([unsent("a", "sending")], [unsent("a", "failed", refused)]);
    const [kept] = await restoreUnsent();
    assert.equal(kept.state, "failed");
    assert.deepEqual(kept.fault, refused);
  });

  test("one that is sent again by a person goes by itself from then on, in its old place", async () => {
    keepUnsent([], [unsent("a")]);
    keepUnsent([unsent("a")], [unsent("a"), unsent("b")]);
    const said = structuredClone(store.held);
    keepUnsent([unsent("a"), unsent("b")], [unsent("a", "failed", refused), unsent("b")]);
    keepUnsent([unsent("a", "failed", refused), unsent("b")], [unsent("a"), unsent("b")]);
    assert.deepEqual(store.held, said);
    assert.deepEqual(
      brief(await restoreUnsent()).map(([, state]) => state),
      ["new", "new"],
    );
  });

  test("a failure of a restored one keeps its place before those that were said later", async () => {
    await store.set({ "unsent:z": { at: 1, message: unsent("z") }, "unsent:a": { at: 2, message: unsent("a") } });
    const restored = await restoreUnsent();
    keepUnsent(restored, [unsent("z", "failed", refused), unsent("a")]);
    assert.deepEqual(brief(await restoreUnsent()), [
      ["z", "failed"],
      ["a", "new"],
    ]);
  });

  test("one that arrived or was taken back is not kept", async () => {
    keepUnsent([], [unsent("a", "failed", refused)]);
    keepUnsent([unsent("a", "failed", refused)], []);
    assert.deepEqual(store.held, {});
  });
});

describe("drafts", () => {
  const note = (name) => ({ kind: "element", label: name, detail: "", text: name });
  const page = (text) => ({ kind: "page", label: "Page", detail: "", text });

  /** Creates a composer without nodes, and its drafts. */
  function made() {
    const composer = {
      value: "",
      attachments: {
        held: [],
        add(one) {
          this.held = [...this.held, one];
          drafts.attached();
        },
      },
      bring(held) {
        this.attachments.held = held;
      },
    };
    const drafts = new Drafts(composer);
    return { composer, drafts };
  }

  test("what was typed and attached before the conversation came stands behind what was written down", async () => {
    store.held = { "draft:c": "written down", "attached:c": [note("one"), page("old")] };
    const { composer, drafts } = made();
    composer.value = "typed";
    composer.bring([page("new"), note("two")]);
    assert.equal(drafts.follow("c"), true);
    await settled();
    assert.equal(composer.value, "written down\n\ntyped");
    assert.deepEqual(
      composer.attachments.held.map(({ text }) => text),
      ["one", "new", "two"],
    );
    drafts.follow("other");
    assert.equal(store.held["draft:c"], "written down\n\ntyped");
    assert.equal(store.held["attached:c"].length, 3);
  });

  test("what is typed while the draft is being read comes behind it", async () => {
    store.held = { "draft:c": "written down" };
    const { composer, drafts } = made();
    drafts.follow("other");
    await settled();
    drafts.follow("c");
    composer.value = "t";
    await settled();
    assert.equal(composer.value, "written down\n\nt");
    drafts.follow("other");
  });

  test("a tab that is left before its draft was read keeps it whole, and gets it once", async () => {
    store.held = { "draft:c": "written down", "attached:c": [note("one")] };
    const { composer, drafts } = made();
    drafts.follow("c");
    drafts.follow(null);
    drafts.follow("c");
    await settled();
    assert.equal(composer.value, "written down");
    assert.equal(composer.attachments.held.length, 1);
    drafts.follow(null);
    composer.value = "typed";
    drafts.follow("c");
    drafts.follow("other");
    await settled();
    assert.equal(composer.value, "");
    assert.equal(store.held["draft:c"], "written down\n\ntyped");
    assert.equal(store.held["attached:c"].length, 1);
  });

  test("what was written down and sent with what was typed is written down no more", async () => {
    store.held = { "draft:c": "written down" };
    const { composer, drafts } = made();
    drafts.follow("c");
    await settled();
    composer.value = "";
    drafts.follow(null);
    assert.deepEqual(store.held, {});
  });

  test("what comes after another conversation came into view belongs to the one that asked for it", async () => {
    store.held = { "attached:c": [note("one")] };
    const { composer, drafts } = made();
    drafts.follow("c");
    await settled();
    const bring = drafts.destination();
    drafts.follow("other");
    await settled();
    bring(note("two"));
    bring(page("late"));
    await settled();
    assert.deepEqual(composer.attachments.held, []);
    assert.deepEqual(store.held, { "attached:c": [note("one"), note("two"), page("late")] });
  });

  test("what comes when the conversation is back in view stands in it once", async () => {
    const { composer, drafts } = made();
    const first = drafts.destination();
    drafts.follow("c");
    first(note("one"));
    await settled();
    const bring = drafts.destination();
    drafts.follow("other");
    await settled();
    bring(note("two"));
    drafts.follow("c");
    await settled();
    drafts.follow("other");
    await settled();
    drafts.follow("c");
    await settled();
    assert.deepEqual(
      composer.attachments.held.map(({ text }) => text),
      ["one", "two"],
    );
    assert.deepEqual(
      store.held["attached:c"].map(({ text }) => text),
      ["one", "two"],
    );
  });
});
