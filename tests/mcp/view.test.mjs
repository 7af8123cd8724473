/*
 * `gstack view`: a page in another browser of the person that shows gstack's browser live, answers approvals and takes the tab
 * over. And that nothing but that page, opened by a link that the person asked for, can do so.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect as connectTo } from 'node:net';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { DevTools } from '../e2e/harness/devtools.mjs';
import { Everyday } from '../e2e/harness/everyday.mjs';
import { TestHome, UNSEEN } from '../e2e/harness/home.mjs';
import { foreignBrowser } from '../e2e/harness/remote.mjs';
import { Scene } from '../e2e/harness/scene.mjs';
import { Site } from '../e2e/harness/site.mjs';
import { until, within } from '../e2e/harness/wait.mjs';
import { startClient } from './client.mjs';

const PASSWORD = 'Käse-und-Brot-91';

/** Starts a browser of the person, which gstack does not know. */
async function start(home) {
  const profile = path.join(home.folder, 'viewer');
  mkdirSync(profile, { recursive: true });
  const flags = ['--headless=new', '--remote-debugging-port=0', '--window-size=1280,900', `--user-data-dir=${profile}`];
  if (process.getuid() === 0) flags.push('--no-sandbox');
  const options = { env: home.environment, stdio: 'ignore' };
  const child = spawn(home.environment.GSTACK_BROWSER_PATH, [...flags, ...UNSEEN, 'about:blank'], options);
  const file = path.join(profile, 'DevToolsActivePort');
  await until(() => existsSync(file), 'the person has no browser');
  const [port, address] = readFileSync(file, 'utf8').split('\n');
  return { child, client: await DevTools.connect(`ws://127.0.0.1:${port}${address}`) };
}

/** Makes the page of a tab hang until the function that it returns is called. */
function hang(tab) {
  // Either fails once the loop is ended.
  tab.send('Runtime.evaluate', { expression: 'for (;;);' }).catch(() => {});
  return () => tab.send('Runtime.terminateExecution').catch(() => {});
}

const drawn = (page) => page.waitFor(`document.querySelector('#picture').width > 300`, 'a picture is drawn');
const says = (page, words) => page.waitFor(`document.querySelector('#says').textContent.includes(${JSON.stringify(words)})`, words);
/** Presses the mouse in the picture, at the middle of an element of the tab. */
const pressOn = async (page, tab, selector) => {
  const at = await tab.evaluate(`(({ x, y, width, height }) => ({ x: x + width / 2, y: y + height / 2 }))(
    document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect())`);
  const { x, y } = await page.evaluate(`(() => {
    const box = document.querySelector('#picture').getBoundingClientRect();
    return { x: box.x + ${at.x} * box.width / size.width, y: box.y + ${at.y} * box.height / size.height };
  })()`);
  for (const type of ['mousePressed', 'mouseReleased']) {
    await page.send('Input.dispatchMouseEvent', { type, x, y, button: 'left', clickCount: 1 });
  }
};
const takeOver = async (page) => {
  await page.waitFor(`!document.querySelector('#take').disabled`, 'the tab can be taken over');
  await page.click('#take');
  await page.waitFor(`document.body.classList.contains('taken')`, 'the tab is taken over');
};
const handBack = async (page) => {
  await page.click('#take');
  await page.waitFor(`!document.body.classList.contains('taken')`, 'the tab is handed back');
};
const open = async (viewer, url) => {
  const { targetId } = await viewer.client.send('Target.createTarget', { url });
  const page = await viewer.client.attach(targetId);
  page.close = () => viewer.client.send('Target.closeTarget', { targetId });
  return page;
};

