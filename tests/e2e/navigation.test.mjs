/* Every way in which a navigation can end: its report, and that the tab can be used afterwards. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Api } from './harness/api.mjs';
import { TestHome } from './harness/home.mjs';
import { until } from './harness/wait.mjs';

const html = (title, body = '') => `<!doctype html><title>${title}</title><h1>${title}</h1>${body}`;

/** The server's behaviour for each path. */
const PATHS = {
  '/': (_, response) => response.end(html('Start', '<a id=down href="#below">down</a><a id=away href="/other">away</a>')),
  '/other': (_, response) => response.end(html('Other')),
  '/redirect': (_, response) => response.writeHead(302, { location: '/redirect-2' }).end(),
  '/redirect-2': (_, response) => response.writeHead(307, { location: '/other' }).end(),
  '/circle': (_, response) => response.writeHead(302, { location: '/circle' }).end(),
  '/script': (_, response) => response.end(html('Script', '<script>location.replace("/other")</script>')),
  '/refresh': (_, response) => response.end(html('Refresh', '<meta http-equiv=refresh content="0;url=/other">')),
  '/file': (_, response) =>
    response
      .writeHead(200, { 'content-type': 'application/octet-stream', 'content-disposition': 'attachment; filename="a.bin"' })
      .end('bytes'),
  '/nothing': (_, response) => response.writeHead(204).end(),
  '/missing': (_, response) => response.writeHead(404, { 'content-type': 'text/html' }).end(html('Missing')),
  '/broken': (_, response) => response.writeHead(500, { 'content-type': 'text/html' }).end(html('Broken')),
  '/empty-error': (_, response) => response.writeHead(503).end(),
  '/silent': () => {},
  '/slow-body': (_, response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).write('<!doctype html><title>Slow</title><p>begun'),
  '/slow-image': (_, response) => response.end(html('Image', '<img src="/silent">')),
  '/reset': (request) => request.socket.resetAndDestroy(),
  '/hangup': (request) => request.socket.end(),
  '/half': (_, response) => response.writeHead(200, { 'content-length': 1000 }).write('half', () => response.destroy()),
  '/unload': (_, response) =>
    response.end(
      html('Unload', '<button id=touch>touch</button><script>addEventListener("beforeunload", (event) => event.preventDefault())</script>'),
    ),
  '/busy': (_, response) => response.end(html('Busy', '<script>for (;;);</script>')),
  '/late-busy': (_, response) =>
    response.end(html('Late', '<script>addEventListener("load", () => setTimeout(() => { for (;;); }))</script>')),
};

