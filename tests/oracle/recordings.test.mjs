/*
 * Flows recorded with a real keyboard and mouse: an X server delivers the input to Chromium's window, on Material UI as it is
 * published, a rich text field and a payment form in a frame of another site. What was recorded runs again in a
 * headless browser and leaves the same values.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Display, noDisplay } from '../e2e/harness/display.mjs';
import { TestHome } from '../e2e/harness/home.mjs';
import { until } from '../e2e/harness/wait.mjs';
import { hasMaterial, MATERIAL, materialScript } from './harness/material.mjs';

const modules = fileURLToPath(new URL('node_modules', import.meta.url));
const missing = 'the optional packages are not installed';
const KINDS = { '.js': 'text/javascript', '.css': 'text/css' };

const RICH = `<!doctype html><title>Rich text</title><meta charset="utf-8"><button id="bold">Bold</button>
<div id="note" contenteditable role="textbox" aria-multiline="true" aria-label="Note" style="height: 80px; border: 1px solid"></div>
<button id="save">Save note</button>
<script>
  bold.onclick = () => { note.dataset.style = 'bold'; };
  save.onclick = () => { globalThis.saved = [note.innerText.trim(), note.dataset.style]; };
  globalThis.held = () => ({ saved: globalThis.saved });
  globalThis.ready = true;
</script>`;
const PAY = (other) => `<!doctype html><title>Pay</title><meta charset="utf-8"><h1>Your order</h1>
<iframe src="${other}card" style="position: absolute; left: 20px; top: 100px; width: 400px; height: 200px; border: 0"></iframe>
<script>
  addEventListener('message', (event) => { globalThis.paid = event.data; });
  globalThis.held = () => ({ paid: globalThis.paid });
  globalThis.ready = true;
</script>`;
const CARD = `<!doctype html><title>Card</title><meta charset="utf-8"><body style="margin: 0">
<input aria-label="Name on card" style="position: absolute; left: 10px; top: 10px; width: 200px; height: 30px">
<button style="position: absolute; left: 10px; top: 80px; width: 200px; height: 40px">Pay now</button>
<script>
  document.querySelector('button').onclick = () => parent.postMessage(document.querySelector('input').value, '*');
</script>`;

describe('recordings with a real keyboard and mouse', { concurrency: false, skip: noDisplay }, () => {
  let home;
  let display;
  let server;
  let site;
  let page;
  let material;
  const pages = () => ({ '/rich': RICH, '/pay': PAY(site.replace('127.0.0.1', 'localhost')), '/card': CARD });

  before(async () => {
    if (hasMaterial) material = await materialScript();
    server = createServer((request, response) => {
      const { pathname } = new URL(request.url, 'http://localhost');
      const file = path.join(modules, path.normalize(pathname));
      const shown = { ...pages(), '/material': MATERIAL, '/material.js': material }[pathname];
      const found = shown === undefined && existsSync(file) && path.extname(file) !== '';
      response.writeHead(found || shown ? 200 : 404, { 'content-type': KINDS[path.extname(pathname)] ?? 'text/html' });
      response.end(found ? readFileSync(file) : shown);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    site = `http://127.0.0.1:${server.address().port}/`;
    display = await Display.open();
    home = new TestHome({ environment: { DISPLAY: display.name } });
  });
  after(async () => {
    await home?.stop();
    display?.close();
    server?.close();
  });

  /* Opens a page in a window, records what `acts` does there, and runs it again headless. Returns the file and both states. */
  const recorded = async (name, ready, acts) => {
    const address = `${site}${name}`;
    await home.ok(['connect', address], { limit: 240_000 });
    await home.ok(['goto', address]);
    page = await home.page(await home.devtools(), address);
    await page.waitFor(ready, `${name} is ready`);
    const child = home.start(['flow', 'record', name, '--replace']);
    let told = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (data) => {
        told += data;
      });
    const ended = once(child, 'close');
    await until(
      () => told.includes('Recording tab'),
      () => `it does not record: ${told}`,
      60_000,
    );
    await acts();
    const live = await page.evaluate('JSON.stringify(held())');
    await home.ok(['flow', 'record', name, '--stop']);
    const [code] = await ended;
    assert.equal(code, 0, told);
    await home.ok(['disconnect']);
    await home.ok(['connect', '--headless', address], { limit: 240_000 });
    await home.ok(['goto', 'about:blank']);
    const file = path.join(home.home, 'flows', `${name}.toml`);
    const text = readFileSync(file, 'utf8');
    const run = await home.run(['flow', 'run', name]);
    assert.equal(run.code, 0, `${run.stdout}${run.stderr}\n${text}`);
    const again = await until(async () => {
      const state = (await home.ok(['js', 'JSON.stringify(held())'])).trim();
      return state === live ? state : null;
    }, `the state of ${name} as it was recorded: ${live}`);
    await home.ok(['disconnect']);
    return { text, live: JSON.parse(live), again };
  };
  /* The place of a point of the page on the screen. */
  const at = async (x, y) => {
    // The side panel is on the right; a frame of the window is on both sides.
    const beside = 'outerWidth - innerWidth > 200 ? 0 : (outerWidth - innerWidth) / 2';
    const [left, top] = JSON.parse(await page.evaluate(`JSON.stringify([screenX + (${beside}), screenY + outerHeight - innerHeight])`));
    return [Math.round(left + x), Math.round(top + y)];
  };
  const click = async (x, y) => {
    await display.x('mousemove', ...(await at(x, y)).map(String));
    await display.x('click', '1');
  };
  /* Clicks in the middle of the element that an expression gives. */
  const on = async (element) => {
    const box = `(() => {
      const it = ${element};
      it?.scrollIntoView({ block: 'center' });
      const { x, y, width, height } = it?.getBoundingClientRect() ?? { width: 0 };
      return width > 0 && JSON.stringify([x + width / 2, y + height / 2]);
    })()`;
    // A list that opens moves for a moment.
    let last = null;
    const rests = async () => {
      const place = await page.evaluate(box);
      const rested = place && place === last;
      last = place;
      return rested;
    };
    await until(rests, `${element} is there and rests`);
    await click(...JSON.parse(last));
  };
  const typed = (expression, text) => page.waitFor(`(${expression}) === ${JSON.stringify(text)}`, `${expression} is ${text}`);

  test('Material UI: a field and a tick', { skip: hasMaterial ? false : missing, timeout: 200_000 }, async () => {
    const label = (text) => `[...document.querySelectorAll('label')].find((one) => one.textContent.trim().startsWith('${text}'))`;
    const { text, live } = await recorded('material', `${label('Agree')} && held()`, async () => {
      await on(`document.getElementById(${label('Notes')}.htmlFor)`);
      await display.type('two words');
      await typed('held().notes', 'two words');
      await on(`${label('Agree')}.querySelector('input')`);
      await typed('held().agree', true);
    });
    assert.deepEqual([live.notes, live.agree], ['two words', true]);
    assert.match(text, /name = "Notes", value = "\{\{notes\}\}"/);
    assert.match(text, /act = "check", role = "checkbox", name = "Agree"/);
  });

  test('a rich text field and its toolbar', { timeout: 200_000 }, async () => {
    const { live } = await recorded('rich', 'globalThis.ready', async () => {
      await on(`document.querySelector('#note')`);
      await display.type('Hello lamp');
      await typed(`note.innerText.trim()`, 'Hello lamp');
      await on(`document.querySelector('#bold')`);
      await on(`document.querySelector('#save')`);
      await typed(`JSON.stringify(globalThis.saved)`, '["Hello lamp","bold"]');
    });
    assert.deepEqual(live.saved, ['Hello lamp', 'bold']);
  });

  test('a payment form in a frame of another site', { timeout: 200_000 }, async () => {
    const { text, live } = await recorded('pay', 'globalThis.ready', async () => {
      await click(20 + 60, 100 + 25);
      await display.type('Ada Lovelace');
      await click(20 + 60, 100 + 100);
      await typed('globalThis.paid', 'Ada Lovelace');
    });
    assert.equal(live.paid, 'Ada Lovelace');
    const origin = new URL(site.replace('127.0.0.1', 'localhost')).origin;
    assert.equal(text.split('\n').filter((line) => line.includes(`frame = "${origin}"`)).length, 2, text);
  });
});
