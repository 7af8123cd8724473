/*
 * Measures the time from Enter in the side panel to the line at the agent, and on to the answer's text in the panel.
 * Enter's time is that of the key event; the text's is that of the DOM change. Both use the panel page's clock.
 */
import { PARTS } from '../tests/e2e/harness/panel.mjs';
import { alternately, pause } from './measure.mjs';
import { print } from './table.mjs';

/** A person's Enter can fall anywhere in a polling period, so ours must as well. Longer than the longest period. */
const LONGEST_PAUSE_MS = 600;

/** Watches for the next Enter and the first text of a new answer; resolves to both times since 1970. */
const WATCH = `(selector, words) => {
  const last = () => [...document.querySelectorAll(selector)].at(-1);
  const before = last();
  let enter;
  document.addEventListener('keydown', (event) => { if (event.key === 'Enter') enter ??= event.timeStamp; }, { capture: true });
  window.measured = new Promise((resolve) => {
    const observer = new MutationObserver(() => {
      const newest = last();
      if (!enter || !newest || newest === before || !newest.textContent.includes(words)) return;
      observer.disconnect();
      resolve({ enter: performance.timeOrigin + enter, text: performance.timeOrigin + performance.now() });
    });
    observer.observe(document, { subtree: true, childList: true, characterData: true });
  });
}`;

/** Types, presses Enter, and returns both of the panel's times. */
async function enter(page, { composer, answer, text, words }) {
  await page.click(composer);
  await page.insert(text);
  await page.evaluate(`(${WATCH})(${JSON.stringify(answer)}, ${JSON.stringify(words)})`);
  await pause(LONGEST_PAUSE_MS);
  await page.enter();
  return page.evaluate('window.measured');
}

/** The agent inside gstack: it has no process of its own, so only the total time can be measured. */
export function builtinSide(stage) {
  return async () => {
    const { page } = stage.panel;
    const times = await enter(page, { composer: PARTS.composer, answer: '.turn', text: 'help', words: 'built-in agent' });
    await stage.panel.gone('stop');
    return { text: times.text - times.enter };
  };
}

/** An agent in its own process that speaks Claude Code's protocol and answers immediately. */
export function processSide(stage) {
  return async (run) => {
    const words = `answer to question ${run}.`;
    const answered = stage.standIn.prompt().then((turn) => {
      const at = performance.timeOrigin + performance.now();
      turn.say(words);
      turn.end();
      return at;
    });
    const times = await enter(stage.panel.page, { composer: PARTS.composer, answer: '.turn', text: `question ${run}.`, words });
    await stage.panel.gone('stop');
    return { line: (await answered) - times.enter, text: times.text - times.enter };
  };
}

/** The simulated polling design. */
export function pollingSide(polling) {
  return async (run) => {
    const line = polling.line();
    const words = `answer to question ${run}.`;
    const times = await enter(polling.page, { composer: 'textarea', answer: '.answer', text: `question ${run}.`, words });
    return { line: (await line) - times.enter, text: times.text - times.enter };
  };
}

/**
 * @param {Record<string, (run: number) => Promise<{ line?: number, text: number }>>} sides
 * @param {number} runs
 */
export async function measurePanel(sides, runs) {
  const samples = [...(await alternately(runs, sides))];
  const of = (part) =>
    new Map(
      samples.map(([name, taken]) => [name, taken.map((one) => one[part])]).filter(([, taken]) => taken.every((one) => one !== undefined)),
    );
  const simulated =
    '*polling (simulated)*: no real product, a small program of these measurements in the same Chromium: ' +
    'the panel posts to a loopback server, the server appends to a queue file, ' +
    'an agent process looks into it every 200 ms, the panel asks for answers every 300 ms.';
  print({
    title: 'Enter in the panel → the line at the agent',
    baseline: 'polling (simulated)',
    samples: of('line'),
    notes: [
      "*agent process*: the tests' stand-in for Claude Code on its stdin and stdout; the time includes its word to this program.",
      simulated,
    ],
  });
  print({
    title: 'Enter in the panel → the first text of the answer in the panel',
    baseline: 'polling (simulated)',
    samples: of('text'),
    notes: [
      'The agents answer at once: what is measured is the way there and back, never a model. ' +
        'The built-in agent has no process of its own, so it is not in the table above.',
    ],
  });
}
