/*
 * A simulation of a run over a Grid: workers that open sessions and take items, nodes with a number of slots, a queue,
 * and sessions that are lost.
 *
 * Owns the assumptions that were not measured. Has no clock: events in the order of their time, and a fixed seed.
 */

export const SIZES = [10, 100, 1_000, 10_000];

/** One node: what clouds sell as a general-purpose machine. */
const NODE = { cores: 4, memory: 16 * 1024 };
/** A browser that works keeps this part of a core busy. */
const CORE_SHARE = 0.5;
/** Memory of a node that is not for browsers, in MiB. */
const NODE_SPARE = 1024;
/** The machine that runs `gstack run`. */
const RUNNER = { memory: 16 * 1024, spare: 2048 };
/** Sessions that a Grid's distributor starts in a second: a request for one each 100 ms, in two lines. */
const STARTS_PER_SECOND = 20;
const FIRST_OPENINGS = 2;
/** An item of work: seconds, and how much they vary. Pages on the internet, not on loopback. */
const ITEM = { seconds: 20, spread: 0.5 };
const ITEMS_PER_SESSION = 10;
/** One session in this many is lost in an item: its node is taken away, as spot machines are. */
const LOST_ONE_IN = 2_000;

/** A small generator of pseudo-random numbers in [0, 1) (mulberry32). */
function generator(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A binary heap of events, the earliest first; of two at the same time, the one that was added first. */
class Events {
  #heap = [];
  #added = 0;

  get size() {
    return this.#heap.length;
  }

  add(at, work) {
    const heap = this.#heap;
    heap.push({ at, order: this.#added++, work });
    for (let index = heap.length - 1; index > 0; ) {
      const parent = (index - 1) >> 1;
      if (!this.#isBefore(index, parent)) return;
      [heap[index], heap[parent]] = [heap[parent], heap[index]];
      index = parent;
    }
  }

  take() {
    const heap = this.#heap;
    const [first] = heap;
    const last = heap.pop();
    if (heap.length > 0) heap[0] = last;
    for (let index = 0; ; ) {
      const [left, right] = [2 * index + 1, 2 * index + 2];
      let least = index;
      if (left < heap.length && this.#isBefore(left, least)) least = left;
      if (right < heap.length && this.#isBefore(right, least)) least = right;
      if (least === index) return first;
      [heap[index], heap[least]] = [heap[least], heap[index]];
      index = least;
    }
  }

  #isBefore(one, other) {
    const [a, b] = [this.#heap[one], this.#heap[other]];
    return a.at < b.at || (a.at === b.at && a.order < b.order);
  }
}

/** Returns the costs of one session from the largest sizes that were measured. */
function costs({ local, grid }) {
  const last = (all) => all.filter((one) => !one.failed).at(-1);
  const [here, there] = [last(local), last(grid)];
  if (!here || !there) throw new Error('sessions.json has no measured size: run benches/sessions.mjs');
  const [first] = grid.filter((one) => !one.failed);
  return { opening: first.opening / 1000, gstack: there.memory.gstack, browser: here.memory.browser };
}

/** Runs one size to its end. Returns its row of the table. */
export function run(sessions, cost) {
  const slots = Math.max(1, Math.min(Math.floor(NODE.cores / CORE_SHARE), Math.floor((NODE.memory - NODE_SPARE) / cost.browser)));
  const perRunner = Math.max(1, Math.floor((RUNNER.memory - RUNNER.spare) / cost.gstack));
  const random = generator(sessions);
  const events = new Events();
  const items = sessions * ITEMS_PER_SESSION;
  let [left, done, lost, permits, openings, free] = [items, 0, 0, FIRST_OPENINGS, 0, Math.ceil(sessions / slots) * slots];
  let [nextStart, ramp, end, longestWait] = [0, 0, 0, 0];
  // Workers that wait for their turn to open a session, and those that have not had one yet.
  let [waiting, unopened] = [sessions, sessions];

  const work = (now) => {
    if (left === 0) {
      free += 1;
      return;
    }
    left -= 1;
    const finish = now + ITEM.seconds * (1 + ITEM.spread * (2 * random() - 1));
    if (random() < 1 / LOST_ONE_IN) {
      lost += 1;
      left += 1;
      // The machine is replaced; the worker opens a new session.
      events.add(now + (finish - now) / 2, () => {
        free += 1;
        waiting += 1;
      });
      return;
    }
    events.add(finish, (at) => {
      done += 1;
      end = at;
      work(at);
    });
  };
  const start = (now) => {
    openings += 1;
    free -= 1;
    nextStart = Math.max(now, nextStart) + 1 / STARTS_PER_SECOND;
    longestWait = Math.max(longestWait, nextStart - now);
    events.add(nextStart + cost.opening, (at) => {
      openings -= 1;
      permits += 1;
      unopened -= 1;
      if (unopened === 0) ramp = at;
      work(at);
    });
  };
  const admit = (now) => {
    for (; waiting > 0 && openings < permits && free > 0; waiting -= 1) start(now);
  };
  admit(0);
  while (events.size > 0) {
    const { at, work: happens } = events.take();
    happens(at);
    admit(at);
  }
  if (done !== items) throw new Error(`${items - done} items were not run`);
  return {
    sessions,
    nodes: Math.ceil(sessions / slots),
    runners: Math.ceil(sessions / perRunner),
    ramp,
    itemsPerMinute: (items * 60) / end,
    longestWait,
    lost,
  };
}

/** Returns `{ assumptions, rows }`. */
export function simulated(measured, sizes) {
  const cost = costs(measured);
  const rows = sizes.map((size) => run(size, cost));
  const { cores, memory } = NODE;
  const assumptions = [
    `Measured: ${cost.opening.toFixed(1)} s to open a session, ${cost.gstack} MiB for its daemon, ${cost.browser} MiB for its browser.`,
    `Assumed: nodes of ${cores} cores and ${memory / 1024} GiB, where a working browser needs half a core;`,
    `a Grid that starts ${STARTS_PER_SECOND} sessions a second; machines of ${RUNNER.memory / 1024} GiB for gstack;`,
    `${ITEMS_PER_SESSION} items for each session, ${ITEM.seconds} s each, give or take half;`,
    `and of ${LOST_ONE_IN.toLocaleString('en')} items, one loses its node.`,
  ];
  return { assumptions, rows };
}
