/*
 * Simulates a run on a Grid with the costs that were measured: how long it takes, and how busy the browsers are, for up to
 * 10,000 sessions. Follows the ramp-up of `gstack run`: two sessions open at first, and each one that opened lets one more
 * open. Usage: node benches/scale-simulate.mjs [SECONDS_TO_OPEN] [SECONDS_PER_ITEM] [SESSIONS_LOST_PER_HOUR].
 */
const [open = 5, item = 10, lostPerHour = 0.01] = process.argv.slice(2).map(Number);
const ITEMS_FOR_EACH = 50;

/** A random number that is the same in each run. */
function random(seed) {
  let state = seed;
  return () => {
    state = (state * 1664525 + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** A binary heap of `[time, kind]`. */
class Events {
  #heap = [];
  get size() {
    return this.#heap.length;
  }
  add(event) {
    const heap = this.#heap;
    heap.push(event);
    for (let at = heap.length - 1; at > 0; ) {
      const above = (at - 1) >> 1;
      if (heap[above][0] <= heap[at][0]) break;
      [heap[above], heap[at]] = [heap[at], heap[above]];
      at = above;
    }
  }
  next() {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (heap.length) heap[0] = last;
    for (let at = 0; ; ) {
      const [left, right] = [2 * at + 1, 2 * at + 2];
      let least = at;
      if (left < heap.length && heap[left][0] < heap[least][0]) least = left;
      if (right < heap.length && heap[right][0] < heap[least][0]) least = right;
      if (least === at) return first;
      [heap[least], heap[at]] = [heap[at], heap[least]];
      at = least;
    }
  }
}

function simulate(browsers) {
  const chance = random(browsers);
  const events = new Events();
  const items = browsers * ITEMS_FOR_EACH;
  let [queue, toOpen, permits, now, lost, finished] = [items, browsers, 2, 0, 0, 0];
  const begin = () => {
    if (queue === 0) return;
    queue -= 1;
    const time = item * (0.5 + chance());
    const isLost = chance() < (lostPerHour * time) / 3600;
    events.add([now + (isLost ? time * chance() : time), isLost ? 'lost' : 'done']);
  };
  const opens = () => {
    for (; permits > 0 && toOpen > 0 && queue > 0; permits -= 1, toOpen -= 1) events.add([now + open * (0.5 + chance()), 'opened']);
  };
  opens();
  while (events.size) {
    const [time, kind] = events.next();
    now = time;
    if (kind === 'opened') {
      permits += 2;
      begin();
    } else if (kind === 'done') {
      finished += 1;
      begin();
    } else {
      [lost, queue, toOpen] = [lost + 1, queue + 1, toOpen + 1];
    }
    opens();
  }
  if (finished !== items) throw new Error(`${finished} of ${items} items are finished`);
  const busy = (items * item) / (now * browsers);
  console.log(`| ${browsers} | ${items} | ${now.toFixed(0)} | ${(100 * busy).toFixed(0)} % | ${lost} |`);
}

console.log(`${open} s to open, ${item} s for an item, ${lostPerHour} sessions lost per hour and browser\n`);
console.log('| browsers | items | seconds | busy | sessions lost |\n|---|---|---|---|---|');
for (const browsers of [1, 10, 100, 1000, 10_000]) simulate(browsers);