describe('gstack view', () => {
  let scene;
  let daemon;
  let viewer;
  let mine;
  const link = async (...words) => (await scene.home.json('view', ...words)).url;
  /** Opens a view and waits for its picture. */
  const view = async (...words) => {
    const page = await open(viewer, await link(...words));
    await drawn(page);
    return page;
  };
  /** Returns a pixel of the picture, at a point of the tab. */
  const pixel = (page, x, y) =>
    page.evaluate(`(() => {
      const { width, height } = picture;
      const at = [${x} * width / size.width, ${y} * height / size.height];
      return [...picture.getContext('2d').getImageData(...at, 1, 1).data.slice(0, 3)];
    })()`);
  const looksLike = (page, [red, green, blue], words) =>
    until(async () => {
      const [r, g, b] = await pixel(page, 5, 5);
      return Math.abs(r - red) + Math.abs(g - green) + Math.abs(b - blue) < 40;
    }, words);
  /** Sends a request to gstack's port; returns `{ status, headers, text }`. */
  const send = (method, address, headers = {}, body = undefined) =>
    new Promise((resolve, reject) => {
      const asked = request({ host: '127.0.0.1', port: daemon.port, method, path: address, headers }, async (answer) => {
        let text = '';
        for await (const data of answer) text += data;
        resolve({ status: answer.statusCode, headers: answer.headers, text });
      });
      asked.on('error', reject);
      asked.end(body);
    });
  const own = () => ({ host: `127.0.0.1:${daemon.port}`, origin: `http://127.0.0.1:${daemon.port}`, 'content-type': 'application/json' });
  /** Opens a view without a page. `read` yields its messages; `act` sends acts. */
  const connect = async (...words) => {
    const secret = new URL(await link(...words)).hash.slice(1);
    const begun = await send('POST', '/view/begin', own(), JSON.stringify({ secret }));
    const [cookie] = begun.headers['set-cookie'][0].split(';');
    const headers = { ...own(), cookie, 'x-gstack-view': JSON.parse(begun.text).page };
    const stream = await new Promise((resolve, reject) => {
      const to = { host: '127.0.0.1', port: daemon.port, method: 'POST', path: '/view/stream', headers };
      request(to, resolve).on('error', reject).end('{}');
    });
    async function* read() {
      let bytes = Buffer.alloc(0);
      for await (const data of stream) {
        bytes = Buffer.concat([bytes, data]);
        while (bytes.length >= 8 && bytes.length >= 8 + bytes.readUInt32BE(0) + bytes.readUInt32BE(4)) {
          const [at, end] = [8 + bytes.readUInt32BE(0), 8 + bytes.readUInt32BE(0) + bytes.readUInt32BE(4)];
          yield { ...JSON.parse(bytes.subarray(8, at)), jpeg: bytes.subarray(at, end) };
          bytes = bytes.subarray(end);
        }
      }
    }
    return { read: read(), act: (...acts) => send('POST', '/view/act', headers, JSON.stringify(acts)) };
  };
  /** Returns the next message that is like this. */
  const next = async (read, like) => {
    for (;;) {
      const { value, done } = await within(read.next(), 'the view sends nothing');
      assert.ok(!done, 'the view has ended');
      if (like(value)) return value;
    }
  };
  const audit = async () => JSON.parse(await scene.home.ok(['audit', '--json']));

  before(async () => {
    scene = await Scene.open({ agent: false });
    daemon = JSON.parse(readFileSync(path.join(scene.home.home, 'browse.json'), 'utf8'));
    mine = (await scene.home.json('tabs')).data[0].id;
    viewer = await start(scene.home);
  });
  after(async () => {
    viewer?.client.close();
    viewer?.child.kill();
    await scene?.close();
  });

  test('shows the tab in use live, follows it, and says so when there is no picture', async () => {
    const page = await view();
    assert.equal(await page.evaluate('location.hash'), '', 'the secret leaves the address bar');
    assert.match(await page.evaluate(`document.querySelector('#source').textContent`), /a browser without a window on this computer/);
    await scene.page.evaluate(`document.body.style.background = 'rgb(0, 128, 0)'`);
    await looksLike(page, [0, 128, 0], 'the picture shows the change');
    // A reload is the same page.
    await page.send('Page.reload');
    await drawn(page);
    // Another tab, used by a command.
    await scene.home.ok(['newtab', `${scene.site.origin}/counter`]);
    const chosen = `document.querySelector('#tabs').selectedOptions[0].textContent`;
    await page.waitFor(`${chosen}.includes('ounter')`, 'the new tab is followed');
    await page.waitFor(`document.querySelector('#steps').textContent.includes('counter')`, 'its step is shown');
    const other = (await scene.home.json('tabs')).data.find((tab) => tab.id !== mine).id;
    const counter = await scene.home.page(scene.client, `${scene.site.origin}/counter`);
    await counter.evaluate(`document.body.style.background = 'rgb(0, 0, 200)'`);
    await looksLike(page, [0, 0, 200], "it shows that tab's picture");
    // A page that hangs, and one that has crashed.
    const goesOn = hang(counter);
    const stuck = scene.home.run(['text', '--tab', String(other)]);
    await says(page, 'does not respond');
    goesOn();
    await page.waitFor(`document.querySelector('#says').textContent === ''`, 'it responds again');
    await stuck;
    counter.send('Page.crash').catch(() => {});
    await says(page, 'has crashed');
    await scene.home.ok(['closetab', String(other)]);
    await page.waitFor(`document.querySelector('#says').textContent === ''`, 'the tab before it is shown');
    await looksLike(page, [0, 128, 0], 'its picture too');
    await page.close();
  });

  test('a link opens once, in the person’s browser alone', async () => {
    const url = await link();
    assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/view#[0-9a-f]{64}$/);
    const secret = new URL(url).hash.slice(1);
    const begin = (headers, body = { secret }) => send('POST', '/view/begin', headers, JSON.stringify(body));
    for (const [wrong, why] of [
      [{ ...own(), origin: undefined }, 'no origin'],
      [{ ...own(), origin: 'http://evil.example' }, 'another site'],
      [{ ...own(), origin: 'null' }, 'a sandboxed frame'],
      [{ ...own(), origin: `http://localhost:${daemon.port}` }, 'another name'],
      [{ ...own(), host: `evil.example:${daemon.port}`, origin: `http://evil.example:${daemon.port}` }, 'DNS rebinding'],
      [{ ...own(), 'sec-fetch-site': 'cross-site' }, 'a cross-site request'],
    ]) {
      const headers = Object.fromEntries(Object.entries(wrong).filter(([, value]) => value !== undefined));
      assert.equal((await begin(headers)).status, 403, why);
    }
    assert.equal((await begin(own(), { secret: `${secret.slice(1)}0` })).status, 404);
    assert.equal((await send('GET', '/view', { host: `127.0.0.1:${daemon.port}`, 'sec-fetch-dest': 'iframe' })).status, 403);
    const shown = await send('GET', '/view', { host: `127.0.0.1:${daemon.port}` });
    const rules = shown.headers['content-security-policy'];
    assert.match(rules, /^default-src 'none'; style-src 'sha256-[^']+'; script-src 'sha256-[^']+'; connect-src 'self';/);
    assert.match(rules, /frame-ancestors 'none'/);
    // Opened by hand: what a page gets.
    const begun = await begin(own());
    assert.equal(begun.status, 200);
    const [cookie] = begun.headers['set-cookie'];
    assert.match(cookie, /; HttpOnly; SameSite=Strict; Path=\/view$/);
    assert.equal((await begin(own())).status, 404, 'it opens once');
    const name = JSON.parse(begun.text).page;
    const act = (more) => send('POST', '/view/act', { ...own(), ...more }, '[{"do":"take"}]');
    const [pair] = cookie.split(';');
    assert.equal((await act({ cookie: pair })).status, 404, 'the cookie alone, as another tab has it');
    assert.equal((await act({ 'x-gstack-view': name })).status, 404, 'the name alone, as a script has it');
    assert.equal((await act({ 'x-gstack-view': name, cookie: pair })).status, 409, 'both, but nobody looks');
    // Another tab of that browser, with its cookies.
    const page = await view();
    const beside = await open(viewer, `http://127.0.0.1:${daemon.port}/view`);
    await says(beside, 'needs a link');
    assert.deepEqual(await page.evaluate(`[document.cookie, Boolean(sessionStorage.getItem('page'))]`), ['', true]);
    await beside.close();
    // An agent may not ask for a link, whatever it calls.
    const sock = (route) =>
      new Promise((resolve, reject) => {
        const headers = { host: 'localhost', authorization: 'Bearer wrong', 'content-type': 'application/json' };
        const to = { socketPath: path.join(scene.home.home, 'http.sock'), method: 'POST', path: route, headers };
        const asked = request(to, (answer) => resolve(answer.statusCode));
        asked.on('error', reject);
        asked.end('{}');
      });
    assert.equal(await sock('/view/open'), 403, "nor with an agent's token on the socket");
    // Nor act on the page, where the person opened it in the browser that the agent works in.
    const { targetId } = await scene.client.send('Target.createTarget', { url: await link() });
    const inside = await scene.client.attach(targetId);
    await inside.waitFor(`document.querySelector('#source').textContent.length > 0`, 'the page is there');
    await scene.home.ok(['policy', 'allow', 'act']);
    const shows = (await scene.home.json('tabs')).data.find((one) => one.url.includes('/view')).id;
    const client = await startClient(scene.home, 'asker', '--tab', String(shows));
    assert.match((await client.run('click', { selector: '#take' })).text, /no agent acts on the page that answers approvals/);
    for (const rule of (await scene.home.json('policy')).rules) await scene.home.ok(['policy', 'remove', rule.id]);
    await scene.client.send('Target.closeTarget', { targetId });
    const proof = { host: 'localhost', authorization: `Bearer ${daemon.token}`, 'content-type': 'application/json' };
    const bearer = await send('POST', '/view/open', proof, '{}');
    assert.equal(bearer.status, 403, 'nor does the port make one, even with the token');
    await client.client.close();
    for (const text of [scene.home.log(), JSON.stringify(await audit()), JSON.stringify(await scene.home.json('activity'))]) {
      assert.ok(!text.includes(secret) && !text.includes(name) && !text.includes(pair.split('=')[1]));
    }
    await page.close();
    await scene.home.ok(['view', 'end']);
  });

  test('an approval is answered there, by a press of the person that is not too early', async () => {
    const client = await startClient(scene.home, 'cursor <b>', '--tab', String(mine));
    const page = await view();
    const filling = client.run('fill', { selector: '#name', value: 'Ada' });
    const card = `document.querySelector('.card')`;
    await page.waitFor(card, 'the card is there');
    assert.match(await page.evaluate(`${card}.innerText`), /cursor <b> asks[\s\S]*#name[\s\S]*Deny\s+Allow once/);
    const allow = `${card}.querySelector('button:last-child')`;
    assert.equal(await page.evaluate(`${allow}.disabled`), true, 'not at once');
    await page.waitFor(`!${allow}.disabled`, 'it can be answered');
    await page.evaluate(`${allow}.click()`);
    assert.equal((await scene.home.json('approvals')).approvals.length, 1, 'a script presses nothing');
    await page.click('.card button:last-child');
    assert.ok(!(await filling).failed);
    await page.waitFor(`!${card}`, 'the card goes');
    const refused = client.run('click', { selector: 'button' });
    await page.waitFor(`${card} && !${card}.querySelector('button').disabled`, 'another card');
    await page.click('.card button');
    assert.ok((await refused).failed);
    const lines = (await audit()).filter(({ by, answer }) => by === 'link' && answer);
    assert.deepEqual(
      lines.map(({ answer }) => answer),
      ['allow-once', 'deny'],
    );
    await page.close();
    await client.client.close();
  });

  test('taking over sends mouse, keys and text to the page while the agent waits, and is in the audit', async () => {
    await scene.home.ok(['policy', 'allow', 'act', '--site', new URL(scene.site.origin).host]);
    const client = await startClient(scene.home, 'worker', '--tab', String(mine));
    await client.call('click', { selector: '#email' });
    const page = await view('--tab', String(mine));
    // Nothing is sent before it.
    await pressOn(page, scene.page, '#name');
    await takeOver(page);
    const blocked = client.run('click', { selector: '#email' });
    const value = (id) => scene.page.evaluate(`document.querySelector('${id}').value`);
    await scene.page.evaluate(`document.querySelector('#name').value = ''`);
    await pressOn(page, scene.page, '#name');
    await scene.page.waitFor(`document.activeElement?.id === 'name'`, 'the press arrives where it was made');
    await page.press('A', { code: 'KeyA', text: 'A', keyCode: 65 });
    await page.press('ß', { code: 'Minus', text: 'ß', keyCode: 189 });
    await page.insert('日本');
    await until(async () => (await value('#name')) === 'Aß日本', 'keys and composed text arrive in their order');
    // Ctrl+A, then a key replaces it.
    const ctrl = { key: 'a', code: 'KeyA', windowsVirtualKeyCode: 65, modifiers: 2 };
    await page.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', ...ctrl });
    await page.send('Input.dispatchKeyEvent', { type: 'keyUp', ...ctrl });
    await page.press('z', { code: 'KeyZ', text: 'z', keyCode: 90 });
    await until(async () => (await value('#name')) === 'z', 'a shortcut arrives');
    // AltGr types, although Windows reports Ctrl and Alt with it. DevTools has no AltGr, so the page is given the event.
    for (const down of [true, false]) {
      await page.evaluate(`key({ isTrusted: true, key: '@', code: 'KeyQ', keyCode: 81, location: 0, ctrlKey: true, altKey: true,
        getModifierState: (name) => name === 'AltGraph', preventDefault() {} }, ${down})`);
    }
    await until(async () => (await value('#name')) === 'z@', 'a letter of AltGr arrives, and is no shortcut');
    // F6 leaves the picture.
    await page.press('F6', { keyCode: 117 });
    assert.equal(await page.evaluate('document.activeElement.id'), 'take');
    await handBack(page);
    const answer = await blocked;
    assert.match(answer.text, /person took over/);
    const actions = (await audit()).filter(({ scope }) => scope === 'view').map(({ action, by }) => `${by}: ${action}`);
    assert.ok(actions.includes(`link: take over tab ${mine}`) && actions.includes(`link: hand back tab ${mine}`), actions.join('\n'));
    await page.close();
    await client.client.close();
  });

  test('a page that was closed while the tab was taken over left the agent paused for ever', async () => {
    await scene.home.ok(['goto', `${scene.site.origin}/form`]);
    await scene.home.ok(['policy', 'allow', 'act', '--site', new URL(scene.site.origin).host]);
    const client = await startClient(scene.home, 'closing', '--tab', String(mine));
    const handed = async () => (await audit()).filter(({ action }) => action === `hand back tab ${mine}`).length;
    const isPaused = async () => (await scene.home.run(['resume'])).stdout.includes('RESUMED');
    /** Takes the tab over in a page that is closed then. Returns the agent’s call, which waits. */
    const leave = async () => {
      await client.call('click', { selector: '#email' });
      const page = await view('--tab', String(mine));
      await takeOver(page);
      const blocked = client.run('click', { selector: '#email' });
      await page.close();
      return { blocked };
    };
    // Its end hands back.
    const first = await leave();
    const before = await handed();
    await scene.home.ok(['view', 'end']);
    assert.match((await first.blocked).text, /person took over/);
    assert.equal(await handed(), before + 1);
    assert.equal(await isPaused(), false);
    // A page that is opened later shows it as taken over, and hands it back.
    const second = await leave();
    const again = await view('--tab', String(mine));
    await again.waitFor(`document.body.classList.contains('taken')`, 'the tab is still taken over');
    await handBack(again);
    assert.match((await second.blocked).text, /person took over/);
    await again.close();
    // What was handed back in a terminal is not handed back again.
    const third = await leave();
    await until(isPaused, 'the tab is handed back in a terminal');
    assert.match((await third.blocked).text, /person took over/);
    const ended = await handed();
    await scene.home.ok(['view', 'end']);
    assert.equal(await handed(), ended, 'the end of the views has nothing to hand back');
    await client.client.close();
  });

  test('what the person types is in no record, also in a scrolled and zoomed page', async () => {
    await scene.home.ok(['goto', `${scene.site.origin}/login`]);
    const tab = await scene.home.page(scene.client, `${scene.site.origin}/login`);
    await tab.evaluate(`document.body.style.cssText = 'zoom: 1.5; padding-top: 3000px'; scrollTo(0, 99999)`);
    const page = await view('--tab', String(mine));
    await takeOver(page);
    await pressOn(page, tab, '#pw');
    await tab.waitFor(`document.activeElement?.id === 'pw'`, 'the press arrives in a scrolled, zoomed page');
    for (const letter of PASSWORD) await page.press(letter, { code: '', text: letter, keyCode: 0 });
    await until(async () => (await tab.evaluate(`document.querySelector('#pw').value`)) === PASSWORD, 'the password arrives');
    await handBack(page);
    const records = ['activity.jsonl', 'audit.jsonl', 'daemon.log'].map((name) => path.join(scene.home.home, name));
    for (const file of records.filter((file) => existsSync(file))) assert.ok(!readFileSync(file, 'utf8').includes('Brot'), file);
    await page.close();
  });

  test('a dialog of the page is shown and answered, once the tab is taken over', async () => {
    await scene.home.ok(['goto', `${scene.site.origin}/cart`]);
    const tab = await scene.home.page(scene.client, `${scene.site.origin}/cart`);
    const page = await view('--tab', String(mine));
    await takeOver(page);
    await pressOn(page, tab, '#empty');
    await page.waitFor(`!document.querySelector('#dialog').hidden`, 'the dialog is shown');
    assert.match(await page.evaluate(`document.querySelector('#dialog').innerText`), /Empty the cart\?/);
    await page.click('#dialog-yes');
    await tab.waitFor(`document.querySelector('#empty').textContent === 'emptied'`, 'the answer arrives');
    await page.waitFor(`document.querySelector('#dialog').hidden`, 'the dialog goes');
    await handBack(page);
    await page.close();
  });

  test('other pictures of the tab go on: a recording, a screenshot, a CDP client’s own screencast', async () => {
    await scene.home.ok(['goto', `${scene.site.origin}/form`]);
    const video = path.join(scene.home.person, 'v.webm');
    await scene.home.ok(['video', 'start', video]);
    let frames = 0;
    const forget = scene.client.on(({ method, params, sessionId }) => {
      if (method !== 'Page.screencastFrame') return;
      frames += 1;
      scene.client.send('Page.screencastFrameAck', { sessionId: params.sessionId }, sessionId).catch(() => {});
    });
    await scene.page.send('Page.startScreencast', { format: 'jpeg', maxWidth: 200, maxHeight: 200 });
    const page = await view();
    await scene.home.ok(['screenshot', path.join(scene.home.person, 'shot.png')]);
    await page.close();
    await scene.page.evaluate(`document.body.style.background = 'rgb(200, 0, 0)'`);
    const again = await view();
    await looksLike(again, [200, 0, 0], 'a view after a view');
    await again.close();
    const seen = frames;
    await scene.page.evaluate(`document.body.style.background = 'rgb(0, 0, 200)'`);
    await until(() => frames > seen, 'the client still gets its pictures after the view has ended');
    await scene.page.send('Page.stopScreencast');
    forget();
    await scene.home.ok(['video', 'stop']);
    assert.ok(readFileSync(video).length > 1000);
  });

  test('a page that hangs keeps nobody waiting: the view is told, does what the person asks and ends', async () => {
    await scene.home.ok(['newtab', `${scene.site.origin}/counter`]);
    const tab = (await scene.home.json('tabs')).data.find(({ id }) => id !== mine).id;
    const counter = await scene.home.page(scene.client, `${scene.site.origin}/counter`);
    await scene.home.ok(['tab', String(mine)]);
    const goesOn = hang(counter);
    const { read, act } = await connect('--tab', String(tab));
    const first = await next(read, ({ state }) => state);
    assert.deepEqual([first.state.tab, first.state.can], [tab, false], 'it is told before the tab is attached to');
    assert.equal((await act({ do: 'tab', id: mine })).status, 204);
    await next(read, ({ state }) => state?.chosen === mine);
    const { picture } = await next(read, (message) => message.picture);
    await act({ do: 'seen', number: picture.number }, { do: 'tab', id: tab });
    await next(read, ({ state }) => /does not respond/.test(state?.says));
    goesOn();
    await next(read, ({ state }) => state?.chosen === tab && state.says === null);
    await next(read, ({ picture }) => picture);
    hang(counter);
    const again = await connect('--tab', String(tab));
    await next(again.read, ({ state }) => state);
    await scene.home.ok(['view', 'end']);
    await next(again.read, ({ ended }) => /was ended/.test(ended));
    goesOn();
    await scene.home.ok(['closetab', String(tab)]);
  });

  test('a slow page gets the newest picture, and no queue of older ones', async () => {
    await scene.home.ok(['goto', `${scene.site.origin}/counter`, '--tab', String(mine)]);
    const tab = await scene.home.page(scene.client, `${scene.site.origin}/counter`);
    const { read, act } = await connect('--tab', String(mine));
    const colours = (last) =>
      tab.evaluate(`(async () => {
        for (let n = 0; n < 60; n += 1) {
          document.body.style.background = n < 59 ? \`rgb(\${n}, 0, \${n})\` : '${last}';
          await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
        }
      })()`);
    await colours('rgb(90, 0, 0)');
    // It draws none of them: two are on their way, and the newest waits.
    await colours('rgb(0, 160, 0)');
    const looks = await open(viewer, 'about:blank');
    for (;;) {
      const { picture, jpeg } = await next(read, (message) => message.picture);
      await act({ do: 'seen', number: picture.number });
      const [red, green, blue] = await looks.evaluate(`(async () => {
        const data = await (await fetch('data:image/jpeg;base64,${jpeg.toString('base64')}')).blob();
        const canvas = new OffscreenCanvas(8, 8).getContext('2d');
        canvas.drawImage(await createImageBitmap(data), 0, 0);
        return [...canvas.getImageData(5, 5, 1, 1).data];
      })()`);
      assert.ok(picture.number < 12, `${picture.number} pictures of 120`);
      if (red < 20 && Math.abs(green - 160) < 20 && blue < 20) break;
    }
    await looks.close();
    await scene.home.ok(['view', 'end']);
  });

  test('nothing is sent to a page that is hidden, and it shows the tab as it is once it is in view', async () => {
    await scene.home.ok(['goto', `${scene.site.origin}/counter`, '--tab', String(mine)]);
    const page = await view('--tab', String(mine));
    const hide = (hidden) =>
      page.evaluate(`Object.defineProperty(document, 'hidden', { value: ${hidden}, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'))`);
    const status = () => page.evaluate(`post('act', [{ do: 'seen', number: 0 }]).then(({ status }) => status)`);
    assert.equal(await status(), 204);
    await hide(true);
    await until(async () => (await status()) === 409, 'its task ends, and the screencast with it');
    const tab = await scene.home.page(scene.client, `${scene.site.origin}/counter`);
    await tab.evaluate(`document.body.style.background = 'rgb(160, 0, 160)'`);
    await hide(false);
    await looksLike(page, [160, 0, 160], 'the picture of now');
    assert.equal(await status(), 204);
    await page.close();
  });

  test('a page that goes away is noticed at once, also if its request came in two parts', async () => {
    const secret = new URL(await link()).hash.slice(1);
    const begun = await send('POST', '/view/begin', own(), JSON.stringify({ secret }));
    const [cookie] = begun.headers['set-cookie'][0].split(';');
    const headers = { ...own(), cookie, 'x-gstack-view': JSON.parse(begun.text).page };
    const status = async () => (await send('POST', '/view/act', headers, '[{"do":"seen","number":0}]')).status;
    const socket = connectTo(daemon.port, '127.0.0.1');
    const lines = Object.entries({ ...headers, 'content-length': 2 }).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`POST /view/stream HTTP/1.1\r\n${lines.join('')}\r\n`);
    assert.equal(await status(), 409, 'nothing is connected before the request is complete');
    socket.write('{}');
    await until(async () => (await status()) === 204, 'it is connected');
    socket.destroy();
    await until(async () => (await status()) === 409, 'its task ends');
    await scene.home.ok(['view', 'end']);
  });

  test('a connection that the page has given up does not end its next one, whichever arrives first', async () => {
    const secret = new URL(await link()).hash.slice(1);
    const begun = await send('POST', '/view/begin', own(), JSON.stringify({ secret }));
    const [cookie] = begun.headers['set-cookie'][0].split(';');
    const headers = { ...own(), cookie, 'x-gstack-view': JSON.parse(begun.text).page };
    const to = { host: '127.0.0.1', port: daemon.port, method: 'POST', path: '/view/stream', headers };
    const newer = await new Promise((resolve, reject) => {
      request(to, resolve).on('error', reject).end('{"document":"a","number":2}');
    });
    const older = await send('POST', '/view/stream', headers, '{"document":"a","number":1}');
    assert.equal(older.status, 409, older.text);
    assert.equal((await send('POST', '/view/act', headers, '[{"do":"seen","number":0}]')).status, 204);
    newer.destroy();
    await scene.home.ok(['view', 'end']);
  });

  test('a popup of the tab in use is followed, and a prompt is answered with a text', async () => {
    await scene.home.ok(['goto', `${scene.site.origin}/counter`, '--tab', String(mine)]);
    const page = await view();
    const tab = await scene.home.page(scene.client, `${scene.site.origin}/counter`);
    await tab.send('Runtime.evaluate', { expression: `void open('/form')`, userGesture: true });
    const shown = `document.querySelector('#tabs').selectedOptions[0].textContent`;
    await page.waitFor(`${shown}.includes('orm')`, 'the popup is shown');
    const inside = await scene.home.page(scene.client, `${scene.site.origin}/form`);
    await inside.evaluate(`document.body.style.background = 'rgb(0, 90, 200)'`);
    await looksLike(page, [0, 90, 200], 'its picture too');
    await inside.evaluate('close()').catch(() => {});
    await page.waitFor(`${shown}.includes('ounter')`, 'its opener is shown again');
    await takeOver(page);
    await tab.evaluate(`setTimeout(() => { document.body.dataset.name = prompt('Your name?', 'Ada'); }); 0`);
    await page.waitFor(`!document.querySelector('#dialog-input').closest('[hidden]')`, 'the prompt is shown');
    assert.equal(await page.evaluate(`document.querySelector('#dialog-input').value`), 'Ada', 'with what it suggests');
    await page.evaluate(`document.querySelector('#dialog-input').select()`);
    await page.click('#dialog-input');
    await page.insert(' Lovelace');
    await page.click('#dialog-yes');
    await tab.waitFor(`document.body.dataset.name === 'Ada Lovelace'`, 'the text arrives');
    await handBack(page);
    await page.close();
  });

  test('the newest picture is shown, also when gstack was busy while the tab changed', async () => {
    const page = await view('--tab', String(mine));
    process.kill(daemon.pid, 'SIGSTOP');
    try {
      // The browser drops pictures while those before wait for gstack.
      await scene.page.evaluate(`(async () => {
        for (let n = 1; n <= 30; n += 1) {
          document.body.style.background = \`rgb(\${n}, 0, \${n})\`;
          await new Promise(requestAnimationFrame);
        }
        document.body.style.background = 'rgb(0, 160, 160)';
        await new Promise(requestAnimationFrame);
      })()`);
    } finally {
      process.kill(daemon.pid, 'SIGCONT');
    }
    await looksLike(page, [0, 160, 160], 'the newest picture');
    await page.close();
  });

  test('it is ended from the terminal and by the end of gstack, with a sentence', async () => {
    const page = await view();
    assert.match(await scene.home.ok(['view', 'end']), /Ended \d+ views?\./);
    await says(page, 'This page was ended');
    assert.equal(await page.evaluate(`document.querySelector('#take').disabled`), true);
    await page.send('Page.reload');
    await says(page, 'no longer shows the browser');
    await page.close();
    const last = await view();
    await scene.home.ok(['stop']);
    await says(last, 'gstack has ended');
    await last.close();
  });
});

