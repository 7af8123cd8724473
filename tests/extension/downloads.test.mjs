/* Where Chrome saved what a tab downloaded: the match of DevTools' events with Chrome's own list, which is a fake here. */
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { Downloads } from "../../extension/background/downloads.js";

const URL_OF = "http://127.0.0.1/invoice.txt";

let list;
let listeners;

beforeEach(() => {
  list = [];
  listeners = new Set();
  globalThis.chrome = {
    downloads: {
      search: async ({ id, finalUrl, startedAfter }) =>
        list.filter((one) => (id === undefined ? one.finalUrl === finalUrl && one.startTime > startedAfter : one.id === id)),
      onChanged: { addListener: (heard) => listeners.add(heard), removeListener: (heard) => listeners.delete(heard) },
    },
  };
});
afterEach(() => {
  delete globalThis.chrome;
});

const at = (ms) => new Date(Date.now() + ms).toISOString();
const saved = (id, more = {}) => list.push({ id, finalUrl: URL_OF, startTime: at(0), state: "complete", filename: `/d/${id}`, ...more });
const begin = (downloads, guid, url = URL_OF) => downloads.event("Page.downloadWillBegin", { guid, url });
const completed = (downloads, guid) => downloads.event("Page.downloadProgress", { guid, state: "completed", receivedBytes: 7 });

test("a completed download gets the path of its own entry, and nothing else is asked", async () => {
  const downloads = new Downloads();
  assert.equal(begin(downloads, "a"), undefined);
  assert.equal(downloads.event("Page.downloadProgress", { guid: "a", state: "inProgress" }), undefined);
  assert.equal(downloads.event("Page.frameNavigated", { guid: "a", state: "completed" }), undefined);
  saved(1, { finalUrl: "http://127.0.0.1/other.txt" });
  saved(2, { startTime: at(-60_000) });
  saved(3);
  assert.deepEqual(await completed(downloads, "a"), { guid: "a", state: "completed", receivedBytes: 7, filePath: "/d/3" });
  assert.equal(completed(downloads, "a"), undefined, "once");
});

test("two downloads of one address get two entries, and a third gets none", async () => {
  const downloads = new Downloads();
  for (const guid of ["a", "b", "c"]) begin(downloads, guid);
  saved(1);
  saved(2);
  const paths = [];
  for (const guid of ["a", "b", "c"]) paths.push((await completed(downloads, guid)).filePath);
  assert.deepEqual(paths, ["/d/1", "/d/2", undefined]);
});

test("an entry that is a moment behind is waited for", async () => {
  const downloads = new Downloads();
  begin(downloads, "a");
  saved(1, { state: "in_progress" });
  const told = completed(downloads, "a");
  while (listeners.size === 0) await new Promise(setImmediate);
  list[0].state = "complete";
  for (const heard of [...listeners]) heard({ id: 1, state: { current: "complete" } });
  assert.equal((await told).filePath, "/d/1");
  assert.equal(listeners.size, 0);
});

test("without the permission, with a cancelled download and with a list that fails, the event stays as it is", async () => {
  const downloads = new Downloads();
  begin(downloads, "a");
  assert.equal(downloads.event("Page.downloadProgress", { guid: "a", state: "canceled" }), undefined);
  saved(1);
  assert.equal(completed(downloads, "a"), undefined);
  begin(downloads, "b");
  chrome.downloads.search = () => Promise.reject(new Error("no list"));
  const { warn } = console;
  console.warn = () => {};
  try {
    assert.deepEqual(await completed(downloads, "b"), { guid: "b", state: "completed", receivedBytes: 7 });
  } finally {
    console.warn = warn;
  }
  begin(downloads, "c");
  chrome.downloads = undefined;
  assert.equal(completed(downloads, "c"), undefined);
});
