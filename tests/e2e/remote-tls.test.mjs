/*
 * `connect --cdp wss://…/devtools/browser/…`: the websocket itself over TLS, without a discovery. Its certificate must come from the
 * authority of the endpoint's settings, or of the machine; its headers and its path are shown nowhere.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { TestHome } from './harness/home.mjs';
import { assertNoSecret, certificates, Double, foreignBrowser } from './harness/remote.mjs';

const SECRET = 'hunter2-f00dfeed';

describe('a websocket over TLS', () => {
  let browser;
  let double;
  let site;
  let url;
  let made;
  let ca;
  let address;
  const authority = new TestHome();
  const secretPath = () => new URL(browser.websocket).pathname;

  before(async () => {
    browser = await foreignBrowser();
    site = createServer((_, response) => {
      response.setHeader('content-type', 'text/html');
      response.end('<title>Over TLS</title>');
    });
    site.listen(0, '127.0.0.1');
    await once(site, 'listening');
    url = `http://127.0.0.1:${site.address().port}/`;
    made = certificates(authority.folder);
    ca = made.ca;
    const isOurs = ({ headers }) => headers.authorization === `Bearer ${SECRET}` && headers['x-team'] === 'shop';
    double = await new Double({
      tls: made,
      serve: () => [404, {}],
      target: (request) => (isOurs(request) && request.url === secretPath() ? browser.websocket : 401),
    }).start();
    address = `wss://127.0.0.1:${double.port}${secretPath()}`;
  });
  after(async () => {
    double?.stop();
    site?.closeAllConnections();
    site?.close();
    await browser?.end();
    await authority.stop();
  });

  /** Starts a home whose `config.toml` has this endpoint `team`. */
  const homeWith = (t, lines) => {
    const home = new TestHome();
    t.after(async () => assert.deepEqual(await home.stop(), [], 'nothing is left behind'));
    mkdirSync(home.home, { mode: 0o700 });
    const text = ['[browser.endpoints.team]', ...lines].join('\n');
    writeFileSync(path.join(home.home, 'config.toml'), `${text}\n`, { mode: 0o600 });
    return home;
  };
  const headers = `headers = { Authorization = "Bearer ${SECRET}", X-Team = "shop" }`;
  const drives = async (home) => {
    await home.ok(['goto', url]);
    assert.equal((await home.ok(['js', 'document.title'])).trim(), 'Over TLS');
  };

  test('with its authority and its headers from config.toml it is driven, and no header or path is shown', async (t) => {
    double.requests.length = 0;
    const home = homeWith(t, [`url = "${address}"`, `ca = "${ca}"`, headers]);
    const said = await home.ok(['connect', '--cdp', 'team']);
    assert.match(said, new RegExp(`browser attached.*cdp at wss://127\\.0\\.0\\.1:${double.port}/…`));
    await drives(home);
    assert.deepEqual((await home.status()).remote, { provider: 'cdp', at: `wss://127.0.0.1:${double.port}/…` });
    assert.deepEqual(
      double.requests.map((request) => [request.method, request.url]),
      [['UPGRADE', secretPath()]],
      'one handshake, and no discovery',
    );
    const shown = said + (await home.ok(['audit'])) + readFileSync(path.join(home.home, 'daemon.log'), 'utf8');
    for (const secret of [SECRET, secretPath()]) {
      assert.ok(!shown.includes(secret), secret);
      await assertNoSecret(home, secret);
    }
    assert.match(await home.ok(['disconnect']), /stays open without gstack/);
  });

  test('without its headers it does not let gstack in, and says so', async (t) => {
    const home = homeWith(t, [`url = "${address}"`, `ca = "${ca}"`]);
    const { code, stderr } = await home.run(['connect', '--cdp', 'team']);
    assert.notEqual(code, 0);
    assert.match(stderr, /does not accept the credentials/);
    assert.ok(!stderr.includes(secretPath()), stderr);
    assert.equal((await home.status()).mode, 'none');
  });

  test('a certificate of another authority is refused before anything is sent, and no secret is shown', async (t) => {
    const other = new TestHome();
    t.after(() => other.stop());
    const { ca: otherCa } = certificates(other.folder);
    const home = homeWith(t, []);
    for (const lines of [[`ca = "${otherCa}"`], []]) {
      double.requests.length = 0;
      const text = ['[browser.endpoints.team]', `url = "${address}"`, headers, ...lines].join('\n');
      writeFileSync(path.join(home.home, 'config.toml'), `${text}\n`, { mode: 0o600 });
      const { code, stderr } = await home.run(['connect', '--cdp', 'team']);
      assert.notEqual(code, 0, lines.join());
      assert.match(stderr, new RegExp(`the identity of wss://127\\.0\\.0\\.1:${double.port}/… cannot be verified`), lines.join());
      assert.deepEqual(double.requests, []);
      for (const secret of [SECRET, secretPath()]) {
        assert.ok(!stderr.includes(secret), stderr);
        await assertNoSecret(home, secret);
      }
    }
    assert.equal((await home.status()).mode, 'none');
  });

  test('a file of authorities that is missing or empty is named, and nothing is sent', async (t) => {
    const home = homeWith(t, []);
    const empty = path.join(home.person, 'empty.pem');
    writeFileSync(empty, '');
    for (const file of [path.join(home.person, 'missing.pem'), empty]) {
      double.requests.length = 0;
      const text = ['[browser.endpoints.team]', `url = "${address}"`, headers, `ca = "${file}"`].join('\n');
      writeFileSync(path.join(home.home, 'config.toml'), `${text}\n`, { mode: 0o600 });
      const { code, stderr } = await home.run(['connect', '--cdp', 'team']);
      assert.notEqual(code, 0, file);
      assert.ok(existsSync(file) ? /contains no certificate/.test(stderr) : stderr.includes('missing.pem'), stderr);
      assert.ok(!stderr.includes(SECRET), stderr);
      assert.deepEqual(double.requests, []);
    }
  });

  test('the address itself works as an argument, by the authorities of the machine', async (t) => {
    const open = await new Double({
      tls: made,
      serve: () => [404, {}],
      target: (request) => (request.url === secretPath() ? browser.websocket : 404),
    }).start();
    t.after(() => open.stop());
    const typed = `wss://127.0.0.1:${open.port}${secretPath()}`;
    const home = homeWith(t, []);
    // A test adds no authority to the machine's own. This variable of the daemon names another file that has them.
    const daemon = home.start(['daemon', home.home], { environment: { SSL_CERT_FILE: ca } });
    assert.match(String((await once(daemon.stdout, 'data'))[0]), /ready/);
    assert.match(await home.ok(['connect', '--cdp', typed]), new RegExp(`cdp at wss://127\\.0\\.0\\.1:${open.port}/…`));
    await drives(home);
    assert.ok(!(await home.ok(['status'])).includes(secretPath()));
    await home.ok(['disconnect']);
    // The same address, where no authority vouches for it.
    const stranger = homeWith(t, []);
    assert.match((await stranger.run(['connect', '--cdp', typed])).stderr, /the identity of wss:.* cannot be verified/);
  });
});