describe('navigation', () => {
  let home;
  let server;
  let tls;
  let origin;
  let secure;
  let api;
  let tab;
  before(async () => {
    server = createServer((request, response) => {
      response.setHeader('content-type', 'text/html');
      (PATHS[request.url] ?? ((_, answer) => answer.writeHead(404).end()))(request, response);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    origin = `http://127.0.0.1:${server.address().port}`;
    home = new TestHome({ port: false });
    // A self-signed certificate.
    const [key, cert] = ['key.pem', 'cert.pem'].map((name) => path.join(home.folder, name));
    execFileSync(
      'openssl',
      ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', cert, '-days', '1', '-subj', '/CN=localhost'],
      { stdio: 'ignore' },
    );
    tls = createTlsServer({ key: readFileSync(key), cert: readFileSync(cert) }, (_, response) => response.end('secret')).listen(
      0,
      '127.0.0.1',
    );
    await once(tls, 'listening');
    secure = `https://localhost:${tls.address().port}/`;
    await home.ok(['goto', origin]);
    api = new Api(home);
    tab = await api.tab(`${origin}/`);
  });
  after(async () => {
    for (const one of [server, tls]) {
      one.closeAllConnections();
      one.close();
    }
    assert.deepEqual(await home.stop(), [], 'no process had to be forced');
  });
  const go = (where, ...args) => api.run('goto', [where.includes('://') ? where : origin + where, ...args], tab);
  /** Checks that the tab can be used, whatever happened before. */
  const usable = async () => {
    assert.match((await go('/other')).output, /\/other \(200\)/);
    assert.match(await api.ok('text', [], tab), /Other/);
  };

  test('arrives where redirects lead, by the server or the page', async () => {
    assert.match((await go('/redirect')).output, /\/other \(200\)/);
    for (const where of ['/script', '/refresh']) {
      const { ok, error } = await go(where);
      assert.ok(ok, error);
      await api.ok('wait', ['text=Other'], tab);
    }
    await usable();
  });

  test('says the status of error pages of the server', async () => {
    assert.match((await go('/missing')).output, /\(404\)/);
    assert.match((await go('/broken')).output, /\(500\)/);
    await usable();
  });

  const FAILURES = [
    ['/circle', /ERR_TOO_MANY_REDIRECTS/, /cookies/],
    ['/reset', /ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE/, /try again/],
    ['/hangup', /ERR_EMPTY_RESPONSE/, /try again/],
    ['/empty-error', /ERR_HTTP_RESPONSE_CODE_FAILURE/, /./],
    ['http://127.0.0.1:1/', /ERR_UNSAFE_PORT/, /refuses this port/],
    ['http://127.0.0.1:9/', /ERR_UNSAFE_PORT|ERR_CONNECTION_REFUSED/, /./],
    ['http://no-such-host.invalid/', /ERR_NAME_NOT_RESOLVED/, /spelling/],
  ];
  for (const [where, reason, hint] of FAILURES) {
    test(`${where} fails with the browser's reason and a next step`, async () => {
      const { status, error, hint: said, fault } = await go(where);
      assert.deepEqual([status, fault.code], [422, 'navigation'], error);
      assert.match(error, reason);
      assert.match(said, hint);
      await usable();
    });
  }

  test('an untrusted certificate is named and never passed over', async () => {
    const { error, hint, fault } = await go(secure);
    assert.equal(fault.code, 'navigation');
    assert.match(error, /ERR_CERT_AUTHORITY_INVALID/);
    assert.match(hint, /certificate/);
    assert.doesNotMatch(await api.ok('text', [], tab), /secret/);
    await usable();
  });

  test('a download leaves the page and says so', async () => {
    await usable();
    const { ok, output, error } = await go('/file');
    assert.ok(ok, error);
    assert.match(output, /\/file is a download; the page stays as it was/);
    assert.match(await api.ok('text', [], tab), /Other/);
    const nothing = await go('/nothing');
    assert.deepEqual([nothing.ok, nothing.fault?.code], [false, 'navigation'], 'an answer without content is not an arrival');
    await usable();
  });

  test('a server that does not answer, or not to its end, is left in time', async () => {
    for (const where of ['/silent', '/slow-body']) {
      const { fault, error, hint } = await go(where, '--timeout', '700');
      assert.equal(fault.code, 'timeout', `${where}: ${error}`);
      assert.match(error, /0\.7 s/);
      assert.match(hint, /--timeout/);
      await usable();
    }
    // A slow image delays no command.
    assert.match((await go('/slow-image')).output, /\(200\)/);
    await go('/half', '--timeout', '700');
    await usable();
  });

  test('moves within a document and through the history, also out of memory', async () => {
    await go('/');
    assert.match((await go('/#below')).output, /#below/);
    await api.ok('click', ['#away'], tab);
    assert.match(await api.ok('back', [], tab), /#below/);
    assert.match(await api.ok('back', [], tab), /\/$/);
    assert.match(await api.ok('forward', [], tab), /#below/);
    assert.match(await api.ok('forward', [], tab), /\/other/);
    assert.match(await api.ok('text', [], tab), /Other/);
    await usable();
  });

  test('a page that asks whether to stay is answered by the standing answer', async () => {
    await go('/unload');
    await api.ok('click', ['#touch'], tab);
    await api.ok('dialog-dismiss', [], tab);
    const stays = await go('/other');
    assert.equal(stays.ok, false);
    assert.match(await api.ok('url', [], tab), /\/unload/);
    await api.ok('dialog-accept', [], tab);
    await usable();
    assert.match(await api.ok('dialog', [], tab), /\[beforeunload\].*dismissed[\s\S]*\[beforeunload\].*accepted/);
  });

  test('a page whose main thread hangs is told in time and can be left', async () => {
    const { fault } = await go('/busy', '--timeout', '1000');
    assert.equal(fault.code, 'timeout');
    await usable();
    await go('/late-busy');
    // It gets busy a moment after it has loaded.
    const silent = await until(
      async () => (await api.run('text', [], tab)).fault,
      () => 'the page answers',
    );
    assert.equal(silent.code, 'timeout');
    await usable();
  });
});
