/*
 * Measures a person's wait for the first text, with the real Claude Code and its API played on loopback: from Enter to
 * the line in the panel that says what is being waited for, to the agent's request at its API, and to the first text.
 *
 *   node benches/first-text.mjs [RUNS]     needs tests/e2e's packages and target/dist/gstack, or GSTACK_BIN
 *
 * Prints one row for each start: a fresh tab in which the person writes at once or for a while, a daemon that has just
 * started, and an agent that runs already.
 */
import { loadavg } from 'node:os';
import { TestHome } from '../tests/e2e/harness/home.mjs';
import { RealAgent } from '../tests/e2e/harness/real-agent.mjs';
import { Site } from '../tests/e2e/harness/site.mjs';
import { until } from '../tests/e2e/harness/wait.mjs';

const runs = Number(process.argv[2] ?? 5);
/** How long a person types a short sentence. */
const TYPING_MS = 2000;
/** From the click into the message box to the first key. */
const BEFORE_MS = 1000;
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Resolves to the times of Enter, of the line that says what is being waited for, and of the first text, since 1970. */
const WATCH = `(words) => {
  const times = {};
  const now = () => performance.timeOrigin + performance.now();
  addEventListener('keydown', (event) => { if (event.key === 'Enter') times.enter ??= performance.timeOrigin + event.timeStamp; }, true);
  window.measured = new Promise((resolve) => {
    const observer = new MutationObserver(() => {
      if (!times.enter) return;
      const facts = [...document.querySelectorAll('.turn-footer__facts, .bubble-note')].map((one) => one.textContent).join(' ');
      if (/waiting for|working|starting|sending/i.test(facts)) { times.said ??= now(); times.words ??= facts; }
      if (![...document.querySelectorAll('.turn')].some((turn) => turn.textContent.includes(words))) return;
      observer.disconnect();
      resolve({ ...times, text: now() });
    });
    observer.observe(document, { subtree: true, childList: true, characterData: true });
  });
}`;

let asked = 0;
/** Clicks into the box, types after `before` ms, presses Enter after `typing` ms and returns the waits in ms. */
async function wait({ panel, agent }, typing, before = 0) {
  asked += 1;
  const requests = agent.requests().length;
  const { page } = panel;
  await page.click('.composer__text');
  await page.evaluate(`(${WATCH})('Answer ${asked}.')`);
  await pause(before);
  await page.insert(`Question ${asked}.`);
  await pause(typing);
  await page.enter();
  await until(() => agent.requests().length > requests, 'a request at the API');
  const api = performance.timeOrigin + performance.now();
  const { enter, said, words, text } = await page.evaluate('window.measured');
  await panel.gone('stop');
  return { said: said === undefined ? NaN : said - enter, api: api - enter, text: text - enter, words };
}

const home = new TestHome();
const answers = Array.from({ length: 400 }, (_none, at) => ({
  match: `Question ${at + 1}.`,
  reply: [{ text: `Answer ${at + 1}.` }],
}));
const agent = await RealAgent.install(home, 'claude', { rules: answers.reverse(), default: [{ text: 'ok' }] });
const site = await Site.start();
await home.connect(['--headless', `${site.origin}/form`]);
const client = await home.devtools();
const panel = await home.panel(client);
await panel.connected();

/** Shows another, empty tab. */
async function freshTab() {
  const { targetId } = await client.send('Target.createTarget', { url: `${site.origin}/form?${asked}` });
  await client.send('Target.activateTarget', { targetId });
  await panel.page.waitFor(`!document.querySelector('.turn') && document.querySelector('.composer__text').value === ''`);
}

const rows = {
  'a fresh tab, written at once': async () => {
    await freshTab();
    return wait({ panel, agent }, 0);
  },
  'a fresh tab, written at once, 1 s after the click': async () => {
    await freshTab();
    return wait({ panel, agent }, 0, BEFORE_MS);
  },
  'a fresh tab, written for 2 s': async () => {
    await freshTab();
    return wait({ panel, agent }, TYPING_MS);
  },
  'an agent that runs': () => wait({ panel, agent }, 0),
  'a daemon that has just started': async () => {
    const before = (await home.status()).pid;
    process.kill(before, 'SIGTERM');
    await panel.page
      .waitFor(`document.querySelector('#banner').checkVisibility() || document.querySelector('.statusbar .dot--wait')`)
      .catch(() => {});
    await panel.connected();
    return wait({ panel, agent }, 0);
  },
};
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
try {
  console.log(`load at the start ${loadavg()[0].toFixed(1)}, ${runs} runs each\n`);
  console.log('|  | says what it waits for, ms | request at the API, ms | first text, ms (slowest) |\n| --- | ---: | ---: | ---: |');
  for (const [name, run] of Object.entries(rows)) {
    const taken = [];
    for (let at = 0; at < runs; at += 1) taken.push(await run());
    const of = (part) => Math.round(median(taken.map((one) => one[part])));
    const slowest = Math.round(Math.max(...taken.map((one) => one.text)));
    console.log(`| ${name} | ${of('said')} | ${of('api')} | ${of('text')} (${slowest}) |`);
    if (process.env.GSTACK_BENCH_WORDS) console.log(taken[0].words);
  }
} finally {
  agent.stop();
  await home.stop();
  await site.stop();
}