test('an everyday browser is shown through its extension, and its tab is taken over', async () => {
  const home = new TestHome();
  mkdirSync(home.home, { mode: 0o700 });
  const site = await Site.start();
  const everyday = await Everyday.start(home, { url: `${site.origin}/counter` });
  const viewer = await start(home);
  try {
    const tab = await everyday.page(site.origin);
    await home.ok(['connect', '--everyday']);
    const page = await open(viewer, (await home.json('view')).url);
    await drawn(page);
    assert.match(
      await page.evaluate(`document.querySelector('#source').textContent`),
      /your everyday browser, through the gstack extension/,
    );
    await takeOver(page);
    await pressOn(page, tab, 'button');
    await tab.waitFor(`count.textContent === '1'`, 'the press arrives');
    await handBack(page);
  } finally {
    viewer.client.close();
    viewer.child.kill();
    await everyday.stop();
    await home.stop();
    await site.stop();
  }
});

test('a browser on another computer is shown, and its tab is taken over', async () => {
  const home = new TestHome();
  const [site, remote] = await Promise.all([Site.start(), foreignBrowser()]);
  const viewer = await start(home);
  try {
    await home.ok(['connect', '--cdp', remote.websocket]);
    await home.ok(['goto', `${site.origin}/counter`]);
    const page = await open(viewer, (await home.json('view')).url);
    await drawn(page);
    assert.match(
      await page.evaluate(`document.querySelector('#source').textContent`),
      /a browser (?:on another computer|on this computer that gstack did not start)/,
    );
    await takeOver(page);
    const at = JSON.parse(
      await home.ok([
        'js',
        `JSON.stringify((({ x, y }) => ({ x: x + 4, y: y + 4 }))(document.querySelector('button').getBoundingClientRect()))`,
      ]),
    );
    const { x, y } = await page.evaluate(`(() => {
      const box = document.querySelector('#picture').getBoundingClientRect();
      return { x: box.x + ${at.x} * box.width / size.width, y: box.y + ${at.y} * box.height / size.height };
    })()`);
    for (const type of ['mousePressed', 'mouseReleased'])
      await page.send('Input.dispatchMouseEvent', { type, x, y, button: 'left', clickCount: 1 });
    await home.ok(['wait', '--text', '1']);
    await handBack(page);
  } finally {
    viewer.client.close();
    viewer.child.kill();
    await home.stop();
    await remote.end();
    await site.stop();
  }
});
