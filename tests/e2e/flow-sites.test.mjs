/*
 * Flows across sites: a step acts in no frame and on no page of a site that the flow does not name, whatever a page does;
 * and it reaches the frames and tabs that it names. With recordings of Chrome's Recorder, which name theirs by address.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { TestHome } from './harness/home.mjs';
import { until } from './harness/wait.mjs';

/* `HERE` and `THERE` are two sites with the same server. */
const FIELD = `<label>Mail <input id="mail" oninput="fetch('/got?' + encodeURIComponent(location.hostname + ' ' + value))"></label>
  <button onclick="fetch('/got?' + encodeURIComponent(location.hostname + ' pressed'))">Buy</button>`;
const PAGES = {
  own: FIELD,
  around: `<h1>Shop</h1><iframe src="THERE/own"></iframe>`,
  twice: `${FIELD}<iframe src="THERE/own"></iframe>`,
  grabs: `<h1>Shop</h1><iframe src="THERE/focused"></iframe>
    <script>setInterval(() => document.querySelector('iframe').focus(), 20)</script>`,
  focused: `<input autofocus onkeydown="fetch('/got?' + encodeURIComponent(location.hostname + ' key'))"
    onfocus="fetch('/focused')"><script>setInterval(() => document.querySelector('input').focus(), 20)</script>`,
  leaves: `<button onclick="location = 'THERE/own'">Next</button>`,
  replaced: `${FIELD}<script>addEventListener('pointermove', () => { location = 'THERE/own'; })</script>`,
  opens: `<h1>Shop</h1><button onclick="window.open('THERE/own')">Open</button><button onclick="fetch('/got?first')">First</button>`,
  misleads: `<button onclick="window.open('THERE/onward')">Open</button>`,
  onward: `<script>location = 'HERE/own'</script>`,
  inner: `<iframe src="HERE/own"></iframe>`,
  form: `<form onsubmit="event.preventDefault(); fetch('/got?' + new URLSearchParams(new FormData(this)))">
    <label>Answer <input name="answer"></label>
    <label>Size <select name="size"><option value="s">Small</option><option value="l">Large</option></select></label>
    <label><input type="checkbox" name="gift"> Gift</label>
    <label><input type="radio" name="way" value="post"> By post</label>
    <label><input type="checkbox" name="news" checked> News</label>
    <label>Note <textarea name="note"></textarea></label><button>Order</button></form>`,
};

