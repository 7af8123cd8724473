/*
 * Random disconnects while an agent streams: the host is killed or the panel is reloaded, at any point of any answer.
 * After each answer, the real panel's DOM is compared with the journal on disk.
 *
 * GSTACK_DISCONNECTS sets the number, GSTACK_DISCONNECT_SEED repeats an order (random times are not repeated).
 */
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { usualOrLong } from './harness/long.mjs';
import { Scene } from './harness/scene.mjs';

const COUNT = Number(process.env.GSTACK_DISCONNECTS ?? usualOrLong(40, 200));
const SEED = Number(process.env.GSTACK_DISCONNECT_SEED ?? Math.floor(Math.random() * 1e6));
/** Answers per test, and disconnects per answer: no test takes minutes. */
const ANSWERS = 2;
const BREAKS = 10;

/** SplitMix32. */
function dice(seed) {
  let state = seed | 0;
  return (sides) => {
    state = (state + 0x9e3779b9) | 0;
    let z = state ^ (state >>> 16);
    z = Math.imul(z, 0x21f0aaad);
    z ^= z >>> 15;
    z = Math.imul(z, 0x735a2d97);
    return ((z ^ (z >>> 15)) >>> 0) % sides;
  };
}

/** Returns the messages and the blocks of text in a journal, as a panel shows them. */
function journal(home) {
  const folder = path.join(home.home, 'sessions');
  const shown = { bubble: [], answer: [] };
  for (const name of readdirSync(folder).filter((one) => !one.startsWith('.'))) {
    const blocks = new Map();
    for (const line of readFileSync(path.join(folder, name, 'chat.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((text) => JSON.parse(text))) {
      if (line.type === 'message') shown.bubble.push(line.text);
      if (line.type === 'text') blocks.set(line.seq, line.text);
      if (line.delta) blocks.set(line.delta, blocks.get(line.delta).slice(0, line.offset) + line.text);
    }
    shown.answer.push(...[...blocks.values()].map((text) => text.trim()).filter(Boolean));
  }
  return shown;
}

describe(`${COUNT} disconnects at random (seed ${SEED})`, () => {
  let scene;
  before(async () => {
    scene = await Scene.open();
  });
  after(() => scene?.close());

  const kinds = {
    /** The browser's end of the pipe breaks; the person presses retry instead of waiting. */
    async host() {
      const [host] = scene.home.processes('host');
      if (host) await scene.home.kill(host.pid).catch(() => {});
      await scene.panel.page.waitFor(
        `(() => {
        if (document.querySelector('.connection .dot:not(.dot--off, .dot--wait)')) return true;
        [...document.querySelectorAll('.banner__row .button')].forEach((button) => button.click());
        return false;
      })()`,
        'the panel to be connected again',
      );
    },
    async panel() {
      await scene.panel.page.send('Page.reload');
      await scene.panel.connected();
    },
  };

  for (let n = 0; n * ANSWERS * BREAKS < COUNT; n += 1) {
    test(`the panel shows what is in the journal, part ${n + 1}`, async () => {
      const below = dice(SEED + n);
      for (let answer = 0; answer < ANSWERS; answer += 1) {
        const turn = await scene.ask(`Question ${n}-${answer}`);
        let word = 0;
        const speak = () => {
          for (let left = 1 + below(6); left > 0; left -= 1) turn.say(`word${n}x${answer}x${word++} `);
        };
        for (let broken = 0; broken < BREAKS; broken += 1) {
          speak();
          const kind = below(3) === 0 ? 'panel' : 'host';
          const breaking = kinds[kind]();
          // More text arrives while the panel is disconnected.
          speak();
          await breaking;
          if (below(4) === 0) await scene.panel.seen('answer', `word${n}x${answer}x${word - 1}`);
        }
        speak();
        turn.end();
        await scene.panel.seen('answer', `word${n}x${answer}x${word - 1}`);
        await scene.panel.gone('stop');
        const written = journal(scene.home);
        assert.ok(written.answer.at(-1).endsWith(`word${n}x${answer}x${word - 1}`), 'the journal holds the last word');
        for (const part of ['bubble', 'answer']) {
          const shown = (await scene.panel.texts(part)).map((text) => text.trim()).filter(Boolean);
          assert.ok(shown.length > 0, `a ${part} is shown`);
          // A reloaded panel shows the newest page; older ones are loaded when a person scrolls to them.
          assert.deepEqual(shown, written[part].slice(-shown.length), `${part}: the DOM and the journal, seed ${SEED}`);
        }
      }
    });
  }
});
