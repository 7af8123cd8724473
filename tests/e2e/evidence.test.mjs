/*
 * `gstack evidence`: one turn of an agent as one HTML file. It has what happened and no secret, loads nothing, and
 * nothing that a page or an agent says can become markup.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { after, before, describe, test } from 'node:test';
import { GSTACK } from './harness/home.mjs';
import { Scene } from './harness/scene.mjs';

const SECRETS = {
  password: 'hunter2-tulip-9',
  header: 'zq81header77',
  cookie: 'kd93cookie55',
  key: 'pw55address42',
};
const HOSTILE = `</title></style><script>document.title='taken'</script><img src=x onerror="document.title='taken'">`;

describe('the evidence of a turn', () => {
  let scene;
  let server;
  let origin;
  before(async () => {
    server = createServer((request, response) => {
      if (request.url.startsWith('/api')) {
        response.writeHead(request.url.includes('fail') ? 500 : 201, { 'set-cookie': `sid=${SECRETS.cookie}` });
        response.end('{}');
        return;
      }
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
      response.end(`<!doctype html><title>Shop</title>
        <label>Password <input id="pw" type="password"></label>
        <button id="buy" onclick="buy()">Save</button>
        <script>
          document.title = ${JSON.stringify(HOSTILE).replaceAll('<', '\\u003c')};
          const buy = () => fetch('/api/orders?api_key=${SECRETS.key}&page=2', {
            method: 'POST', headers: { authorization: 'Bearer ${SECRETS.header}' },
          });
        </script>`);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    origin = `http://127.0.0.1:${server.address().port}`;
    scene = await Scene.open({ at: '/' });
    await scene.home.ok(['policy', 'allow', 'act', '--site', new URL(origin).host]);
  });
  after(async () => {
    await scene?.close();
    server?.closeAllConnections();
    server?.close();
  });

  const file = (name) => path.join(scene.home.folder, name);
  const fails = async (...args) => {
    const ran = await scene.home.run(args);
    assert.notEqual(ran.code, 0, ran.stdout);
    return ran.stderr;
  };

  /** Opens a file in the browser, as a person does, and returns what it holds and what it asked for. */
  async function opened(written) {
    const { targetId } = await scene.client.send('Target.createTarget', { url: 'about:blank' });
    const page = await scene.client.attach(targetId);
    const asked = [];
    const stop = scene.client.on((event) => {
      if (event.method === 'Network.requestWillBeSent' && event.sessionId === page.sessionId) asked.push(event.params.request.url);
    });
    await scene.client.send('Network.enable', {}, page.sessionId);
    await scene.client.send('Page.enable', {}, page.sessionId);
    await scene.client.send('Page.navigate', { url: pathToFileURL(written).href }, page.sessionId);
    await page.waitFor(`document.body.innerText.includes('sent it on its own') && [...document.images].every((image) => image.complete)`);
    const held = await page.evaluate(`({
      title: document.title, text: document.body.innerText, acts: document.querySelectorAll('li.act').length,
      scripts: document.querySelectorAll('script, iframe, object, embed, link, form, a, [onerror], [onclick]').length,
      images: [...document.images].map((image) => [image.src.slice(0, 11), image.naturalWidth]),
      styled: getComputedStyle(document.querySelector('ol')).listStyleType,
      elements: [...new Set([...document.querySelectorAll('*')].map((one) => one.localName))].sort().join(' ') })`);
    stop();
    await scene.client.send('Target.closeTarget', { targetId });
    return { ...held, asked: asked.filter((url) => !url.startsWith('file:') && !url.startsWith('data:')) };
  }

  test('has each act with its requests, its decision and its outcome, and no secret', async () => {
    const turn = await scene.ask(`Save it <b>now</b>, my password: ${SECRETS.password}`);
    assert.match(await fails('evidence', '--last', '--output', file('early.html')), /no turn of this tab's conversation has finished/);
    turn.say(`I send it ${HOSTILE} with Authorization: Bearer ${SECRETS.header} and Cookie: sid=${SECRETS.cookie}; a=b`);
    assert.ok(!(await turn.tool('goto', { url: `${origin}/?token=${SECRETS.key}` })).isError);
    const filling = turn.tool('fill', { selector: '#pw', value: SECRETS.password });
    await scene.home.ok(['approvals', 'allow', (await scene.approval()).approvalId]);
    assert.ok(!(await filling).isError);
    await turn.tool('click', { selector: '#buy' });
    const denied = turn.tool('js', { expression: 'document.cookie' });
    await scene.home.ok(['approvals', 'deny', (await scene.approval()).approvalId]);
    assert.ok((await denied).isError);
    await turn.tool('click', { selector: '#missing', timeout: 100 });
    const { conversations } = await scene.home.json('sessions');
    const { events } = await scene.home.json('sessions', 'export', conversations[0].conversationId);
    const { turnId } = events.find((event) => event.type === 'turn-started');
    assert.match(await fails('evidence', turnId.slice(0, 12)), /still running/);
    turn.end();
    await scene.panel.gone('stop');

    const written = file('turn.html');
    assert.match(await scene.home.ok(['evidence', turnId.slice(0, 12), '--output', written]), /Written to /);
    const html = readFileSync(written, 'utf8');
    for (const [what, secret] of Object.entries(SECRETS)) assert.ok(!html.includes(secret), `the ${what} is in the file`);
    assert.match(html, /<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-[^']+'; img-src data:;/);
    assert.doesNotMatch(html, /https?:\/\/(?!127\.0\.0\.1)/, 'no address outside of the test');
    assert.match(html, /prefers-color-scheme:dark/);
    assert.doesNotMatch(html, /<script|<img src=x/);

    const shown = await opened(written);
    assert.notEqual(shown.title, 'taken');
    assert.equal(shown.scripts, 0);
    assert.equal(shown.styled, 'none', 'its own style is allowed');
    assert.deepEqual(shown.asked, [], 'it loads nothing');
    assert.equal(shown.elements, 'body br code dd dl dt h1 h2 h3 head html li meta ol p style table tbody td th thead time title tr');
    assert.equal(shown.acts, 5);
    for (const part of [
      'Save it <b>now</b>, my password: [redacted]',
      HOSTILE,
      `${origin}/?token=[redacted]`,
      'allowed by you in the terminal',
      'allowed by rule',
      `POST ${origin}/api/orders?api_key=[redacted]&page=…`,
      '201',
      'denied by you in the terminal',
      'denied, did nothing',
      'failed',
      '[15 characters]',
      'No pictures were taken before and after the actions',
    ]) {
      assert.ok(shown.text.includes(part), `${part} is missing in:\n${shown.text}`);
    }
    assert.equal(await scene.home.ok(['evidence', '--last']), html, 'without a file it is printed');
  });

  test('says what is wrong, and leaves no half file', async () => {
    assert.match(await fails('evidence', 'nothing-like-it'), /there is no turn/);
    assert.equal(await scene.home.ok(['evidence']), await scene.home.ok(['evidence', '--last']), 'without a turn: the newest');
    assert.match(await fails('evidence', '--last', '--output', file('turn.html')), /can't be written/);
    const full = file('full');
    execFileSync('mkdir', [full]);
    const ran = spawnSync(
      '/bin/sh',
      ['-c', `trap '' XFSZ; ulimit -f 1; exec "$@"`, 'sh', GSTACK, 'evidence', '--last', '--output', path.join(full, 'x.html')],
      {
        env: scene.home.environment,
        encoding: 'utf8',
      },
    );
    assert.notEqual(ran.status, 0);
    assert.match(ran.stderr, /can't be written/);
    assert.deepEqual(readdirSync(full), []);
  });

  test('has pictures before and after each act where the person wants them, and they go with the conversation', async () => {
    await scene.home.ok(['settings', 'set', 'evidence.pictures', 'true']);
    const turn = await scene.ask('Once more');
    await turn.tool('click', { selector: '#buy' });
    turn.end();
    await scene.panel.gone('stop');
    const written = file('pictured.html');
    await scene.home.ok(['evidence', '--last', '--output', written]);
    const shown = await opened(written);
    assert.equal(shown.images.length, 2);
    assert.ok(
      shown.images.every(([source, width]) => source === 'data:image/' && width > 0),
      JSON.stringify(shown.images),
    );
    assert.ok(!shown.text.includes('No pictures were taken'));
    const { conversations } = await scene.home.json('sessions');
    const [{ conversationId }] = conversations;
    const kept = path.join(scene.home.home, 'sessions', conversationId, 'evidence');
    assert.equal(readdirSync(kept).length, 2);
    await scene.home.ok(['sessions', 'delete', conversationId]);
    assert.ok(!existsSync(kept));
    assert.match(await fails('evidence', '--last'), /has no conversation|has finished/);
  });
});