describe('flows across sites', { concurrency: false }, () => {
  let home;
  let server;
  let here;
  let there;
  let got = [];
  let focused = 0;
  const save = (name, ...steps) => {
    const text = `flow = 1\nsteps = [\n${steps.map((step) => `  ${step},\n`).join('')}]\n`;
    writeFileSync(path.join(home.home, 'flows', `${name}.toml`), text.replaceAll('THERE', there).replaceAll('HERE', here));
  };
  const run = async (name, ...words) => {
    got = [];
    return JSON.parse((await home.run(['flow', 'run', name, '--json', '--timeout', '0', ...words])).stdout);
  };
  /* Runs steps that must stop at the last one, with nothing done on the page. */
  const stops = async (message, hint, ...steps) => {
    save('stops', ...steps);
    const report = await run('stops');
    const last = report.steps.at(-1);
    assert.equal(report.outcome, 'failed', JSON.stringify(report));
    assert.equal(last.step, steps.length, JSON.stringify(last));
    assert.match(last.message, message);
    assert.match(last.hint ?? '', hint);
    assert.deepEqual(got, [], 'it acted');
  };
  const does = async (expected, ...steps) => {
    save('does', ...steps);
    const report = await run('does');
    assert.equal(report.outcome, 'done', JSON.stringify(report));
    await until(
      () => got.includes(expected),
      () => `${expected} has not come: ${got}`,
    );
    assert.deepEqual(
      got.filter((one) => one !== expected),
      [],
    );
  };
  const FILL = '{ act = "fill", role = "textbox", name = "Mail", value = "a" }';
  const inFrame = (step, frame = 'THERE') => step.replace(' }', `, frame = "${frame}" }`);
  const framed = '{ wait = { text = "Mail" } }';
  const open = (page) => `{ act = "goto", url = "HERE/${page}" }`;

  before(async () => {
    server = createServer((request, response) => {
      const url = new URL(request.url, here);
      response.setHeader('content-type', 'text/html');
      if (url.pathname === '/focused') focused += 1;
      if (url.pathname === '/got') got.push(decodeURIComponent(url.search.slice(1)));
      if (url.pathname === '/away') {
        response.writeHead(302, { location: `${there}/own` });
        return response.end();
      }
      const page = PAGES[url.pathname.slice(1)];
      if (!page) return response.end('ok');
      const head = '<!doctype html><meta charset="utf-8"><title>Shop</title>';
      response.end(`${head}${page.replaceAll('THERE', there).replaceAll('HERE', here)}`);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    here = `http://127.0.0.1:${server.address().port}`;
    there = `http://localhost:${server.address().port}`;
    home = new TestHome();
    mkdirSync(path.join(home.home, 'flows'), { recursive: true, mode: 0o700 });
  });
  after(async () => {
    server.closeAllConnections();
    server.close();
    await home.stop();
  });

  test('a step takes no element in a frame of a site that it does not name', { timeout: 200_000 }, async () => {
    await stops(/there is no textbox “Mail”/, /A frame of http:\/\/localhost:\d+ has one.*frame = "http/, open('around'), FILL);
    await stops(/in a frame of http:\/\/localhost/, /./, open('around'), framed, '{ act = "fill", selector = "#mail", value = "a" }');
    await stops(/there is no/, /./, open('around'), inFrame(FILL, 'https://pay.example'));
    await stops(/there is no/, /./, open('own'), inFrame(FILL));
    await does('localhost a', open('around'), inFrame(FILL));
    await does('localhost a', open('around'), framed, inFrame('{ act = "fill", selector = "#mail", value = "a" }'));
    await does('127.0.0.1 a', open('twice'), FILL);
    await does('localhost a', open('twice'), inFrame(FILL));
    await does('127.0.0.1 a', open('inner'), inFrame(FILL, 'own'));
  });

  test('a key goes to no frame of a site that the step does not name', { timeout: 200_000 }, async () => {
    focused = 0;
    save('grabbed', open('grabs'), '{ wait = { text = "Shop" } }');
    assert.equal((await run('grabbed')).outcome, 'done');
    await until(() => focused > 0, 'the frame has the focus', 20_000);
    save('key', '{ act = "press", key = "x" }');
    const report = await run('key');
    assert.deepEqual(got, [], JSON.stringify(report));
    assert.equal(report.outcome, 'failed', JSON.stringify(report));
    assert.match(report.steps[0].message, /frame/);
  });

  test('a step acts on no site that the flow does not go to', { timeout: 200_000 }, async () => {
    const BUY = '{ act = "click", role = "button", name = "Buy" }';
    const NEXT = '{ act = "click", role = "button", name = "Next" }';
    const settled = '{ wait = { text = "Mail" } }';
    const shows = /the tab shows http:\/\/localhost.* and the flow is at http:\/\/127/;
    await stops(shows, /wait = \{ url = "http:\/\/localhost/, open('leaves'), NEXT, settled, BUY);
    await stops(/no longer shows http:\/\/127/, /./, open('leaves'), NEXT, settled, '{ act = "click", selector = "text=Buy" }');
    await stops(/no longer shows http:\/\/127/, /./, open('leaves'), NEXT, settled, '{ act = "press", key = "x" }');
    await stops(/the tab shows http:\/\/localhost/, /./, open('away'), BUY);
    await does('localhost pressed', open('leaves'), NEXT.replace(' }', ', wait = { url = "THERE/**" } }'), BUY);
    await does('localhost pressed', open('away').replace(' }', ', wait = { url = "THERE/own" } }'), BUY);
    // Where it begins is the person's choice.
    await does('localhost pressed', BUY);
    save('replaced', open('replaced'), BUY);
    const report = await run('replaced');
    assert.ok(!got.includes('localhost pressed'), JSON.stringify(report));
  });

  test('a step acts in the tab that a step opened, if it shows what the flow says', { timeout: 200_000 }, async () => {
    const opens = '{ act = "click", role = "button", name = "Open", wait = { tab = "THERE/*", seconds = 5 } }';
    await does('localhost a', open('opens'), opens, FILL.replace(' }', ', tab = 2 }'));
    await does('first', open('opens'), opens, '{ act = "click", role = "button", name = "First" }');
    save('misled', open('misleads'), opens, FILL.replace(' }', ', tab = 2 }'));
    const misled = await run('misled');
    assert.notEqual(misled.outcome, 'done', JSON.stringify(misled));
    assert.deepEqual(got, []);
    const resumed = await run('misled', '--from', '3');
    assert.match(resumed.steps[0].message, /open tabs could be tab 2/, 'two of that site are open');
  });

  test("a recording of Chrome's Recorder sets each element as what it is, in its frame and tab", { timeout: 200_000 }, async () => {
    const at = (name, css) => [[`aria/${name}`], [css], [`xpath///*[@name="${css}"]`], [`pierce/${css}`]];
    const change = (name, css, value, more = {}) => ({ type: 'change', value, selectors: at(name, css), target: 'main', ...more });
    const click = (name, css, more = {}) => ({ type: 'click', target: 'main', selectors: at(name, css), offsetY: 5, offsetX: 5, ...more });
    const arrives = (url) => [{ type: 'navigation', url, title: 'Shop' }];
    const recording = {
      title: 'An order',
      steps: [
        { type: 'setViewport', width: 900, height: 700, deviceScaleFactor: 1, isMobile: false, hasTouch: false, isLandscape: false },
        { type: 'navigate', url: `${here}/form`, assertedEvents: arrives(`${here}/form`) },
        click('Answer', '[name=answer]'),
        change('Answer', '[name=answer]', 'true'),
        change('Size', '[name=size]', 'l'),
        change('Gift', '[name=gift]', 'true'),
        { ...change('By post', '[name=way]', 'true'), selectors: ['[name=way]'] },
        change('News', '[name=news]', 'false'),
        change('Note', '[name=note]', 'false'),
        click('Order', 'button'),
      ],
    };
    const importing = async (name, of) => {
      const file = path.join(home.person, `${name}.json`);
      writeFileSync(file, JSON.stringify(of));
      await home.ok(['flow', 'import', name, file]);
      return run(name);
    };
    const ordered = await importing('order', recording);
    assert.equal(ordered.outcome, 'done', JSON.stringify(ordered));
    await until(() => got.length > 0, 'the order has arrived');
    assert.deepEqual(got, ['answer=true&size=l&gift=on&way=post&note=false']);
    const elsewhere = await importing('elsewhere', {
      title: 'Elsewhere',
      steps: [
        { type: 'navigate', url: `${here}/around`, assertedEvents: arrives(`${here}/around`) },
        change('Mail', '#mail', 'b', { target: `${there}/own` }),
        { type: 'navigate', url: `${here}/inner`, assertedEvents: arrives(`${here}/inner`) },
        change('Mail', '#mail', 'c', { frame: [0] }),
      ],
    });
    assert.equal(elsewhere.outcome, 'done', JSON.stringify(elsewhere));
    await until(() => got.length === 2, 'both frames were filled in');
    assert.deepEqual(got, ['localhost b', '127.0.0.1 c']);
    const text = readFileSync(path.join(home.home, 'flows/elsewhere.toml'), 'utf8');
    assert.match(text, /frame = "http:\/\/localhost:\d+"[\s\S]*frame = "own"/);
  });
});
