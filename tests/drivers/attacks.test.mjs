/* A hostile CDP client, and a hostile process beside one: nothing beyond the leased tabs is reached, and nothing is left. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import WebSocket from 'ws';
import { TestHome } from '../e2e/harness/home.mjs';
import { until } from '../e2e/harness/wait.mjs';
import { Raw } from './raw.mjs';
import { startShop } from './shop.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));

/** Returns the outcome of a WebSocket handshake: `open`, or the status of the refusal. */
async function handshake(url, options = {}) {
  const socket = new WebSocket(url, options);
  return new Promise((resolve) => {
    socket.once('open', () => {
      socket.terminate();
      resolve('open');
    });
    socket.once('unexpected-response', (_, response) => {
      response.resume();
      resolve(response.statusCode);
    });
    socket.once('error', (error) => resolve(error.code));
  });
}

describe('a hostile CDP client', () => {
  let home;
  let shop;
  let mine;

  const address = async (...args) => (await home.ok(['cdp', ...args])).trim();
  const drivers = async () => (await home.json('status')).drivers ?? [];
  const noDriver = () => until(async () => (await drivers()).length === 0, 'the lease has ended');

  before(async () => {
    home = new TestHome();
    shop = await startShop();
    await home.connect(['--headless', `${shop.origin}/other`]);
    [mine] = JSON.parse(await home.ok(['tabs', '--json'])).data;
  });
  after(async () => {
    await shop?.stop();
    assert.deepEqual(await home.stop(), [], 'nothing is left behind');
  });

  test('a page in a context of the client has the cookies of that context, never those of the default one', async () => {
    const raw = await Raw.open(await address('--allow', 'cookies'));
    const first = await raw.page();
    const { browserContextId } = (await raw.send('Target.createBrowserContext')).result;
    const { targetId } = (await raw.send('Target.createTarget', { url: `${shop.origin}/other`, browserContextId })).result;
    const { sessionId } = (await raw.send('Target.attachToTarget', { targetId, flatten: true })).result;
    const names = async (session, params) => (await raw.send('Storage.getCookies', params, session)).result.cookies.map(({ name }) => name);
    const cookie = (name) => ({ cookies: [{ name, value: '1', url: shop.origin }] });
    await raw.send('Storage.setCookies', cookie('outside'), first.session);
    assert.ok(!(await names(sessionId)).includes('outside'));
    await raw.send('Storage.setCookies', cookie('inside'), sessionId);
    assert.ok((await names(sessionId)).includes('inside'));
    assert.ok((await names(undefined, { browserContextId })).includes('inside'));
    await raw.send('Storage.clearCookies', {}, sessionId);
    assert.deepEqual(await names(sessionId), []);
    const left = await names(first.session);
    assert.ok(left.includes('outside') && !left.includes('inside'), left.join());
    const theirs = (await (await home.devtools()).send('Target.createBrowserContext')).browserContextId;
    for (const session of [undefined, sessionId])
      assert.match((await raw.send('Storage.getCookies', { browserContextId: theirs }, session)).error.message, /No browser context/);
    raw.socket.close();
    await noDriver();
  });

  test('what --allow grants works for that client, and is refused to one without it', async () => {
    for (const [grant, method, params] of [
      ['cookies', 'Storage.getCookies', {}],
      ['permissions', 'Browser.grantPermissions', { origin: shop.origin, permissions: ['geolocation'] }],
      ['profiling', 'HeapProfiler.enable', {}],
    ]) {
      const without = await Raw.open(await address());
      const plain = await without.page();
      const inPage = method.startsWith('HeapProfiler');
      const refused = await without.send(method, params, inPage ? plain.session : undefined);
      assert.match(refused.error?.message ?? '', new RegExp(`--allow ${grant}`), method);
      without.socket.close();
      await noDriver();
      const granted = await Raw.open(await address('--allow', grant));
      const page = await granted.page();
      const answer = await granted.send(method, params, inPage ? page.session : undefined);
      assert.ok(answer.result && !answer.error, `${method}: ${JSON.stringify(answer)}`);
      granted.socket.close();
      await noDriver();
    }
  });

  test('a wrong secret, a foreign host, an origin and a second use are refused, and the audit has them', async () => {
    const url = await address();
    const { port, pathname } = new URL(url);
    const wrong = `ws://127.0.0.1:${port}/devtools/browser/${'0'.repeat(64)}`;
    for (const [target, options] of [
      [wrong],
      [`ws://127.0.0.1:${port}/devtools/browser/`],
      [`ws://127.0.0.1:${port}/`],
      [url.slice(0, -1)],
      [`${url}0`],
      [url, { headers: { Host: 'evil.example' } }],
      [url, { headers: { Host: `evil.example:${port}` } }],
      [url, { origin: 'https://evil.example' }],
      [url, { origin: `http://127.0.0.1:${port}` }],
      [url, { headers: { 'Sec-Fetch-Site': 'same-origin' } }],
    ]) {
      assert.equal(await handshake(target, options), 403, `${target} ${JSON.stringify(options)}`);
    }
    const status = (address) => new Promise((resolve) => get(address, (response) => resolve(response.resume().statusCode)));
    for (const open of ['json/version', 'json', 'json/list', 'devtools/browser', `${'0'.repeat(64)}/json/version`]) {
      assert.equal(await status(`http://127.0.0.1:${port}/${open}`), 403, open);
    }
    assert.equal(await status(`http://127.0.0.1:${port}/${pathname.split('/').pop()}/json/version`), 200);
    const first = await Raw.open(url);
    await first.send('Browser.getVersion');
    assert.ok([403, 'ECONNREFUSED', 'ECONNRESET'].includes(await handshake(url)), 'it was used');
    first.socket.close();
    await noDriver();
    assert.ok([403, 'ECONNREFUSED', 'ECONNRESET'].includes(await handshake(url)), 'it was used');
    const audit = await home.ok(['audit']);
    for (const why of ['wrong secret', 'foreign host', 'sent by a web page']) assert.ok(audit.includes(why), why);
  });

  test('an address is listed without its secret, ends when revoked with its connection, and expires', async () => {
    const url = await address('--reconnect', '--name', 'ci');
    const secret = new URL(url).pathname.split('/').pop();
    const listed = await home.ok(['cdp', 'list']);
    assert.ok(listed.includes('waits for ci') && !listed.includes(secret), listed);
    const raw = await Raw.open(url);
    await raw.send('Browser.getVersion');
    assert.equal(await handshake(url), 403, 'one connection at a time');
    raw.socket.close();
    await noDriver();
    // The address waits for the client once its tabs are closed.
    await until(async () => (await home.ok(['cdp', 'list'])).includes('waits for ci'), 'it waits again');
    const again = await Raw.open(url);
    const id = /^(\w+)/.exec(await home.ok(['cdp', 'list']))[1];
    await home.ok(['cdp', 'revoke', id]);
    assert.match(await again.closed, /revoked/);
    await noDriver();
    const short = await address('--ttl', '1s');
    await until(async () => (await handshake(short)) === 'ECONNREFUSED', 'it has expired');
    const log = readFileSync(path.join(home.home, 'audit.jsonl'), 'utf8') + readFileSync(path.join(home.home, 'daemon.log'), 'utf8');
    assert.ok(!log.includes(secret), 'the secret is written nowhere');
  });

  test('it sees and reaches no tab but its own', async () => {
    const raw = await Raw.open(await address());
    await raw.send('Target.setDiscoverTargets', { discover: true, filter: [{}] });
    const { session } = await raw.page();
    const all = (await home.devtools()).send ? await home.devtools() : undefined;
    const foreign = (await all.send('Target.getTargets')).targetInfos.filter((one) => one.url.endsWith('/other'));
    assert.ok(foreign.length > 0);
    // Another client of the browser has a context, with a cookie.
    const theirs = (await all.send('Target.createBrowserContext')).browserContextId;
    for (const { targetId } of foreign) {
      for (const method of ['attachToTarget', 'getTargetInfo', 'closeTarget', 'activateTarget']) {
        const { error } = await raw.send(`Target.${method}`, { targetId, flatten: true });
        assert.match(error?.message ?? 'it is done', /No target with given id/, method);
      }
      assert.ok((await raw.send('Browser.getWindowForTarget', { targetId })).error);
    }
    for (const [method, params] of [
      ['Target.attachToBrowserTarget', {}],
      ['Target.exposeDevToolsProtocol', { targetId: foreign[0].targetId }],
      ['Target.sendMessageToTarget', { targetId: foreign[0].targetId, message: '{}' }],
      ['Target.createBrowserContext', { proxyServer: 'http://127.0.0.1:1' }],
      ['Target.createBrowserContext', { originsWithUniversalNetworkAccess: ['http://127.0.0.1'] }],
      ['Target.createTarget', { url: 'about:blank', browserContextId: theirs }],
      ['Target.disposeBrowserContext', { browserContextId: theirs }],
      ['Storage.getCookies', { browserContextId: theirs }],
      ['Target.createTarget', { url: 'file:///etc/passwd' }],
      ['Target.createTarget', { url: 'chrome://settings' }],
      ['Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: false, flatten: false }],
      ['Storage.getCookies', {}],
      ['Browser.setPermission', { permission: { name: 'camera' }, setting: 'granted' }],
      ['Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: '/etc' }],
      ['Browser.crash', {}],
      ['SystemInfo.getProcessInfo', {}],
      ['Extensions.loadUnpacked', { path: '/' }],
      ['Runtime.evaluate', { expression: '1' }],
    ]) {
      assert.ok((await raw.send(method, params)).error, `${method} of the browser`);
    }
    assert.ok((await raw.send('Runtime.evaluate', { expression: '1' }, 'F'.repeat(32))).error, 'a session that is not its own');
    await raw.send('Page.enable', {}, session);
    await raw.send('Page.navigate', { url: `${shop.origin}/order` }, session);
    await all.send('Target.disposeBrowserContext', { browserContextId: theirs });
    const secret = path.join(home.home, 'secret.txt');
    writeFileSync(secret, 'key');
    // Another program's file in the temporary folder, also by a way up and by a link in the client's own folder.
    const foreignFile = path.join(tmpdir(), `theirs-${process.pid}.txt`);
    writeFileSync(foreignFile, 'x');
    symlinkSync(foreignFile, path.join(home.person, 'link.txt'));
    let objectId;
    await until(async () => {
      const found = await raw.send('Runtime.evaluate', { expression: "document.querySelector('#file')" }, session);
      objectId = found.result?.result.objectId;
      return objectId !== undefined;
    }, 'the page has its field');
    const own = path.join(home.person, 'own.txt');
    writeFileSync(own, 'x');
    assert.ok(!(await raw.send('DOM.setFileInputFiles', { files: [own], objectId }, session)).error, 'its own file');
    // After the check, and before the page reads it, the file becomes a link.
    rmSync(own);
    symlinkSync(secret, own);
    const chosen =
      "(async () => { const [file] = document.querySelector('#file').files; return file.name + ': ' + (await file.text()); })()";
    const read = await raw.send('Runtime.evaluate', { expression: chosen, awaitPromise: true }, session);
    assert.equal(read.result.result.value, 'own.txt: x');
    // Dropped files too.
    rmSync(own);
    writeFileSync(own, 'dropped');
    const watch = `(() => { window.dropped = undefined; document.ondragover = (event) => event.preventDefault();
      document.ondrop = (event) => { event.preventDefault(); window.dropped = event.dataTransfer.files[0]; }; })()`;
    await raw.send('Runtime.evaluate', { expression: watch }, session);
    const data = { items: [], files: [own], dragOperationsMask: 1 };
    for (const type of ['dragEnter', 'dragOver', 'drop'])
      assert.ok(!(await raw.send('Input.dispatchDragEvent', { type, x: 5, y: 5, data }, session)).error, type);
    rmSync(own);
    symlinkSync(secret, own);
    const drop = "(async () => window.dropped && window.dropped.name + ': ' + (await window.dropped.text()))()";
    const inside = await until(async () => {
      const { result } = await raw.send('Runtime.evaluate', { expression: drop, awaitPromise: true }, session);
      return result.result.value;
    }, 'the page got the dropped file');
    assert.equal(inside, 'own.txt: dropped');
    for (const [method, params] of [
      ['Page.navigate', { url: 'file:///etc/passwd' }],
      ['Page.navigate', { url: 'chrome://version' }],
      ['Page.navigate', { url: 'http://169.254.169.254/' }],
      ['Page.navigate', { url: 'view-source:file:///etc/passwd' }],
      ['Page.close', {}],
      ['Fetch.continueRequest', { requestId: 'x', url: 'file:///etc/passwd' }],
      ['DOM.setFileInputFiles', { files: ['/etc/passwd'], objectId }],
      ['DOM.setFileInputFiles', { files: [secret], objectId }],
      ...[foreignFile, path.relative(home.person, foreignFile), path.join(home.person, 'link.txt'), 'link.txt'].map((file) => [
        'DOM.setFileInputFiles',
        { files: [file], objectId },
      ]),
      ['Network.getAllCookies', {}],
      ['Network.getCookies', { urls: ['https://bank.example/'] }],
      ['Network.setCookie', { name: 'a', value: 'b', url: 'https://bank.example/' }],
      ['Network.loadNetworkResource', { url: 'file:///etc/passwd', options: { disableCache: true, includeCredentials: true } }],
      ['IndexedDB.requestDatabaseNames', { securityOrigin: shop.origin }],
      ['IO.read', { handle: '1' }],
      ['HeapProfiler.takeHeapSnapshot', {}],
      ['ServiceWorker.enable', {}],
    ]) {
      // It opened this tab itself, so it may close it.
      if (method !== 'Page.close') assert.ok((await raw.send(method, params, session)).error, `${method} ${JSON.stringify(params)}`);
    }
    rmSync(foreignFile);
    const seen = JSON.stringify(raw.events);
    assert.ok(!seen.includes('/other') && !foreign.some(({ targetId }) => seen.includes(targetId)), 'no event names another tab');
    assert.match(await home.ok(['audit']), /Page\.navigate/);
    const { tabs } = (await drivers())[0];
    const open = async () => (await home.json('tabs')).data.filter(({ id }) => tabs.includes(id)).length;
    assert.equal(await open(), tabs.length);
    raw.socket.close();
    await noDriver();
    await until(async () => (await open()) === 0, 'the tabs that it opened are closed');
  });

  test('no frame of an extension is reached: a PDF is shown by one that sees every tab', async () => {
    const devtools = await home.devtools();
    for (const where of ['/report.pdf', '/reports']) {
      const raw = await Raw.open(await address('--keep-tabs'));
      const { session } = await raw.page();
      const inside = { autoAttach: true, waitForDebuggerOnStart: false, flatten: true, filter: [{}] };
      await raw.send('Target.setAutoAttach', inside);
      await raw.send('Target.setAutoAttach', inside, session);
      await raw.send('Page.enable', {}, session);
      await raw.send('Page.navigate', { url: shop.origin + where }, session);
      const viewer = await devtools.target(({ type, url }) => type === 'iframe' && url.startsWith('chrome-extension://'), 'the viewer');
      assert.ok((await raw.send('Target.attachToTarget', { targetId: viewer.targetId, flatten: true })).error);
      assert.ok((await raw.send('Page.createIsolatedWorld', { frameId: viewer.targetId }, session)).error);
      const attached = raw.events.filter(({ method }) => method === 'Target.attachedToTarget').map(({ params }) => params);
      for (const { sessionId, targetInfo } of attached.filter((one) => one.targetInfo.type !== 'page' && one.targetInfo.type !== 'tab')) {
        const expression = 'location.href + typeof chrome?.tabs';
        const { error } = await raw.send('Runtime.evaluate', { expression }, sessionId);
        assert.match(error?.message ?? 'it ran', /Session with given id not found/, JSON.stringify(targetInfo));
      }
      const shown = await raw.send('Runtime.evaluate', { expression: 'location.pathname' }, session);
      assert.equal(shown.result?.result.value, where, 'the page itself is still its own');
      // A client that comes later finds the viewer there.
      const { tabs } = (await drivers())[0];
      raw.socket.close();
      await noDriver();
      const later = await Raw.open(await address('--tabs', tabs.join(',')));
      const again = (await later.page()).session;
      await later.send('Target.setAutoAttach', inside, again);
      assert.ok((await later.send('Target.attachToTarget', { targetId: viewer.targetId, flatten: true })).error);
      assert.ok(!JSON.stringify(later.events).includes(viewer.targetId), 'it is told of no such frame');
      later.socket.close();
      await noDriver();
      await home.ok(['closetab', ...tabs.map(String)]);
      await devtools.gone(viewer.targetId, 'the viewer');
    }
  });

  test("a script of a client runs in no file and in no page of the browser, which the tab's history leads to", async () => {
    const file = path.join(home.person, 'diary.html');
    writeFileSync(file, '<title>Diary</title><p>dear diary</p>');
    const person = await home.page(await home.devtools(), `${shop.origin}/other`);
    for (const early of [`file://${file}`, 'chrome://version/']) {
      for (const later of [early, `${shop.origin}/other`]) {
        await person.send('Page.navigate', { url: later });
        await until(async () => (await person.evaluate('location.href')) === later, `it shows ${later}`);
      }
      const raw = await Raw.open(await address('--tabs', String(mine.id)));
      const { session } = await raw.page();
      const leak = (as) =>
        `new Image().src = '${shop.origin}/leak?${as}-' + encodeURIComponent(location.protocol); document.title = 'Mallory'`;
      await raw.send('Page.enable', {}, session);
      await raw.send('Debugger.enable', {}, session);
      await raw.send('Page.addScriptToEvaluateOnNewDocument', { source: `${leak('planted')}; function location() {}` }, session);
      await raw.send('Page.addScriptToEvaluateOnNewDocument', { source: leak('planted') }, session);
      await raw.send('Page.addScriptToEvaluateOnNewDocument', { source: leak('world'), worldName: 'mine' }, session);
      await raw.send('Debugger.setBreakpointByUrl', { urlRegex: '.*', lineNumber: 0, condition: `${leak('stopped')}, false` }, session);
      await raw.send('Page.reload', {}, session);
      await until(() => shop.asked.includes('GET /leak?planted-http%3A'), 'the script runs in web pages');
      await until(() => shop.asked.includes('GET /leak?world-http%3A'), 'in a world of its own too');
      const back = raw.send('Runtime.evaluate', { expression: 'history.back()' }, session);
      await until(async () => (await person.evaluate('location.href')) === early, `it is back at ${early}`);
      await back;
      for (let count = 0; count < 50; count++) raw.send('Runtime.evaluate', { expression: leak('sent') }, session);
      await until(async () => (await home.json('tabs')).data.find(({ id }) => id === mine.id).url === early, 'gstack knows');
      assert.ok((await raw.send('Runtime.evaluate', { expression: '1' }, session)).error, 'its session has ended');
      await until(async () => (await person.evaluate('document.readyState')) === 'complete', 'it has loaded');
      assert.notEqual(await person.evaluate('document.title'), 'Mallory', early);
      raw.socket.close();
      await noDriver();
      shop.asked.splice(0, shop.asked.length, ...shop.asked.filter((one) => !one.includes('http%3A')));
      assert.deepEqual(
        shop.asked.filter((one) => one.includes('/leak')),
        [],
        early,
      );
    }
    await person.send('Page.navigate', { url: `${shop.origin}/other` });
    await until(async () => (await home.json('tabs')).data.find(({ id }) => id === mine.id).url.endsWith('/other'), 'gstack knows');
  });

  test('it removes no script and no binding but its own, and odd parameters are errors', async () => {
    const raw = await Raw.open(await address());
    const { session } = await raw.page();
    const send = (method, params) => raw.send(method, params, session);
    await send('Page.enable', {});
    await send('Page.navigate', { url: `${shop.origin}/other` });
    for (let guess = 0; guess < 8; guess++) {
      assert.ok((await send('Page.removeScriptToEvaluateOnNewDocument', { identifier: String(guess) })).error, String(guess));
    }
    const { identifier } = (await send('Page.addScriptToEvaluateOnNewDocument', { source: '1' })).result;
    assert.ok(!(await send('Page.removeScriptToEvaluateOnNewDocument', { identifier })).error);
    for (const method of ['Runtime.addBinding', 'Runtime.removeBinding']) {
      assert.ok((await send(method, { name: 'gstackPersonActs' })).error, method);
    }
    assert.ok((await send('Runtime.removeBinding', { name: 'told' })).error);
    assert.ok(!(await send('Runtime.addBinding', { name: 'told' })).error);
    assert.ok(!(await send('Runtime.removeBinding', { name: 'told' })).error);
    for (const [method, params] of [
      ['Network.setCookies', { cookies: ['x'] }],
      ['Network.setCookies', { cookies: [[1]] }],
      ['Network.setCookie', []],
      ['Page.addScriptToEvaluateOnNewDocument', { source: 1 }],
      ['Page.reload', { scriptToEvaluateOnLoad: {} }],
      ['Input.dispatchDragEvent', { data: 'x' }],
      ['DOM.setFileInputFiles', { files: {} }],
      ['Fetch.continueRequest', { requestId: 'x', url: null }],
    ]) {
      assert.ok((await send(method, params)).error, `${method} ${JSON.stringify(params)}`);
    }
    assert.ok((await send('Runtime.evaluate', { expression: '1' })).result, 'it goes on');
    raw.socket.close();
    await noDriver();
  });

  test("the person's tab can be given and taken back, and stays open", async () => {
    await home.ok(['viewport', '640x480', '--tab', String(mine.id)]);
    const width = async () => (await home.ok(['js', 'innerWidth', '--tab', String(mine.id)])).match(/^\d+$/m)[0];
    const raw = await Raw.open(await address('--tabs', String(mine.id)));
    const { targetId, session } = await raw.page();
    const size = { width: 800, height: 600, deviceScaleFactor: 1, mobile: false };
    await raw.send('Emulation.setDeviceMetricsOverride', size, session);
    assert.equal(await width(), '800');
    const shown = await raw.send('Runtime.evaluate', { expression: 'document.title' }, session);
    assert.equal(shown.result.result.value, 'Other');
    assert.match((await raw.send('Target.closeTarget', { targetId })).error.message, /only the person closes it/);
    assert.match((await raw.send('Page.close', {}, session)).error.message, /only the person closes it/);
    const refused = (await home.run(['cdp', '--tabs', String(mine.id)])).stderr;
    assert.match(refused, new RegExp(`leased by[^]*gstack release ${mine.id}`));
    await raw.send('Page.addScriptToEvaluateOnNewDocument', { source: 'globalThis.left = 1' }, session);
    await raw.send('Emulation.setTimezoneOverride', { timezoneId: 'Asia/Tokyo' }, session);
    await home.ok(['release', String(mine.id)]);
    await until(() => raw.events.some((event) => event.method === 'Target.detachedFromTarget'), 'it is told');
    assert.ok((await raw.send('Runtime.evaluate', { expression: '1' }, session)).error);
    assert.ok((await raw.send('Target.attachToTarget', { targetId, flatten: true })).error);
    await home.ok(['reload', '--tab', String(mine.id)]);
    const left = await home.ok(['js', 'typeof left + Intl.DateTimeFormat().resolvedOptions().timeZone', '--tab', String(mine.id)]);
    assert.ok(left.includes('undefined') && !left.includes('Tokyo'), left);
    await until(async () => (await width()) === '640', "the person's viewport is set again");
    raw.socket.close();
    await noDriver();
  });

  test('garbage, half a frame, an oversized message and a flood end the client and nothing else', async () => {
    for (const garbage of ['nonsense', '[]', '{"id":1}', '{"id":1,"method":"Page.enable","method":"Browser.close"}']) {
      const raw = await Raw.open(await address());
      raw.socket.send(garbage);
      assert.match(await raw.closed, /no DevTools command/, garbage);
    }
    const large = await Raw.open(await address());
    large.socket.on('error', () => {});
    large.socket.send('x'.repeat(40 * 1024 * 1024));
    await large.closed;
    const url = new URL(await address());
    const half = connect(Number(url.port), '127.0.0.1');
    half.on('error', () => {});
    half.write(
      `GET ${url.pathname} HTTP/1.1\r\nHost: ${url.host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
        'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    );
    const [head] = await once(half, 'data');
    assert.match(String(head), /^HTTP\/1.1 101/);
    await until(async () => (await drivers()).length === 1, 'it is registered');
    half.write(Buffer.from([0x81, 0xfe]));
    half.destroy();
    await noDriver();
    const flood = await Raw.open(await address());
    const { session } = await flood.page();
    const answers = Array.from({ length: 5000 }, () => flood.send('Runtime.evaluate', { expression: 'while (0);' }, session));
    await Promise.all(answers);
    flood.socket.close();
    await noDriver();
    assert.match(await home.ok(['text', '--tab', String(mine.id)]), /secret of another tab/, 'gstack goes on');
  });

  test("a killed client's lease ends, and a killed daemon leaves no client connected", async () => {
    const start = async (url) => {
      const child = spawn(process.execPath, [path.join(here, 'idle-client.mjs'), url], { stdio: ['ignore', 'pipe', 'inherit'] });
      await once(child.stdout, 'data');
      return child;
    };
    const child = await start(await address());
    assert.equal((await drivers())[0].pid, child.pid);
    child.kill('SIGKILL');
    await noDriver();
    const other = await start(await address());
    const ended = once(other, 'exit');
    await home.kill(await home.only('daemon'));
    await ended;
    // The next command starts another daemon.
    await home.ok(['tabs']);
    assert.deepEqual(await drivers(), []);
    assert.match(await home.ok(['cdp', 'list']), /No CDP address/);
  });

  test('an agent creates no address, and cannot connect to one', async () => {
    const agent = { GSTACK_AGENT: home.home };
    const { stderr, stdout } = await new Promise((resolve) => {
      const shell = spawn('/bin/sh', ['-c', `"${process.env.GSTACK_BIN ?? path.join(here, '../../target/debug/gstack')}" cdp; true`], {
        env: { ...home.environment, ...agent },
      });
      let stdout = '';
      let stderr = '';
      shell.stdout.on('data', (data) => (stdout += data));
      shell.stderr.on('data', (data) => (stderr += data));
      shell.once('close', () => resolve({ stdout, stderr }));
    });
    assert.ok(!stdout.includes('ws://'), stdout);
    assert.match(stderr, /agent/);
    const child = spawn(process.execPath, [path.join(here, 'idle-client.mjs'), await address()], {
      env: { ...process.env, ...agent },
      stdio: ['ignore', 'ignore', 'ignore'],
    });
    const [code] = await once(child, 'exit');
    assert.equal(code, 1);
    assert.match(await home.ok(['audit']), /not a process of the person/);
  });
});
