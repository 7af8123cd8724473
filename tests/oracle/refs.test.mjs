/* A ref never refers to another element: pages that change at random, with seeds that are named on failure. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Gstack } from './harness/gstack.mjs';
import { Site } from './harness/site.mjs';

const SEEDS = [1, 2, 3, 4, 5, 6];
const ROUNDS = 6;

/* In the page: changes it by numbers of a generator (mulberry32). Every element ever created has its own mark. */
const PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Changing</title><body><main></main><script>
let marks = 0;
const main = document.querySelector('main');
const mark = (element) => { element.dataset.mark = ++marks; return element; };
const make = () => {
  const kinds = ['button', 'input', 'a', 'h2', 'div'];
  const element = document.createElement(kinds[marks % kinds.length]);
  if (element.localName === 'a') element.href = '#x';
  if (element.localName !== 'input') element.textContent = 'Same words';
  if (element.localName === 'div') element.tabIndex = 0;
  return mark(element);
};
for (let at = 0; at < 12; at += 1) main.append(make());
let state = 1;
globalThis.seed = (value) => { state = value; };
const random = (below) => {
  state = (state + 0x6d2b79f5) | 0;
  let t = Math.imul(state ^ (state >>> 15), 1 | state);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4294967296) * below);
};
const pick = () => { const all = main.querySelectorAll('[data-mark]'); return all[random(all.length)] ?? main.appendChild(make()); };
const kept = [];
const changes = [
  () => pick().remove(),
  () => { const one = pick(); kept.push(one); one.remove(); },
  () => { const one = kept.pop(); if (one) main.prepend(one); },
  () => main.insertBefore(make(), pick().closest('main > *')),
  () => {
    const one = pick(); const copy = one.cloneNode(true);
    mark(copy); copy.querySelectorAll('[data-mark]').forEach(mark); one.replaceWith(copy);
  },
  () => { const one = pick(); one.after(mark(one.cloneNode(false))); },
  () => main.append(pick()),
  () => { const all = [...main.children]; all.sort(() => random(3) - 1).forEach((one) => main.append(one)); },
  () => { const html = main.innerHTML; main.innerHTML = html; main.querySelectorAll('[data-mark]').forEach(mark); },
  () => { pick().id = 'id' + random(4); },
  () => { const one = pick(); if (one.localName !== 'input') one.textContent = 'Other words ' + random(3); },
  () => { const box = document.createElement('section'); const one = pick().closest('main > *'); one.replaceWith(box); box.append(one); },
  () => {
    const host = mark(document.createElement('div')); host.attachShadow({ mode: 'open' }).innerHTML = '<slot></slot>';
    const one = pick().closest('main > *'); one.replaceWith(host); host.append(one);
  },
];
globalThis.change = (times) => { for (let at = 0; at < times; at += 1) changes[random(changes.length)](); return marks; };
</script></body></html>`;

describe('refs', () => {
  let gstack;
  let site;
  before(async () => {
    site = await Site.start();
    gstack = await Gstack.start();
  });
  after(async () => {
    await site.stop();
    assert.deepEqual(await gstack.stop(), [], 'no process had to be forced');
  });

  /** Returns the mark of the element that a ref refers to; null if it is reported as gone. */
  async function markOf(ref, words) {
    const answer = await gstack.ask('attrs', ref);
    if (answer.ok) return JSON.parse(answer.output.split('\n').slice(1, -1).join('\n'))['data-mark'] ?? '';
    assert.match(answer.error, /not found|is stale/, `${words}: ${ref}`);
    return null;
  }

  for (const seed of SEEDS) {
    test(`mean their element or none, with seed ${seed}`, async () => {
      await gstack.run('goto', site.put('changing', PAGE));
      await gstack.run('js', `seed(${seed * 7919}); 0`);
      const known = new Map();
      let lost = 0;
      for (let round = 0; round < ROUNDS; round += 1) {
        const snapshot = await gstack.run('snapshot');
        for (const [ref] of snapshot.matchAll(/@e\d+/g)) {
          const mark = await markOf(ref, `seed ${seed}, round ${round}`);
          assert.notEqual(mark, null, `${ref} of a new snapshot is there`);
          // A ref that was assigned earlier still refers to the same element.
          if (known.has(ref)) assert.equal(mark, known.get(ref), `seed ${seed}, round ${round}: ${ref}`);
          known.set(ref, mark);
        }
        await gstack.run('js', `change(${1 + round}); 0`);
        for (const [ref, mark] of known) {
          const now = await markOf(ref, `seed ${seed}, round ${round}`);
          if (now === null) lost += 1;
          else assert.equal(now, mark, `seed ${seed}, round ${round}: ${ref} means another element`);
        }
      }
      console.log(`seed ${seed}: ${known.size} refs, ${lost} times one was said to be gone`);
    });
  }
});
