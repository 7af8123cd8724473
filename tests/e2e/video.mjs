/*
 * Creates docs/images/run.webm: a minute in which an agent orders coffee, recorded by `gstack video`.
 *
 * Run by hand: node tests/e2e/video.mjs. Needs Xvfb. The real Claude Code answers, with its API played by tests/fake at
 * the pace of a person who reads along; the person's answer to the approval is pressed in the real panel.
 */
import { createServer } from 'node:http';
import { copyFileSync, mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Display } from './harness/display.mjs';
import { TestHome } from './harness/home.mjs';
import { AGENTS, RealAgent } from './harness/real-agent.mjs';

const FILE = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../docs/images/run.webm');

const STYLE = `<style>
  body { margin: 0; font: 16px/24px system-ui, sans-serif; color: #1e2a27; background: #fbfaf7; }
  header { padding: 18px 40px; background: #1e3a34; color: #f4efe2; font-weight: 600; font-size: 18px; }
  main { padding: 28px 40px; max-width: 620px; }
  h1 { font-size: 26px; line-height: 34px; margin: 0 0 16px; }
  article { display: grid; grid-template-columns: 1fr auto auto; gap: 20px; align-items: center; padding: 14px 0; }
  article { border-bottom: 1px solid #dcdcd2; }
  small { display: block; color: #5b6763; }
  label { display: grid; gap: 6px; margin-bottom: 14px; font-size: 14px; font-weight: 500; }
  input, select { font: inherit; padding: 9px 12px; border: 1px solid #c9cfc9; border-radius: 8px; background: #fff; }
  button, .button { font: inherit; font-weight: 600; padding: 10px 18px; border: 0; border-radius: 8px; }
  button, .button { background: #1e3a34; color: #fff; text-decoration: none; }
</style>`;
const page = (title, body) =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title>${STYLE}<header>Halden Coffee</header><main>${body}</main>`;
const COFFEES = [
  ['Sunday Roast', 'filter, chocolate and hazelnut', '9.80'],
  ['Harbour Light', 'filter, red berries', '8.40'],
  ['Night Watch', 'espresso, dark and heavy', '8.10'],
  ['Halden Green', 'raw beans for your own roaster', '6.90'],
];
/** A row of the list. */
const article = ([name, notes, price]) =>
  `<article><div><b>${name}</b><small>${notes}</small></div><span>€ ${price}</span>
<a class="button" href="/bag?coffee=${encodeURIComponent(name)}" aria-label="Choose ${name}">Choose</a></article>`;
const SHOP = page('Coffee – Halden Coffee', `<h1>Our coffees</h1>${COFFEES.map(article).join('')}`);
const order = (coffee) =>
  page(
    'Your order – Halden Coffee',
    `<h1>${coffee}: where shall we send it?</h1><form action="/thanks" method="post">
<label>Full name<input name="name"></label><label>Street<input name="street"></label><label>Town<input name="town"></label>
<label>Bags<input name="bags" type="number" value="1"></label>
<label>Delivery<select name="delivery"><option>Standard, 3 days</option><option>Express, tomorrow</option></select></label>
<button>Place order</button></form>`,
  );
const THANKS = page(
  'Thank you – Halden Coffee',
  '<h1>Thank you, Ada.</h1><p>Two bags of Harbour Light are on their way to Grasmere. They arrive tomorrow.</p>',
);

const { calls } = AGENTS.claude;
/** One reply of the API: what the agent does, after a pause in which a person can follow. */
const step = (...reply) => ({ in: 'toolResult', tools: true, times: 1, reply: [{ sleepMs: 3200 }, ...reply] });
const field = (name) => `role=textbox[name="${name}"]`;
const RULES = [
  {
    match: 'cheapest filter',
    tools: true,
    times: 1,
    reply: [{ sleepMs: 2500 }, { text: 'I look at the list first.' }, calls('snapshot', { interactive: false })],
  },
  step({ text: 'Harbour Light is the cheapest filter coffee.' }, calls('hover', { selector: 'text=Harbour Light' })),
  step(calls('click', { selector: 'role=link[name="Choose Harbour Light"]' })),
  step(calls('snapshot', { interactive: true })),
  step(calls('fill', { selector: field('Full name'), value: 'Ada Lovelace' })),
  step(calls('fill', { selector: field('Street'), value: '12 Mill Lane' })),
  step(calls('fill', { selector: field('Town'), value: 'Grasmere' })),
  step(calls('fill', { selector: 'label=Bags', value: '2' })),
  step(calls('select', { selector: 'label=Delivery', value: ['Express, tomorrow'] })),
  step({ text: 'Everything is filled in. I place the order.' }, calls('click', { selector: 'role=button[name="Place order"]' })),
  step(calls('text', {})),
  step({ text: 'Two bags of **Harbour Light** arrive tomorrow. The order cost € 16.80.' }),
];

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const site = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://shop');
  response.setHeader('content-type', 'text/html; charset=utf-8');
  request.resume();
  response.end({ '/bag': () => order(searchParams.get('coffee')), '/thanks': () => THANKS }[pathname]?.() ?? SHOP);
});
await new Promise((resolve) => site.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${site.address().port}/`;
const display = await Display.open();
const home = new TestHome({ permanent: true, environment: { DISPLAY: display.name } });
const agent = await RealAgent.install(home, 'claude', { rules: RULES, default: [{ text: 'ok' }] });
const cwd = path.join(home.person, 'halden-coffee');
mkdirSync(cwd);
try {
  await home.ok(['connect', '--headed', url, '--', '--window-position=0,0', '--window-size=1280,800'], { cwd, limit: 120_000 });
  const client = await home.devtools();
  const panel = await home.panel(client);
  await panel.connected();
  const recorded = path.join(home.folder, 'run.webm');
  await home.ok(['video', 'start', recorded, '--fps', '12']);
  await pause(2000);
  await panel.say('Order two bags of the cheapest filter coffee, express, to Ada Lovelace, 12 Mill Lane, Grasmere.');
  await panel.answer('conversation');
  const asks = `document.querySelector('.approval:not(.is-arming)')?.innerText.includes('Place order')`;
  await panel.page.waitFor(asks, 'the question about the order', 120_000);
  // The person reads the card.
  await pause(5000);
  await panel.answer('once');
  await panel.seen('answer', 'arrive tomorrow');
  await panel.gone('stop');
  await pause(3000);
  const saved = await home.json('video', 'stop');
  copyFileSync(recorded, FILE);
  console.log(`${FILE}: ${saved.data.seconds} s, ${saved.data.width}x${saved.data.height}, ${statSync(FILE).size} bytes`);
} finally {
  agent.stop();
  await home.stop();
  display.close();
  site.close();
}
