/*
 * Creates docs/images: a real browser window with a page and the side panel side by side, on a virtual display; and
 * docs/images/panel: every state of the panel, in both themes, 360 (Chrome's default width) and 420 pixels wide.
 *
 * Run by hand: node tests/e2e/pictures.mjs [window [picture …]|panel [state …]]. Needs Xvfb and ImageMagick. In the windows the
 * real Claude Code answers, with its API played by tests/fake, so that the pictures are the same each time; the fake
 * host of tests/extension plays the states.
 */
import { execFileSync, spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { draw } from '../extension/shots.mjs';
import { TestHome } from './harness/home.mjs';
import { AGENTS, RealAgent } from './harness/real-agent.mjs';

const [what, ...names] = process.argv.slice(2);
const folder = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../docs/images');
const SIZE = [1280, 800];
/** How long the shop takes for an order: longer than taking a picture. */
const SLOW_MS = 5000;

const PAGE = `<!doctype html><meta charset="utf-8"><title>Your order – Halden Coffee</title>
<style>
  body { margin: 0; font: 16px/24px system-ui, sans-serif; color: #1e2a27; background: #fbfaf7; }
  header { padding: 20px 48px; background: #1e3a34; color: #f4efe2; font-weight: 600; font-size: 18px; }
  main { padding: 40px 48px; max-width: 520px; }
  h1 { font-size: 28px; line-height: 36px; margin: 0 0 8px; }
  p { margin: 0 0 24px; color: #5b6763; }
  label { display: grid; gap: 6px; margin-bottom: 16px; font-size: 14px; font-weight: 500; }
  input, select { font: inherit; padding: 9px 12px; border: 1px solid #c9cfc9; border-radius: 8px; background: #fff; }
  button { font: inherit; font-weight: 600; padding: 11px 20px; border: 0; border-radius: 8px; background: #1e3a34; color: #fff; }
</style>
<header>Halden Coffee</header>
<main><h1>Where shall we send it?</h1><p>Two bags of Sunday Roast, ground for filter.</p>
<form onsubmit="event.preventDefault(); fetch('/slow')">
<label>Full name<input name="name"></label><label>Street<input name="street"></label><label>Town<input name="town"></label>
<label>Delivery<select name="delivery"><option>Standard, 3 days</option><option>Express, tomorrow</option></select></label>
<button>Place order</button></form></main>`;

/** Starts our own display; the X server chooses its number. */
async function display() {
  const server = spawn('Xvfb', ['-displayfd', '1', '-screen', '0', `${SIZE.join('x')}x24`], { stdio: ['ignore', 'pipe', 'ignore'] });
  const number = await new Promise((resolve, reject) =>
    server.once('error', reject).stdout.once('data', (data) => resolve(String(data).trim())),
  );
  return { name: `:${number}`, end: () => server.kill() };
}

/** Waits until the browser has drawn the current state. */
const settle = (page) => page.evaluate('new Promise((done) => setTimeout(done, 1200))');

const { calls } = AGENTS.claude;
/** The API's replies to the tool results, in order. */
const then = (...replies) => replies.map((reply) => ({ in: 'toolResult', tools: true, times: 1, reply }));

/** A finished conversation. */
const conversation = {
  rules: [
    {
      match: 'Stop before ordering',
      tools: true,
      times: 1,
      reply: [{ text: 'I look at the form first.' }, calls('snapshot', { interactive: true })],
    },
    ...then(
      [
        { text: 'Three fields and a choice of delivery. I fill them one by one and leave **Place order** to you.' },
        calls('fill', { selector: 'role=textbox[name="Full name"]', value: 'Ada Lovelace' }),
      ],
      [
        calls('fill', { selector: 'role=textbox[name="Street"]', value: '12 Mill Lane' }),
        calls('fill', { selector: 'role=textbox[name="Town"]', value: 'Grasmere' }),
      ],
      [{ text: 'Done: name, street and town are filled, delivery is *Standard, 3 days*. The order is not placed.' }],
    ),
  ],
  async play(panel) {
    await panel.say('Fill this form for Ada Lovelace, 12 Mill Lane, Grasmere. Stop before ordering.');
    await panel.answer('conversation');
    await panel.seen('answer', 'The order is not placed.');
    await panel.gone('stop');
  },
};

/** An agent at work, with the refs of its snapshot in the page. */
const marks = {
  rules: [
    { match: 'and order', tools: true, times: 1, reply: [calls('snapshot', { interactive: true })] },
    ...then(
      [calls('fill', { selector: 'role=textbox[name="Full name"]', value: 'Ada Lovelace' })],
      [calls('click', { selector: 'role=button[name="Place order"]' })],
      [{ text: 'The order is placed.' }],
    ),
  ],
  async play(panel) {
    await panel.say('Fill this form for Ada Lovelace and order.');
    await panel.answer('conversation');
    await panel.page.waitFor(`document.querySelector('.approval')?.innerText.includes('Place order')`, 'the question about the order');
    // Submitting a form needs its own approval. The order is slow, so that the pill shows the action while the picture
    // is taken.
    await panel.answer('once');
    await panel.page.click('.statusbar [aria-label=Debug]');
    await panel.page.click('#debug-tab-refs');
    await panel.page.waitFor(`[...document.querySelectorAll('.ref-row')].some((row) => row.innerText.includes('Place order'))`);
    await panel.page.click('#debug-refs .switch');
    return () => panel.gone('stop');
  },
};

/** An approval that waits. */
const approval = {
  rules: [
    { match: 'and order', tools: true, times: 1, reply: [calls('snapshot', { interactive: true })] },
    ...then(
      [{ text: 'Name, street and town are filled. I place the order.' }, calls('click', { selector: 'role=button[name="Place order"]' })],
      [{ text: 'The order is placed.' }],
    ),
  ],
  async play(panel, page) {
    const filled = { name: 'Ada Lovelace', street: '12 Mill Lane', town: 'Grasmere' };
    await page.evaluate(
      `for (const [name, value] of Object.entries(${JSON.stringify(filled)})) document.forms[0].elements[name].value = value`,
    );
    await panel.say('Check the form and order.');
    await panel.page.waitFor(`document.querySelector('.approval')?.innerText.includes('Place order')`, 'the question about the order');
    await panel.page.waitFor(`!document.querySelector('.approval.is-arming')`, 'the card can be answered');
  },
};

/** The settings, beside an empty conversation. */
const settings = {
  rules: [],
  async play(panel) {
    await panel.page.click('.statusbar [aria-label=Settings]');
    await panel.page.waitFor(`document.querySelector('#settings .setting')?.checkVisibility()`, 'the settings');
  },
};

async function scene(scheme, xvfb, name, { rules, play }) {
  const site = createServer((request, response) => {
    response.setHeader('content-type', 'text/html');
    if (request.url === '/slow') setTimeout(() => response.end('ordered'), SLOW_MS);
    else response.end(PAGE);
  });
  await new Promise((resolve) => site.listen(0, '127.0.0.1', resolve));
  const home = new TestHome({ permanent: true, environment: { DISPLAY: xvfb.name } });
  const agent = await RealAgent.install(home, 'claude', { rules, default: [{ text: 'ok' }] });
  const cwd = path.join(home.person, 'halden-coffee');
  mkdirSync(cwd);
  try {
    const url = `http://127.0.0.1:${site.address().port}/order`;
    const flags = ['--window-position=0,0', `--window-size=${SIZE.join(',')}`, ...(scheme === 'dark' ? ['--force-dark-mode'] : [])];
    await home.ok(['connect', '--headed', url, '--', ...flags], { cwd, limit: 90_000 });
    const client = await home.devtools();
    const panel = await home.panel(client);
    await panel.connected();
    const end = await play(panel, await home.page(client, url));
    await settle(panel.page);
    execFileSync('import', ['-display', xvfb.name, '-window', 'root', path.join(folder, `${name}-${scheme}.png`)]);
    await end?.();
  } finally {
    agent.stop();
    await home.stop();
    site.close();
  }
}

/** Takes a window's pictures in both themes. */
async function windows() {
  mkdirSync(folder, { recursive: true });
  const xvfb = await display();
  const plays = { 'panel-and-page': conversation, 'agent-at-work': marks, approval, settings };
  try {
    for (const scheme of ['light', 'dark']) {
      for (const [name, play] of Object.entries(plays)) {
        if (names.length === 0 || names.includes(name)) await scene(scheme, xvfb, name, play);
      }
    }
  } finally {
    xvfb.end();
  }
}

/** Returns a colour's distance from grey. */
const hue = (colour) => {
  const parts = [...Buffer.from(colour, 'hex')];
  return Math.max(...parts) - Math.min(...parts);
};

/**
 * Reduces the file to a third of its size: the most frequent colours of a picture stay exact, and the others, at the
 * edges of letters, take the nearest of them. Half of the palette is reserved for colours other than grey; otherwise
 * red text would become grey.
 */
function optimise(file) {
  const histogram = execFileSync('convert', [file, '-depth', '8', '-format', '%c', 'histogram:info:-'], { encoding: 'utf8' });
  const counted = [...histogram.matchAll(/^\s*(\d+):.*?#([0-9A-F]{6})/gm)].map(([, count, colour]) => ({ count: Number(count), colour }));
  counted.sort((a, b) => b.count - a.count);
  const coloured = counted.filter(({ colour }) => hue(colour) > 24).slice(0, 128);
  const kept = [...coloured, ...counted.filter((one) => !coloured.includes(one)).slice(0, 256 - coloured.length)];
  const palette = Buffer.concat([Buffer.from(`P6 ${kept.length} 1 255\n`), ...kept.map(({ colour }) => Buffer.from(colour, 'hex'))]);
  const smaller = execFileSync('convert', [file, '-strip', '+dither', '-remap', 'ppm:-', '-define', 'png:compression-level=9', 'PNG8:-'], {
    input: palette,
  });
  writeFileSync(file, smaller);
}

if (what !== 'panel') await windows();
if (what !== 'window') await draw(path.join(folder, 'panel'), { names, widths: [360, 420], optimise });
console.log(`The pictures are in ${folder}`);
