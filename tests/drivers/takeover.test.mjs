/*
 * The person takes a tab over from a CDP client. The person's input is that of the test's own DevTools connection: trusted
 * events that neither gstack nor its client sent.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { TestHome } from '../e2e/harness/home.mjs';
import { until } from '../e2e/harness/wait.mjs';
import { Raw } from './raw.mjs';
import { startShop } from './shop.mjs';

describe('taking a tab over from a CDP client', () => {
  let home;
  let shop;
  let raw;
  let session;
  let tab;
  let page;

  const send = (method, params = {}) => raw.send(method, params, session);
  const evaluate = (expression) => send('Runtime.evaluate', { expression, returnByValue: true });
  const press = (type, more = {}) => send('Input.dispatchMouseEvent', { type, x: 5, y: 5, button: 'left', clickCount: 1, ...more });
  const nobodyIsPaused = async () => assert.match((await home.run(['resume', 'a', 'note'])).stderr, /you have not taken over a tab/);
  const isPaused = () => until(async () => /took over tab/.test((await press('mouseMoved')).error?.message), 'the client is paused');

  before(async () => {
    home = new TestHome();
    shop = await startShop();
    await home.connect(['--headless', `${shop.origin}/other`]);
    raw = await Raw.open((await home.ok(['cdp'])).trim());
    ({ session } = await raw.page());
    [tab] = (await home.json('status')).drivers[0].tabs;
    await send('Page.navigate', { url: `${shop.origin}/?mine` });
    await until(async () => (await evaluate('document.title')).result?.result.value === 'Login', 'the page is there');
    page = await home.page(await home.devtools(), `${shop.origin}/?mine`);
  });
  after(async () => {
    raw?.socket.close();
    await shop?.stop();
    assert.deepEqual(await home.stop(), [], 'nothing is left behind');
  });

  test("a client's own clicks, keys, taps and gestures do not pause it, however it writes them", async () => {
    await evaluate(`addEventListener('pointerdown', () => { globalThis.presses = (globalThis.presses ?? 0) + 1 })`);
    for (let round = 0; round < 5; round++) {
      await press('mousePressed');
      await press('mouseReleased');
      await send('Input.dispatchKeyEvent', { type: 'keyDown', key: 'a', text: 'a' });
      await send('Input.dispatchKeyEvent', { type: 'keyUp', key: 'a' });
      await send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x: 5, y: 5 }] });
      await send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    }
    const tapped = await send('Input.synthesizeTapGesture', { x: 5, y: 5, tapCount: 2 });
    assert.ok(!tapped.error, JSON.stringify(tapped));
    raw.socket.send(
      `{ "id": 900000, "sessionId": "${session}", "method": "Input.dispatchMouseEvent",
        "params": { "x": 5, "y": 5, "button": "left", "clickCount": 1, "type" : "mouse\\u0050ressed" } }`,
    );
    await press('mouseReleased');
    await until(async () => (await evaluate('presses')).result.result.value >= 13, 'the page had every press');
    assert.ok(!(await press('mouseMoved')).error);
    await nobodyIsPaused();
  });

  test('a click of the person pauses it: it may look, and neither press, run scripts nor navigate', async () => {
    await page.click('#name');
    await isPaused();
    for (const [method, params] of [
      ['Input.dispatchMouseEvent', { type: 'mousePressed', x: 5, y: 5, button: 'left' }],
      ['Input.insertText', { text: 'Mallory' }],
      ['Runtime.evaluate', { expression: `document.querySelector('#name').value = 'Mallory'` }],
      ['Page.navigate', { url: `${shop.origin}/other` }],
      ['Page.reload', {}],
      ['Page.close', {}],
      ['DOM.setFileInputFiles', { files: [], nodeId: 1 }],
    ]) {
      assert.match((await send(method, params)).error.message, new RegExp(`the person took over tab ${tab}`), method);
    }
    assert.match((await raw.send('Target.createTarget', { url: 'about:blank' })).error.message, /took over/);
    assert.ok((await send('Page.getFrameTree')).result.frameTree);
    assert.equal(await page.evaluate(`document.querySelector('#name').value`), '');
    assert.match(await home.ok(['resume']), new RegExp(`handed back tab ${tab} to CDP client`));
    assert.ok(!(await press('mousePressed')).error && !(await press('mouseReleased')).error);
    assert.equal((await evaluate('document.title')).result.result.value, 'Login', 'it goes on');
  });

  test('a paused client can neither answer nor change a request of the page, which goes on as the page made it', async () => {
    const ask = (query) => page.evaluate(`fetch('/other?${query}').then(async (answer) => answer.status + await answer.text())`);
    const held = async (query, stage) => {
      const found = () =>
        raw.events.findLast(
          ({ method, params }) =>
            method === 'Fetch.requestPaused' &&
            params.request.url.endsWith(`?${query}`) &&
            (params.responseStatusCode === undefined) === (stage === 'Request'),
        );
      await until(() => found() !== undefined, `${query} is held`);
      return found().params.requestId;
    };
    const body = Buffer.from('Mallory').toString('base64');
    const evil = { responseCode: 200, body };
    for (const [stage, method, more] of [
      ['Request', 'Fetch.fulfillRequest', evil],
      ['Request', 'Fetch.continueRequest', { url: `${shop.origin}/nowhere` }],
      ['Request', 'Fetch.continueRequest', { method: 'POST', postData: body }],
      ['Request', 'Fetch.continueRequest', { headers: [{ name: 'x-mallory', value: '1' }] }],
      ['Response', 'Fetch.fulfillRequest', evil],
      ['Response', 'Fetch.continueResponse', { responseCode: 500 }],
      ['Response', 'Fetch.continueResponse', { responseCode: 200, responseHeaders: [{ name: 'set-cookie', value: 'a=b' }] }],
    ]) {
      assert.ok(!(await send('Fetch.enable', { patterns: [{ urlPattern: '*/other?*', requestStage: stage }] })).error);
      await home.ok(['pause', String(tab)]);
      const query = `${stage}-${method}-${Object.keys(more).join('-')}`;
      const answer = ask(query);
      const requestId = await held(query, stage);
      const refused = await send(method, { requestId, ...more });
      assert.match(refused.error?.message ?? '', new RegExp(`the person took over tab ${tab}`), query);
      const said = await answer;
      assert.ok(said.startsWith('200') && said.includes('secret of another tab') && !said.includes('Mallory'), `${query}: ${said}`);
      assert.deepEqual(
        shop.asked.filter((line) => line.includes(query)),
        [`GET /other?${query}`],
      );
      // Unchanged, it may let it through; and once handed back, it may answer again.
      const plain = ask(`${query}-plain`);
      const passed = await send(stage === 'Request' ? 'Fetch.continueRequest' : 'Fetch.continueResponse', {
        requestId: await held(`${query}-plain`, stage),
      });
      assert.ok(!passed.error, JSON.stringify(passed));
      assert.ok((await plain).startsWith('200'), query);
      await home.ok(['resume']);
    }
    assert.ok(!shop.asked.some((line) => line.includes('nowhere') || line.startsWith('POST /other')));
    const allowed = ask('answered');
    assert.ok(!(await send('Fetch.fulfillRequest', { requestId: await held('answered', 'Response'), ...evil })).error);
    assert.equal(await allowed, '200Mallory');
    await send('Fetch.disable');
    await home.ok(['pause', String(tab)]);
    for (const [method, params] of [
      ['Network.setExtraHTTPHeaders', { headers: { 'x-mallory': '1' } }],
      ['Network.setBlockedURLs', { urls: ['*'] }],
      ['Network.setCookie', { name: 'a', value: 'b', url: shop.origin }],
      ['Network.setUserAgentOverride', { userAgent: 'Mallory' }],
    ]) {
      assert.match((await send(method, params)).error?.message ?? '', /the person took over/, method);
    }
    await home.ok(['resume']);
  });

  test('the terminal takes over and hands back; a client that has left holds nobody up', async () => {
    assert.match(await home.ok(['pause', String(tab)]), /You took over tab \d+ from CDP client/);
    assert.match((await press('mousePressed')).error.message, /took over/);
    await home.ok(['resume', 'Look', 'again']);
    assert.ok(!(await press('mouseMoved')).error);
    await home.ok(['pause', String(tab)]);
    raw.socket.close();
    await until(async () => (await home.json('status')).drivers === undefined, 'the client has left');
    await nobodyIsPaused();
  });
});
