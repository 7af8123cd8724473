/* Saved sign-ins for MCP clients: asked for by the client, allowed in the terminal or the panel, never shown. */
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { Scene } from '../e2e/harness/scene.mjs';
import { until } from '../e2e/harness/wait.mjs';
import { startClient } from './client.mjs';

const PASSWORD = 'zK9!correct"Horse&battery';
const CARD = `document.querySelector('#clients .approval')`;
const FORM = `<form action="/done" onsubmit="event.preventDefault()"><input id="user" autocomplete="username">
  <input id="pw" type="password" autocomplete="current-password"><button>Sign in</button></form>`;

describe('a saved sign-in that an MCP client asks for', () => {
  let scene;
  let client;
  const waiting = () =>
    until(async () => {
      const { approvals } = await scene.home.json('approvals');
      return approvals.length === 1 && approvals[0];
    }, 'one approval waits');
  const filled = () => scene.page.evaluate('[user.value, pw.value.length]');

  before(async () => {
    scene = await Scene.open({ agent: false });
    await scene.page.evaluate(`document.body.innerHTML = ${JSON.stringify(FORM)}`);
    await scene.home.ok(['auth', 'unlock'], { input: 'a long passphrase\n' });
    const saved = ['auth', 'save', 'ada@shop', '--origin', scene.site.origin, '--user', 'ada'];
    await scene.home.ok(saved, { input: `${PASSWORD}\n` });
    client = await startClient(scene.home, 'cursor', '--current-tab');
  });
  after(async () => {
    await client?.client.close();
    await scene?.close();
  });

  test('the terminal shows the account and the origin, and its answer counts', async () => {
    assert.match(await client.call('sign-ins'), /ada@shop {2}ada at http/);
    const denied = client.run('sign-in', { name: 'ada@shop' });
    const asked = await waiting();
    assert.equal(asked.driver, 'cursor');
    const shown = await scene.home.ok(['approvals']);
    assert.match(shown, /Sign in as ada at 127\.0\.0\.1:\d+ .*for cursor/);
    assert.ok(shown.includes(`ada at ${scene.site.origin}`), shown);
    await scene.home.ok(['approvals', 'deny', asked.approvalId]);
    const { failed, text } = await denied;
    assert.ok(failed && /denied|said no/i.test(text), text);
    assert.deepEqual(await filled(), ['', 0]);
    const allowed = client.run('sign-in', { name: 'ada@shop' });
    await scene.home.ok(['approvals', 'allow', (await waiting()).approvalId]);
    assert.match((await allowed).text, /Filled in the user name and the password of ada@shop/);
    assert.deepEqual(await filled(), ['ada', PASSWORD.length]);
  });

  test('the panel has a card for it', async () => {
    const asking = client.run('sign-in', { name: 'ada@shop', submit: true });
    await scene.panel.page.waitFor(`${CARD} && !${CARD}.classList.contains('is-arming')`, 'the card');
    const said = await scene.panel.page.evaluate(`${CARD}.innerText`);
    assert.match(said, /Sign in as ada at 127\.0\.0\.1/);
    await scene.panel.page.evaluate(`${CARD}.querySelector('[data-choice="allow-once"]').click()`);
    assert.match((await asking).text, /submitted/);
  });

  test('nothing that it reads shows the password, and no selector may guess it', async () => {
    await scene.page.evaluate(`document.querySelector('form').insertAdjacentHTML('afterend', '<p id="told"></p>');
      told.textContent = document.title = pw.value; console.log(pw.value);`);
    let told = '';
    for (const [tool, input] of [
      ['snapshot', {}],
      ['text', {}],
      ['forms', {}],
      ['find', { query: 'Horse' }],
      ['console', {}],
      ['network', {}],
      ['tabs', {}],
    ]) {
      told += (await client.run(tool, input)).text;
    }
    for (const part of ['Horse', 'esroH', 'zK9', 'SG9yc2']) assert.ok(!told.includes(part), `${part} in ${told}`);
    assert.match(told, /\[redacted\]/);
    assert.match(await client.fault('click', { selector: '#pw[value^="z"]' }), /could guess it/);
  });

  test('its own process neither lists nor changes them', async () => {
    const send = (method, path, body) =>
      new Promise((resolve, reject) => {
        const headers = { 'content-type': 'application/json', accept: 'application/json' };
        const asked = request({ socketPath: `${scene.home.home}/http.sock`, path, method, headers }, resolve);
        asked.on('error', reject);
        asked.end(body && JSON.stringify(body));
      });
    const registered = await send('POST', '/driver', { client: 'raw' });
    assert.equal(registered.statusCode, 200);
    for (const [method, path, body] of [
      ['GET', '/auth'],
      ['POST', '/auth/remove', { name: 'ada@shop' }],
      ['POST', '/auth/unlock', {}],
      ['POST', '/auth/lock', {}],
      ['POST', '/auth/save', { name: 'x', origin: scene.site.origin, user: 'x', password: { saved: 'a planted password' } }],
    ]) {
      assert.equal((await send(method, path, body)).statusCode, 403, path);
    }
    registered.destroy();
    assert.equal((await scene.home.json('auth')).signIns.length, 1);
  });
});
