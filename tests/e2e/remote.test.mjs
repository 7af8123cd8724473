/*
 * `gstack connect --cdp`, `--grid` and `--provider`: browsers on other machines, all of them on loopback. What such a machine
 * answers is hostile: it may lead nowhere else and learns no credentials that are not its own, and no secret is in an
 * argument, a log or an answer.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { TestHome } from './harness/home.mjs';
import { processesOf } from './harness/processes.mjs';
import { assertNoSecret, certificates, Double, foreignBrowser, GridDouble, nowhere } from './harness/remote.mjs';
import { until } from './harness/wait.mjs';

const SECRET = 'hunter2-f00dfeed';
const WEBDRIVER = { limit: 120_000 };

/** A site with a file field and a download. */
async function site() {
  const server = createServer((request, response) => {
    if (request.url.startsWith('/file')) {
      response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-disposition': 'attachment; filename="report.bin"' });
      return response.end(Buffer.alloc(5000, 'r'));
    }
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end(`<!doctype html><title>Shop</title><input type="file" multiple id="field">
      <a id="get" href="/file">Get it</a><output></output>
      <script>field.onchange = async () => {
        const texts = await Promise.all([...field.files].map(async (file) => file.name + '=' + await file.text()));
        document.querySelector('output').textContent = texts.join(';');
      }</script>`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${server.address().port}/`, stop: () => (server.closeAllConnections(), server.close()) };
}

async function acts(home, at) {
  await home.ok(['goto', at.url]);
  assert.match(await home.ok(['js', 'document.title']), /Shop/);
  for (const name of ['one.txt', 'zwei ü.txt']) writeFileSync(path.join(home.person, name), `content of ${name}`);
  await home.ok(['upload', '#field', 'one.txt', 'zwei ü.txt']);
  await home.ok(['wait', '--text', 'one.txt=content of one.txt;zwei ü.txt=content of zwei ü.txt']);
}

describe('browsers on other machines', { concurrency: false }, () => {
  let browser;
  let shop;
  before(async () => {
    browser = await foreignBrowser();
    shop = await site();
  });
  after(async () => {
    shop.stop();
    await browser.end();
  });

  const config = (home, text) => {
    // The first command makes the home.
    writeFileSync(path.join(home.home, 'config.toml'), text, { mode: 0o600 });
  };
  const homeWith = async (text) => {
    const home = new TestHome();
    await home.ok(['settings']);
    config(home, text);
    return home;
  };

  test(
    'an endpoint behind TLS with its own authority and a header is driven, and its secrets stay in config.toml',
    WEBDRIVER,
    async (t) => {
      const home = await homeWith('');
      t.after(() => home.stop());
      const { ca, key, cert } = certificates(home.folder);
      const elsewhere = await nowhere();
      t.after(() => elsewhere.stop());
      const isOurs = (request) => request.headers.authorization === `Bearer ${SECRET}`;
      const double = await new Double({
        tls: { key, cert },
        // Another host and no TLS: only the path counts.
        serve: (request) =>
          isOurs(request)
            ? [200, { webSocketDebuggerUrl: `ws://127.0.0.1:${elsewhere.port}${new URL(browser.websocket).pathname}` }]
            : [401, { message: 'no' }],
        target: (request) => (isOurs(request) && request.url.startsWith('/devtools/browser/') ? browser.websocket : 401),
      }).start();
      t.after(() => double.stop());
      config(home, `[browser.endpoints.team]\nurl = "${double.origin}/?token=${SECRET}"\nca = "${ca}"\n`);
      const denied = await home.run(['connect', '--cdp', 'team']);
      assert.match(denied.stderr, /does not accept the credentials/);
      config(
        home,
        `[browser.endpoints.team]\nurl = "${double.origin}/?token=${SECRET}"\nca = "${ca}"\n` +
          `headers = { Authorization = "Bearer ${SECRET}" }\n`,
      );
      const said = await home.ok(['connect', '--cdp', 'team']);
      assert.match(said, new RegExp(`browser attached.*cdp at https://127\\.0\\.0\\.1:${double.port}/…`));
      assert(!said.includes(SECRET));
      assert.match(await home.ok(['connect', '--cdp', 'team']), /browser found/);
      assert.match((await home.run(['connect', '--cdp', 'http://127.0.0.1:9'])).stderr, /already driving another browser/);
      const status = JSON.parse(await home.ok(['--json', 'status']));
      assert.deepEqual([status.mode, status.remote], ['remote', { provider: 'cdp', at: `https://127.0.0.1:${double.port}/…` }]);
      await acts(home, shop);
      const clicked = await home.ok(['click', '#get']);
      assert.match(clicked, /on another machine.*gstack download URL/);
      const file = path.join(home.person, 'got.bin');
      await home.ok(['download', `${shop.url}file`, file]);
      assert.equal(statSync(file).size, 5000);
      const refused = await home.run(['goto', 'http://169.254.169.254/latest']);
      assert.match(refused.stderr, /metadata/);
      await assertNoSecret(home, SECRET);
      assert.match(await home.ok(['disconnect']), /stays open without gstack/);
      assert.deepEqual(elsewhere.arrived, [], 'an answer led to another address');
      assert(double.requests.every(({ method, url }) => method !== 'UPGRADE' || url.includes(`token=${SECRET}`)));
    },
  );

  test('a certificate that nobody vouches for, a redirect, garbage, too much and half an answer are errors', WEBDRIVER, async (t) => {
    const home = await homeWith('');
    t.after(() => home.stop());
    const { key, cert } = certificates(home.folder);
    const elsewhere = await nowhere();
    t.after(() => elsewhere.stop());
    const endless = 'x'.repeat(4 * 1024 * 1024);
    const away = `http://127.0.0.1:${elsewhere.port}/json/version`;
    const named = (websocket) => [200, { webSocketDebuggerUrl: websocket }];
    const answers = {
      '/redirect': [302, '', { location: away }],
      '/moved': [308, '', { location: away }],
      '/garbage': [200, '\u0000<html>'],
      '/huge': [200, endless],
      '/none': [200, {}],
      '/file': named('file:///etc/passwd'),
      '/error': [500, `{"secret": "${endless}"}`],
      '/socket-redirect': named('ws://127.0.0.1/to-redirect'),
      '/socket-refused': named('ws://127.0.0.1/to-nothing'),
    };
    const serve = (request) => answers[request.url.replace('/json/version', '')] ?? [404, {}];
    const target = (request) => (request.url === '/to-redirect' ? 302 : 404);
    const double = await new Double({ serve, target }).start();
    double.elsewhere = away;
    t.after(() => double.stop());
    for (const [at, words] of [
      ['/redirect', /redirects to another address, which is not followed/],
      ['/moved', /redirects to another address/],
      ['/garbage', /does not name a browser/],
      ['/huge', /more than \d+ bytes/],
      ['/none', /does not name a browser/],
      ['/file', /does not name a websocket/],
      ['/error', /more than \d+ bytes/],
      ['/socket-redirect', /redirects to another address/],
      ['/socket-refused', /answered 404 Not Found to the websocket handshake/],
    ]) {
      const { code, stderr } = await home.run(['connect', '--cdp', `${double.origin}${at}`]);
      assert.equal(code !== 0 && words.test(stderr), true, `${at}: ${stderr}`);
      assert(stderr.length < 2000, `${at}: a long answer is shown`);
    }
    const tls = await new Double({ tls: { key, cert }, serve, target }).start();
    t.after(() => tls.stop());
    assert.match((await home.run(['connect', '--cdp', tls.origin])).stderr, /identity of .* cannot be verified/);
    assert.match((await home.run(['connect', '--cdp', `wss://127.0.0.1:${tls.port}/x`])).stderr, /cannot be verified/);
    // TLS toward a plain port is an error, never a plain connection.
    assert.match(
      (await home.run(['connect', '--cdp', `https://127.0.0.1:${double.port}`])).stderr,
      /cannot be verified|no browser answers/,
    );
    assert.deepEqual(tls.requests, [], 'something was sent before the identity was known');
    for (const [text, words] of [
      [`wss://127.0.0.1:9/?token=${SECRET}`, /the parameter token would be readable by every user/],
      [`wss://me:${SECRET}@127.0.0.1:9/`, /a user name or password would be readable/],
      ['nonsense', /neither an address nor the name of an endpoint/],
      ['file:///etc/passwd', /not valid/],
      ['http://127.0.0.1:9', /no browser answers at/],
    ]) {
      const { stderr } = await home.run(['connect', '--cdp', text]);
      assert(words.test(stderr) && !stderr.includes(SECRET), `${text}: ${stderr}`);
    }
    assert.deepEqual(elsewhere.arrived, [], 'a redirect was followed');
    assert.equal(JSON.parse(await home.ok(['--json', 'status'])).mode, 'none');
  });

  test('half a frame, a message that is no JSON and a socket that closes end the connection, not the daemon', WEBDRIVER, async (t) => {
    const home = await homeWith('');
    t.after(() => home.stop());
    const frames = {
      half: (socket) => socket.end(Buffer.from([0x81, 0x7e, 0xff])),
      garbage: (socket) => socket.write(Buffer.concat([Buffer.from([0x81, 5]), Buffer.from('{"id"')])),
      masked: (socket) => socket.write(Buffer.from([0xf1, 0x80, 0, 0, 0, 0])),
      long: (socket) => socket.write(Buffer.from([0x81, 0x7f, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff])),
      closed: (socket) => socket.end(),
    };
    const server = createServer();
    server.on('upgrade', async (request, socket) => {
      const { createHash } = await import('node:crypto');
      const accept = createHash('sha1')
        .update(`${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
        .digest('base64');
      socket.on('error', () => {});
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-accept: ${accept}\r\n\r\n`,
      );
      socket.once('data', () => frames[request.url.slice(1)](socket));
      if (request.url === '/garbage') socket.once('data', () => setTimeout(() => socket.end(), 50));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.after(() => (server.closeAllConnections(), server.close()));
    for (const kind of Object.keys(frames)) {
      const { code } = await home.run(['connect', '--cdp', `ws://127.0.0.1:${server.address().port}/${kind}`], { limit: 90_000 });
      assert.notEqual(code, 0, kind);
    }
    assert.equal(JSON.parse(await home.ok(['--json', 'status'])).mode, 'none');
  });

  test('a grid gives a session, moves files, and gets the session back at each kind of end', { timeout: 400_000 }, async (t) => {
    const grid = await new GridDouble({ queue: 1500 }).start();
    t.after(() => grid.stop());
    const home = await homeWith('');
    t.after(() => home.stop());
    const said = await home.ok(['connect', '--grid', grid.url], WEBDRIVER);
    assert.match(said, /browser attached.*grid at http:\/\/127\.0\.0\.1:\d+, node http:\/\/node1\.internal:5555/);
    const status = await home.ok(['status']);
    const [session] = grid.created;
    assert(status.includes(`watch ws://127.0.0.1:${grid.http.port}/session/${session}/se/vnc`), status);
    await acts(home, shop);
    await home.ok(['click', '#get']);
    const waited = JSON.parse(await home.ok(['--json', 'downloads']));
    const text = JSON.stringify(waited);
    const saved = /"(\/[^"]*report\.bin)"/.exec(text)?.[1];
    await until(
      () => saved ?? /report\.bin/.test(text),
      () => text,
    );
    const file = await until(
      async () => /"(\/[^"]*report[^"]*\.bin)"/.exec(await home.ok(['--json', 'downloads']))?.[1],
      () => `no file: ${text}`,
    );
    assert.equal(readFileSync(file, 'latin1'), 'r'.repeat(5000));
    const busy = new TestHome();
    t.after(() => busy.stop());
    assert.match((await busy.run(['connect', '--grid', grid.url], WEBDRIVER)).stderr, /every browser of the grid .* is busy/);
    const reports = grid.http.requests.filter(({ method, url }) => method === 'GET' && url === `/session/${session}/timeouts`);
    assert(reports.length > 0, 'the grid is told that the session is in use');
    assert.match(await home.ok(['disconnect'], WEBDRIVER), /the browser is closed/);
    assert.deepEqual(grid.deleted, [session]);

    await home.ok(['connect', '--grid', grid.url], WEBDRIVER);
    await home.ok(['stop']);
    await until(
      () => grid.deleted.length === 2,
      () => `after stop: ${grid.deleted}`,
    );

    await home.ok(['connect', '--grid', grid.url], WEBDRIVER);
    const { pid } = JSON.parse(await home.ok(['--json', 'status']));
    process.kill(pid, 'SIGKILL');
    await until(
      () => !processesOf(home.home).some((one) => one.pid === pid),
      () => 'the daemon lives',
    );
    assert.equal(grid.deleted.length, 2);
    await home.ok(['settings']);
    await until(
      () => grid.deleted.length === 3,
      () => 'the next daemon did not end the session',
    );
    assert.deepEqual([...grid.deleted].sort(), [...grid.created].sort());

    await home.ok(['connect', '--grid', grid.url], WEBDRIVER);
    grid.nodes[0].kill();
    assert.match((await home.run(['text'], WEBDRIVER)).stderr, /the browser that gstack drives was closed/);
    assert.equal(JSON.parse(await home.ok(['--json', 'status'])).mode, 'none', 'a lost node is still in use');
    // The second command opened a browser on this machine.
    for (const command of [['click', 'h1'], ['goto', grid.url], ['text']]) {
      const { code, stderr } = await home.run(command, WEBDRIVER);
      assert.notEqual(code, 0);
      assert.match(stderr, /the browser on the other machine is gone: .*\n.*opens none on this machine/);
    }
    assert.deepEqual(home.processes('browser-keeper'), [], 'no browser was started here');
    assert.match(await home.ok(['disconnect'], WEBDRIVER), /the browser is closed/);
    await home.ok(['goto', 'about:blank'], WEBDRIVER);
    assert.equal(home.processes('browser-keeper').length, 1, 'after that, this machine is chosen');
    await home.ok(['disconnect'], WEBDRIVER);
    assert.match((await home.run(['connect', '--grid', `${grid.url}/nothing`])).stderr, /did not create a session|does not answer/);
  });

  test('a grid without nodes, one that refuses, and capabilities that are none are said in plain words', WEBDRIVER, async (t) => {
    const home = await homeWith('');
    t.after(() => home.stop());
    const value = { error: 'session not created', message: `Host "x" \u001b[31mis\nunavailable` };
    let nodes = [];
    const serve = (request) => (request.url === '/status' ? [200, { value: { ready: false, nodes } }] : [500, { value }]);
    const double = await new Double({ serve, target: () => 404 }).start();
    t.after(() => double.stop());
    const fails = async (...more) => (await home.run(['connect', '--grid', double.origin, ...more])).stderr;
    assert.match(await fails(), /the grid has no node that is up/);
    nodes = [{ uri: 'http://n1:5555', slots: [{ session: null }] }];
    const stderr = await fails();
    assert.match(stderr, /did not create a session: Host "x" \[31mis/);
    assert(!stderr.includes('\u001b') && !stderr.includes('unavailable'));
    assert.match(await fails('--caps', '{"a":'), /capabilities are not valid/);
    assert.match(await fails('--caps', 'missing.json'), /missing\.json cannot be read/);
    writeFileSync(path.join(home.person, 'caps.json'), '{"browserVersion": "stable"}');
    await fails('--caps', 'caps.json');
    assert.equal(double.requests.at(-2).body.capabilities.alwaysMatch.browserVersion, 'stable');
  });

  test('a request is ended like a session, whatever it came to after its daemon had ended', { timeout: 400_000 }, async (t) => {
    const grid = await new GridDouble().start();
    t.after(() => grid.stop());
    const record = (home) => path.join(home.home, 'remote-sessions.json');
    /** Connects, ends the daemon when its request is where `at` says, and returns a function that lets the node go on. */
    const endedIn = async (home, at, signal) => {
      let goOn;
      grid.ready = new Promise((resolve) => (goOn = resolve));
      home.start(['connect', '--grid', grid.url]);
      await until(at, () => 'the request did not arrive', 60_000);
      assert.match(readFileSync(record(home), 'utf8'), /"session":"gstack-[^"]+","requested":\d+/);
      const daemon = await home.only('daemon');
      if (signal === 'SIGKILL') await home.kill(daemon);
      else process.kill(daemon, signal);
      return goOn;
    };
    const starts = () => grid.nodes[0].taken && !grid.nodes[0].session;
    const allEnded = (home, count) =>
      until(
        () => grid.created.length === count && grid.deleted.length === count && !existsSync(record(home)),
        () => `created ${grid.created}, ended ${grid.deleted}, record ${existsSync(record(home)) && readFileSync(record(home), 'utf8')}`,
        60_000,
      );
    const home = await homeWith('');
    t.after(() => home.stop());
    (await endedIn(home, starts, 'SIGKILL'))();
    await until(
      () => grid.created.length === 1,
      () => 'no session',
      60_000,
    );
    assert.equal(grid.deleted.length, 0, 'no daemon is left to end it');
    await home.ok(['settings']);
    await allEnded(home, 1);

    const goOn = await endedIn(home, starts, 'SIGKILL');
    await home.ok(['settings']);
    const before = grid.http.requests.length;
    await until(
      () => grid.http.requests.slice(before).some(({ url }) => url === '/status'),
      () => 'the Grid is not asked',
    );
    assert(existsSync(record(home)), 'a session that is being started is waited for');
    goOn();
    await allEnded(home, 2);

    // The daemon that is told to end does it itself.
    (await endedIn(home, starts, 'SIGTERM'))();
    await allEnded(home, 3);

    const other = await homeWith('');
    t.after(() => other.stop());
    await other.ok(['connect', '--grid', grid.url], WEBDRIVER);
    await endedIn(home, () => grid.waiting.length === 1, 'SIGTERM');
    await until(
      () => !existsSync(record(home)),
      () => 'a request that left the queue is still on record',
      60_000,
    );
    assert.equal(grid.created.length, 4, 'it has created nothing');
    assert.match(await other.ok(['disconnect'], WEBDRIVER), /the browser is closed/);
    assert.equal(grid.deleted.length, 4);
  });

  test('a session that is not released is named without the path of its address, which may be a secret', WEBDRIVER, async (t) => {
    const double = await new Double({ serve: () => [500, { value: { error: 'unknown error', message: 'not now' } }] }).start();
    t.after(() => double.stop());
    const home = await homeWith('');
    t.after(() => home.stop());
    await home.kill(await home.only('daemon'));
    const left = [
      { browser: { grid: { hub: `${double.origin}/${SECRET}/wd/hub`, capabilities: null } }, session: 's-1' },
      { browser: { grid: { hub: `${double.origin}/${SECRET}`, capabilities: null } }, session: 'gstack-1', requested: Date.now() },
    ];
    writeFileSync(path.join(home.home, 'remote-sessions.json'), JSON.stringify(left), { mode: 0o600 });
    await home.ok(['settings']);
    const status = `${await home.ok(['status'])}${await home.ok(['--json', 'status'])}`;
    assert.match(status, new RegExp(`Not released: 2 sessions at ${double.origin}/… `));
    const said = await home.run(['disconnect'], WEBDRIVER);
    for (const id of ['s-1', 'gstack-1']) {
      assert.match(said.stdout + said.stderr, new RegExp(`session ${id} at ${double.origin}/… was not released: `));
    }
    const json = await home.run(['--json', 'disconnect'], WEBDRIVER);
    assert.equal(double.requests.filter(({ url }) => url.startsWith(`/${SECRET}`)).length > 4, true, 'both are asked for');
    assert.doesNotMatch(`${status}${JSON.stringify([said, json])}`, new RegExp(SECRET));
    await assertNoSecret(home, SECRET, ['remote-sessions.json']);
  });

  test('a hosted session that is created while the daemon ends is released', WEBDRIVER, async (t) => {
    const { create, answer, released, variables } = SERVICES.steel;
    let goOn;
    const ready = new Promise((resolve) => (goOn = resolve));
    const double = await new Double({
      serve: async (request) => {
        if (request.method === create[0] && request.url === create[1]) {
          await ready;
          return [200, answer(`ws://127.0.0.1:${double.port}`)];
        }
        return [200, { success: true }];
      },
      target: () => browser.websocket,
    }).start();
    t.after(() => double.stop());
    const home = await homeWith(`[browser.endpoints.steel]\nurl = "${double.origin}"\n`);
    t.after(() => home.stop());
    const asked = (step) => double.requests.filter(({ method, url }) => method === step[0] && url === step[1]).length;
    home.start(['connect', '--provider', 'steel'], { environment: variables });
    await until(
      () => asked(create) === 1,
      () => 'no session is requested',
      60_000,
    );
    process.kill(await home.only('daemon'), 'SIGTERM');
    goOn();
    await until(
      () => asked(released) === 1,
      () => `not released: ${JSON.stringify(double.requests)}`,
      60_000,
    );
  });

  test('a chromedriver without a grid is driven through its own port', { timeout: 200_000 }, async (t) => {
    const grid = await new GridDouble().start();
    t.after(() => grid.stop());
    const home = await homeWith('');
    t.after(() => home.stop());
    const [node] = grid.nodes;
    const caps = { browserName: 'chrome', 'goog:chromeOptions': { binary: '/usr/bin/chromium', args: ['--headless=new', '--no-sandbox'] } };
    await home.ok(['connect', '--grid', node.driver, '--caps', JSON.stringify(caps)], WEBDRIVER);
    await acts(home, shop);
    assert.match(await home.ok(['click', '#get']), /report\.bin/);
    assert.match(await home.ok(['disconnect'], WEBDRIVER), /the browser is closed/);
    const status = await (await fetch(`${node.driver}/sessions`)).json();
    assert.deepEqual(status.value, []);
  });

  const SERVICES = {
    browserless: {
      variables: { BROWSERLESS_TOKEN: SECRET },
      connects: ({ url }) => url === `/?token=${SECRET}`,
      released: undefined,
    },
    browserbase: {
      variables: { BROWSERBASE_API_KEY: SECRET, BROWSERBASE_PROJECT_ID: 'project-1' },
      create: ['POST', '/v1/sessions', ({ headers, body }) => headers['x-bb-api-key'] === SECRET && body.projectId === 'project-1'],
      answer: (ws) => ({ id: 's-1', status: 'RUNNING', region: 'eu-central-1', connectUrl: `${ws}/?signingKey=${SECRET}` }),
      connects: ({ url, headers }) => url === `/?signingKey=${SECRET}` && !headers['x-bb-api-key'],
      released: ['POST', '/v1/sessions/s-1', ({ body }) => body.status === 'REQUEST_RELEASE' && body.projectId === 'project-1'],
    },
    steel: {
      variables: { STEEL_API_KEY: SECRET },
      create: ['POST', '/v1/sessions', ({ headers }) => headers['steel-api-key'] === SECRET],
      answer: (ws) => ({ id: 's-1', status: 'live', websocketUrl: `${ws}/?sessionId=s-1` }),
      connects: ({ url }) => url === `/?sessionId=s-1&apiKey=${SECRET}`,
      released: ['POST', '/v1/sessions/s-1/release', ({ headers }) => headers['steel-api-key'] === SECRET],
    },
    hyperbrowser: {
      variables: { HYPERBROWSER_API_KEY: SECRET },
      create: ['POST', '/api/session', ({ headers }) => headers['x-api-key'] === SECRET],
      answer: (ws) => ({ id: 's-1', status: 'active', wsEndpoint: `${ws}/?token=${SECRET}` }),
      connects: ({ url, headers }) => url === `/?token=${SECRET}` && !headers['x-api-key'],
      released: ['PUT', '/api/session/s-1/stop', ({ headers }) => headers['x-api-key'] === SECRET],
    },
    cloudflare: {
      variables: { CLOUDFLARE_API_TOKEN: SECRET, CLOUDFLARE_ACCOUNT_ID: 'acc1' },
      create: [
        'POST',
        '/client/v4/accounts/acc1/browser-rendering/devtools/browser?keep_alive=600000',
        ({ headers }) => headers.authorization === `Bearer ${SECRET}`,
      ],
      answer: (ws) => ({ sessionId: 's-1', webSocketDebuggerUrl: `${ws}/client/v4/accounts/acc1/browser-rendering/devtools/browser/s-1` }),
      connects: ({ url, headers }) => url.endsWith('/devtools/browser/s-1') && headers.authorization === `Bearer ${SECRET}`,
      released: [
        'DELETE',
        '/client/v4/accounts/acc1/browser-rendering/devtools/browser/s-1',
        ({ headers }) => headers.authorization === `Bearer ${SECRET}`,
      ],
    },
  };
  /** Asserts that the next daemon releases a session: when it is given the key again, or at once if config.toml has it. */
  const releasesWhatAKilledDaemonLeft = async (home, name, service, double) => {
    const [method, url] = service.released;
    const releases = () => double.requests.filter((one) => one.method === method && one.url === url).length;
    const record = path.join(home.home, 'remote-sessions.json');
    const [key, account = ''] = Object.values(service.variables);
    const given = { environment: service.variables };
    assert.equal(releases(), 1);
    await home.ok(['connect', '--provider', name], given);
    await home.kill(await home.only('daemon'));
    await home.ok(['settings']);
    assert.equal(releases(), 1, 'without the key it cannot be released');
    assert(existsSync(record), 'it is not forgotten');
    assert.match(await home.ok(['status']), new RegExp(`Not released: a session at ${name} \\(gstack disconnect tries again\\)`));
    const keyless = await home.ok(['disconnect']);
    assert.match(keyless, new RegExp(`No browser was open[^]*session s-1 at ${name} was not released: there is no API key for`));
    assert.equal(releases(), 1);
    await home.kill(await home.only('daemon'));
    const { noneOpen, released, left } = JSON.parse(await home.ok(['--json', 'disconnect'], given));
    assert.deepEqual([noneOpen, released, left, releases()], [true, 1, undefined, 2], 'with the key it is released, without a browser');
    assert(!existsSync(record) && !/Not released/.test(await home.ok(['status'])));
    await home.ok(['connect', '--provider', name], given);
    await home.kill(await home.only('daemon'));
    await home.ok(['connect', '--provider', name], given);
    assert.equal(releases(), 3, 'the session of the killed daemon is released before the next one is created');
    await home.kill(await home.only('daemon'));
    const before = readFileSync(path.join(home.home, 'config.toml'), 'utf8');
    config(home, `${before}key = "${key}"\n${account && `account = "${account}"\n`}`);
    await home.ok(['settings']);
    await until(
      () => releases() === 4 && !existsSync(record),
      () => `the next daemon did not release the session: ${releases()}`,
    );
    config(home, before);
    assert.equal((await home.status()).mode, 'none');
  };
  for (const [name, service] of Object.entries(SERVICES)) {
    test(`${name}: a session as documented, and its release`, WEBDRIVER, async (t) => {
      const elsewhere = await nowhere();
      t.after(() => elsewhere.stop());
      let leadsAway = false;
      const double = await new Double({
        serve: () => {
          const asked = double.requests.at(-1);
          const is = (step) => step && asked.method === step[0] && asked.url === step[1] && step[2](asked);
          const at = leadsAway ? elsewhere.port : double.port;
          if (is(service.create)) return [200, service.answer(`ws://127.0.0.1:${at}`)];
          return is(service.released) ? [200, { success: true }] : [400, { message: `bad request with key ${SECRET}` }];
        },
        target: (request) => (service.connects(request) ? browser.websocket : 401),
      }).start();
      t.after(() => double.stop());
      const home = await homeWith(`[browser.endpoints.${name}]\nurl = "${double.origin}"\n`);
      t.after(() => home.stop());
      const missing = await home.run(['connect', '--provider', name]);
      assert.match(missing.stderr, /there is no API key for/);
      const given = { environment: service.variables };
      const said = await home.ok(['connect', '--provider', name], given);
      assert.match(said, new RegExp(`browser attached.*${name} at http://127\\.0\\.0\\.1`));
      await acts(home, shop);
      await assertNoSecret(home, SECRET);
      assert.match(await home.ok(['disconnect']), /the browser is closed/);
      const last = double.requests.at(-1);
      if (service.released) assert.deepEqual([last.method, last.url], service.released.slice(0, 2));
      if (!service.create) return;
      await releasesWhatAKilledDaemonLeft(home, name, service, double);
      leadsAway = true;
      const { stderr } = await home.run(['connect', '--provider', name], given);
      assert.match(stderr, /refers to a browser at .*, which is not its own address/);
      assert.deepEqual([double.requests.at(-1).url, elsewhere.arrived], [service.released[1], []], 'a useless session is released');
      service.create[2] = () => false;
      const wrong = await home.run(['connect', '--provider', name], given);
      assert(/did not create a session: bad request with key …/.test(wrong.stderr) && !wrong.stderr.includes(SECRET), wrong.stderr);
      await assertNoSecret(home, SECRET);
    });
  }
});
