/*
 * One-time links that answer an approval over the person's own proxy: what the page shows and does, and that nobody else decides
 * with one, reaches anything else by its address, or makes one.
 */
import assert from 'node:assert/strict';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Scene } from '../e2e/harness/scene.mjs';
import { until } from '../e2e/harness/wait.mjs';
import { startClient } from './client.mjs';

/** The client's name, of which 40 characters are shown. */
const NAME = 'cursor <b>\u202e</b>';
const HTML = '<img src=x onerror="document.title=1">\u202e';

describe('one-time links for approvals', () => {
  let scene;
  let client;
  let proxy;
  let base;
  let daemon;
  /** The first lines of the requests that went through the proxy: what its log would hold. */
  const passed = [];

  /** Sends a request to gstack's port; returns `{ status, headers, text, json }`. */
  const send = (method, address, headers = {}, body = undefined) =>
    new Promise((resolve, reject) => {
      const asked = request({ host: '127.0.0.1', port: daemon.port, method, path: address, headers }, async (answer) => {
        let text = '';
        for await (const data of answer) text += data;
        const json = (() => {
          try {
            return JSON.parse(text);
          } catch {
            return undefined;
          }
        })();
        resolve({ status: answer.statusCode, headers: answer.headers, text, json });
      });
      asked.on('error', reject);
      asked.end(body);
    });
  const host = () => new URL(base).host;
  const own = () => ({ host: host(), origin: base, 'content-type': 'application/json' });
  const post = (body, headers = own()) => send('POST', '/approve', headers, JSON.stringify(body));
  const link = async (id) => (await scene.home.ok(['approvals', 'link', id])).trim();
  const secretOf = (url) => new URL(url).hash.slice(1);
  const waiting = async () => (await scene.home.json('approvals')).approvals;
  const ask = async (value = 'Ada') => {
    const filling = client.run('fill', { selector: '#name', value });
    return { filling, asked: await scene.approval() };
  };
  const configure = async (lines) => {
    writeFileSync(path.join(scene.home.home, 'config.toml'), `[agents]\n${lines}\n`);
    // A change of a setting reads the file.
    await scene.home.ok(['settings', 'set', 'agents.pause-on-input', 'false']);
  };

  before(async () => {
    scene = await Scene.open({ agent: false });
    daemon = JSON.parse(readFileSync(path.join(scene.home.home, 'browse.json'), 'utf8'));
    proxy = createServer((asked, answer) => {
      passed.push(`${asked.method} ${asked.url} ${asked.headers.referer ?? ''}`);
      const { method, url, headers } = asked;
      const onward = request({ host: '127.0.0.1', port: daemon.port, method, path: url, headers }, (got) => {
        answer.writeHead(got.statusCode, got.headers);
        got.pipe(answer);
      });
      onward.on('error', () => answer.destroy());
      asked.pipe(onward);
    });
    await new Promise((resolve) => proxy.listen(0, '127.0.0.2', resolve));
    // Not one of the names under which the port serves everything else.
    base = `http://127.0.0.2:${proxy.address().port}`;
    client = await startClient(scene.home, NAME, '--current-tab');
  });
  after(async () => {
    await client?.client.close();
    proxy?.closeAllConnections();
    proxy?.close();
    await scene?.close();
  });

  test('without the setting there is none of it', async () => {
    const { filling, asked } = await ask();
    const { code, stderr } = await scene.home.run(['approvals', 'link', asked.approvalId]);
    assert.notEqual(code, 0);
    assert.match(stderr, /links for approvals are off[\s\S]*approval-link-base/);
    for (const headers of [own(), { host: 'localhost' }]) {
      assert.equal((await send('GET', '/approve', { host: headers.host })).status, 404);
      assert.equal((await send('POST', '/approve', headers, '{"secret":"x"}')).status, 404);
    }
    await scene.home.ok(['approvals', 'deny', asked.approvalId]);
    await filling;
    for (const wrong of ['http://approve.example', 'https://approve.example/path', 'https://me@approve.example', 'javascript:1']) {
      writeFileSync(path.join(scene.home.home, 'config.toml'), `[agents]\napproval-link-base = "${wrong}"\n`);
      const said = await scene.home.run(['settings', 'set', 'agents.pause-on-input', 'false']);
      assert.match(said.stderr, /approval-link-base must be the address of a host/, wrong);
    }
  });

  test('its page shows all of the approval as text, and a press of its button decides', async () => {
    await configure(`approval-link-base = "${base}"`);
    const { filling, asked } = await ask(HTML);
    const url = await link(asked.approvalId);
    assert.match(url, /^http:\/\/127\.0\.0\.2:\d+\/approve#[0-9a-f]{64}$/);
    const { targetId } = await scene.client.send('Target.createTarget', { url });
    const page = await scene.client.attach(targetId);
    const shown = () => page.evaluate('document.body.innerText').catch(() => '');
    await until(async () => /asks/.test(await shown()), 'the page shows the approval');
    const text = await shown();
    assert.ok(text.includes('cursor <b>⟨U+202E⟩</b> asks'), text);
    assert.ok(text.includes(asked.site) && text.includes(asked.action.command), text);
    assert.match(text, /Deny\s+Allow once/);
    assert.doesNotMatch(text, /always/i);
    assert.deepEqual(await page.evaluate('[document.title, document.images.length, location.hash]'), ['gstack', 0, '']);
    assert.equal((await waiting()).length, 1, 'opening it decides nothing');
    // The client that asks can't press it either, whatever it may do on all sites.
    await scene.home.ok(['policy', 'allow', 'act']);
    const tab = (await scene.home.json('tabs')).data.find((one) => one.url.startsWith(base));
    const other = await startClient(scene.home, 'other', '--tab', String(tab.id));
    for (const [tool, input] of [
      ['click', { selector: '#allow' }],
      ['press', { key: 'Enter' }],
    ]) {
      const pressed = await other.run(tool, input);
      assert.match(pressed.text, /no agent acts on the page that answers approvals/);
    }
    await other.client.close();
    for (const rule of (await scene.home.json('policy')).rules) await scene.home.ok(['policy', 'remove', rule.id]);
    // A script in the page can't press it, and neither can a press that comes too early.
    await page.evaluate(`document.querySelector('#allow').click()`);
    await page.waitFor(`!document.querySelector('#allow').disabled`, 'the card can be answered');
    await page.evaluate(`document.querySelector('#allow').click()`);
    assert.equal((await waiting()).length, 1);
    await page.click('#allow');
    await page.waitFor(`document.querySelector('#said').textContent === 'Allowed once.'`, 'it is allowed');
    assert.ok(!(await filling).failed);
    const [line] = JSON.parse(await scene.home.ok(['audit', '--json'])).filter(({ by }) => by === 'link');
    assert.equal(line.allowed, true);
    assert.equal(line.answer, 'allow-once');
    assert.ok(!passed.join('\n').includes(secretOf(url)), "the proxy's log does not have the secret");
    assert.ok(!scene.home.log().includes(secretOf(url)), 'nor does ours');
    // Used up, here and by hand.
    await page.evaluate(`location.replace(${JSON.stringify(url)}); location.reload()`);
    await until(async () => /not valid, or no longer valid/.test(await shown()), 'a used link says so');
    assert.equal((await post({ secret: secretOf(url), decision: 'allow-once' })).status, 404);
    await scene.client.send('Target.closeTarget', { targetId });
  });

  test('nothing but a request of the page itself decides, and only with the whole secret', async () => {
    const { filling, asked } = await ask();
    const secret = secretOf(await link(asked.approvalId));
    const decision = 'allow-once';
    // A client whose tab has it in its address or text could answer for the person.
    await scene.page.evaluate(`history.replaceState(null, '', '#${secret}'); document.title = '${secret}'`);
    await until(async () => /\[redacted\]/.test(await scene.home.ok(['url'])), 'the address is told without it');
    for (const command of ['tabs --json', 'url', 'status --json', 'js location.href', 'js document.title.slice(0,60)+"…"'])
      assert.ok(!(await scene.home.ok(command.split(' '))).includes(secret.slice(0, 60)), command);
    // What previews links, follows them or puts them into a frame.
    for (const address of ['/approve', `/approve?secret=${secret}&decision=allow-once`, `/approve?${secret}`]) {
      const page = await send('GET', address, { host: host() });
      assert.equal(page.status, 200);
      assert.ok(!page.text.includes(secret) && !page.text.includes(asked.ask));
      assert.match(page.headers['content-security-policy'], /^default-src 'none'.*frame-ancestors 'none'$/);
      assert.equal(page.headers['cache-control'], 'no-store');
    }
    assert.equal((await send('GET', `/approve/${secret}`, { host: host() })).status, 404);
    assert.equal((await send('GET', '/approve', { host: host(), 'sec-fetch-dest': 'iframe' })).status, 403);
    for (const method of ['PUT', 'DELETE', 'PATCH']) {
      assert.notEqual((await send(method, '/approve', own(), JSON.stringify({ secret, decision }))).status, 200, method);
    }
    const { origin: _, ...without } = own();
    for (const headers of [
      without,
      { ...own(), origin: 'https://evil.example' },
      { ...own(), origin: 'null' },
      { ...own(), origin: `${base}0` },
      { ...own(), 'sec-fetch-site': 'cross-site' },
      { ...own(), 'sec-fetch-site': 'same-site' },
      { ...own(), host: `127.0.0.1:${daemon.port}` },
      { ...own(), host: 'evil.example' },
    ]) {
      assert.equal((await post({ secret, decision }, headers)).status, 403, JSON.stringify(headers));
    }
    for (const [body, type, status] of [
      [`{"secret":"${secret}","decision":"deny","decision":"allow-once"}`, 'application/json', 400],
      [`{"secret":["${secret}"],"decision":"allow-once"}`, 'application/json', 400],
      [`secret=${secret}&decision=allow-once`, 'application/x-www-form-urlencoded', 400],
      [JSON.stringify({ secret, decision }), 'text/plain', 400],
      [JSON.stringify({ secret, decision: 'allow-always' }), 'application/json', 400],
      [JSON.stringify({ secret, decision: 'allow-site' }), 'application/json', 400],
      [JSON.stringify({ secret, decision, text: 'other' }), 'application/json', 400],
      [JSON.stringify({ secret: secret.slice(1), decision }), 'application/json', 404],
      [JSON.stringify({ secret: `${secret} `, decision }), 'application/json', 404],
      [JSON.stringify({ secret: '', decision }), 'application/json', 404],
      [JSON.stringify({ secret: 'x'.repeat(4000), decision }), 'application/json', 413],
    ]) {
      assert.equal((await send('POST', '/approve', { ...own(), 'content-type': type }, body)).status, status, body.slice(0, 120));
    }
    assert.equal((await waiting()).length, 1, 'nothing of this decided');
    // Read, then denied, by two at once: one answer counts.
    assert.equal((await post({ secret })).json.from.startsWith('cursor'), true);
    const both = await Promise.all([post({ secret, decision: 'deny' }), post({ secret, decision: 'deny' })]);
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 404]);
    assert.match((await filling).text, /denied/);
  });

  test('no other route is served under its address, whatever the request brings', async () => {
    for (const [method, address] of [
      ['GET', '/status'],
      ['GET', '/health'],
      ['GET', '/openapi.json'],
      ['GET', '/welcome'],
      ['GET', '/refs'],
      ['GET', '/approvals'],
      ['POST', '/approvals/answer'],
      ['POST', '/approvals/link'],
      ['POST', '/command'],
      ['POST', '/command/lines'],
      ['POST', '/policy/add'],
      ['POST', '/settings'],
      ['POST', '/stop'],
      ['POST', '/mcp'],
    ]) {
      for (const extra of [{}, { origin: base }]) {
        const headers = { host: host(), 'content-type': 'application/json', authorization: `Bearer ${daemon.token}`, ...extra };
        const { status } = await send(method, address, headers, method === 'POST' ? '{}' : undefined);
        assert.equal(status, 403, `${method} ${address}`);
      }
    }
  });

  test('an agent neither makes a link nor sets where they lead', async () => {
    const { filling, asked } = await ask();
    const config = path.join(scene.home.home, 'config.toml');
    const before = readFileSync(config, 'utf8');
    // As in an agent's shell that has dropped its token: the daemon goes by the process.
    const environment = { GSTACK_AGENT: scene.home.home, GSTACK_CONVERSATION: 'c1' };
    for (const words of [
      ['approvals', 'link', asked.approvalId],
      ['approvals', 'link'],
      ['settings', 'set', 'agents.approval-link-base', 'https://evil.example'],
    ]) {
      const { code, stdout, stderr } = await scene.home.run(words, { environment });
      assert.notEqual(code, 0, words.join(' '));
      assert.match(stderr, /an agent may not do this/, words.join(' '));
      assert.doesNotMatch(stdout, /approve#/);
    }
    // No request of the person does the latter either: only the file.
    const { code } = await scene.home.run(['settings', 'set', 'agents.approval-link-base', 'https://evil.example']);
    assert.notEqual(code, 0);
    assert.equal(readFileSync(config, 'utf8'), before);
    await scene.home.ok(['approvals', 'deny', asked.approvalId]);
    await filling;
  });

  test("the person's command gets a link of its own", async () => {
    const told = path.join(scene.home.folder, 'told.json');
    const tell = path.join(scene.home.folder, 'tell');
    writeFileSync(tell, `#!/bin/sh\ncat > '${told}.part'\nmv '${told}.part' '${told}'\n`);
    chmodSync(tell, 0o755);
    await configure(`approval-link-base = "${base}"\napproval-command = ["${tell}"]`);
    const { filling, asked } = await ask();
    const given = await until(() => {
      try {
        return JSON.parse(readFileSync(told, 'utf8'));
      } catch {
        return undefined;
      }
    }, 'the command was run');
    assert.equal(given.id, asked.approvalId);
    assert.match(given.link, /\/approve#[0-9a-f]{64}$/);
    assert.equal((await post({ secret: secretOf(given.link) })).json.mayAllow, true);
    assert.equal((await post({ secret: secretOf(given.link), decision: 'deny' })).status, 200);
    assert.match((await filling).text, /denied/);
  });

  // The last one: after it, no link is accepted for a minute.
  test('a link ends with its approval, and guesses are limited', async () => {
    const { filling, asked } = await ask();
    const secret = secretOf(await link(asked.approvalId));
    await scene.home.ok(['approvals', 'deny', asked.approvalId]);
    await filling;
    assert.equal((await post({ secret })).status, 404, 'answered elsewhere');
    assert.notEqual((await scene.home.run(['approvals', 'link', asked.approvalId])).code, 0);
    const next = await ask();
    const good = secretOf(await link(next.asked.approvalId));
    let status = 404;
    for (let guess = 0; guess < 40 && status === 404; guess++) ({ status } = await post({ secret: `${guess}` }));
    assert.equal(status, 409);
    assert.equal((await post({ secret: good, decision: 'allow-once' })).status, 409, 'not even the right one');
    assert.equal((await waiting()).length, 1);
    await scene.home.ok(['approvals', 'deny', next.asked.approvalId]);
    await next.filling;
  });
});
