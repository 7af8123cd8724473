/*
 * `gstack connect` to a machine that takes the connection and then never answers, stops in the middle of an answer, or sends one
 * byte after the other for ever: a clear error by gstack's own deadline, nothing in use, and nothing left open there. The same for
 * one that reports tabs, frames or texts without end.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createHash } from 'node:crypto';
import { createServer } from 'node:net';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, describe, test } from 'node:test';
import { WebSocketServer } from 'ws';
import { TestHome } from './harness/home.mjs';
import { until } from './harness/wait.mjs';

const HALF = 'HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconn';
/** Longer than every deadline of the product: only a wait without one reaches it. */
const LIMIT = 400_000;

/** Starts a server that does `behave(socket, head)` once a connection sent something; counts the connections that are open. */
async function machine(behave) {
  const open = new Set();
  let arrived = 0;
  const server = createServer((socket) => {
    arrived++;
    open.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => open.delete(socket));
    socket.once('data', (data) => behave(socket, data.toString('latin1')));
    // So that the end of the other side is seen.
    socket.on('data', () => {});
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: server.address().port, open, arrived: () => arrived, stop: () => (open.forEach((one) => one.destroy()), server.close()) };
}

/** Sends a byte now and again, for as long as somebody takes them. */
function drip(socket, head) {
  socket.write(head);
  const timer = setInterval(() => socket.write('x'), 200);
  socket.on('close', () => clearInterval(timer));
}

/** Completes the websocket's handshake, and then says nothing. */
function shakeHands(socket, head) {
  const key = /sec-websocket-key: *(\S+)/i.exec(head)[1];
  const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
  socket.write(`HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-accept: ${accept}\r\n\r\n`);
}

const IN_TIME = /did not answer within \d+s/;

const CASES = {
  'a websocket endpoint that never answers': ['--cdp', (port) => `ws://127.0.0.1:${port}/x`, () => {}, IN_TIME],
  'half a handshake': ['--cdp', (port) => `ws://127.0.0.1:${port}/x`, (socket) => socket.write(HALF), IN_TIME],
  'a handshake that drips': [
    '--cdp',
    (port) => `ws://127.0.0.1:${port}/x`,
    (socket) => drip(socket, `${HALF}ection: `),
    /did not answer within|does not answer as expected/,
  ],
  'a handshake, and then silence': ['--cdp', (port) => `ws://127.0.0.1:${port}/x`, shakeHands, IN_TIME],
  'an http endpoint that never answers': ['--cdp', (port) => `http://127.0.0.1:${port}`, () => {}, IN_TIME],
  'an http answer that drips': [
    '--cdp',
    (port) => `http://127.0.0.1:${port}`,
    (socket) => drip(socket, 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100000\r\n\r\n{'),
    IN_TIME,
  ],
  'a TLS endpoint that never answers': ['--cdp', (port) => `wss://127.0.0.1:${port}/x`, () => {}, IN_TIME],
  'a grid that never answers': ['--grid', (port) => `http://127.0.0.1:${port}`, () => {}, IN_TIME],
  'a grid whose answer drips': [
    '--grid',
    (port) => `http://127.0.0.1:${port}`,
    (socket) => drip(socket, 'HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n{'),
    IN_TIME,
  ],
};

/** Sends a whole answer and closes. */
function answer(socket, value) {
  const text = JSON.stringify(value);
  socket.end(`HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n${text}`);
}

/** What hosted services do: by name, what the machine does for a request, and whether a session was created. */
const SERVICES = {
  'a service that never creates a session': ['browserbase', () => () => {}, false],
  'a service whose new session drips': [
    'browserbase',
    () => (socket) => drip(socket, 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100000\r\n\r\n{'),
    false,
  ],
  'a service whose session has a browser that never answers': [
    'browserbase',
    (port) => (socket, head) => {
      if (head.startsWith('POST')) answer(socket, { id: 'paid-for', connectUrl: `ws://127.0.0.1:${port()}/devtools` });
    },
    true,
  ],
  'a service whose session has a browser with half a handshake': [
    'steel',
    (port) => (socket, head) => {
      if (head.startsWith('POST')) answer(socket, { id: 'paid-for', websocketUrl: `ws://127.0.0.1:${port()}/devtools` });
      else drip(socket, HALF);
    },
    true,
  ],
  'a service that reserves by connecting and never answers': ['browserless', () => () => {}, false],
};
const KEYS = { BROWSERBASE_API_KEY: 'hunter2', STEEL_API_KEY: 'hunter2', BROWSERLESS_TOKEN: 'hunter2' };

describe('a machine that never answers', { concurrency: Object.keys(CASES).length }, () => {
  const homes = [];
  after(async () => {
    for (const home of homes) assert.deepEqual(await home.stop(), [], 'nothing is left behind');
  });

  for (const [name, [flag, address, behave, said]] of Object.entries(CASES)) {
    test(`${name}: a clear error by gstack's own deadline`, { timeout: LIMIT }, async (t) => {
      const home = new TestHome();
      homes.push(home);
      const far = await machine(behave);
      t.after(() => far.stop());
      const connecting = home.run(['connect', flag, address(far.port)], { limit: LIMIT });
      await until(() => far.arrived() > 0, 'it is asked');
      // Whoever waits for it holds nobody up.
      assert.equal((await home.json('status')).mode, 'none');
      const { code, stderr } = await connecting;
      assert.notEqual(code, 0);
      assert.match(stderr, said);
      assert.ok(stderr.includes(`127.0.0.1:${far.port}`) || flag === '--cdp', stderr);
      assert.equal((await home.json('status')).mode, 'none');
      await until(() => far.open.size === 0, 'no connection is left open there');
    });
  }

  for (const [name, [service, behave, isCreated]] of Object.entries(SERVICES)) {
    test(`${name}: a clear error by the person's own limit`, { timeout: LIMIT }, async (t) => {
      const home = new TestHome();
      homes.push(home);
      const heads = [];
      const far = await machine((socket, head) => {
        heads.push(head.split('\r\n')[0]);
        behave(() => far.port)(socket, head);
      });
      t.after(() => far.stop());
      mkdirSync(home.home, { mode: 0o700 });
      const settings = `[browser.endpoints.${service}]\nurl = "http://127.0.0.1:${far.port}"\nwait-seconds = 3\n`;
      writeFileSync(path.join(home.home, 'config.toml'), settings, { mode: 0o600 });
      const connecting = home.run(['connect', '--provider', service], { limit: LIMIT, environment: KEYS });
      await until(() => far.arrived() > 0, 'it is asked');
      assert.equal((await home.json('status')).mode, 'none');
      const { code, stderr } = await connecting;
      assert.notEqual(code, 0);
      assert.match(stderr, /did not answer within 3s/);
      assert.ok(stderr.includes(`127.0.0.1:${far.port}`) && !stderr.includes('hunter2'), stderr);
      assert.equal((await home.json('status')).mode, 'none');
      const released = heads.filter((head) => /paid-for/.test(head) && head.startsWith('POST'));
      assert.equal(released.length, isCreated ? 1 : 0, `the session is released: ${heads.join(', ')}`);
      await until(() => far.open.size === 0, 'no connection is left open there');
    });
  }

  test('a limit that no service can keep is refused', async () => {
    const home = new TestHome();
    homes.push(home);
    mkdirSync(home.home, { mode: 0o700 });
    for (const wait of ['0', '-1', '601', 'inf', 'nan']) {
      writeFileSync(path.join(home.home, 'config.toml'), `[browser.endpoints.steel]\nwait-seconds = ${wait}\n`, { mode: 0o600 });
      const { code, stderr } = await home.run(['connect', '--provider', 'steel'], { environment: KEYS });
      assert.notEqual(code, 0, wait);
      assert.match(stderr, /wait-seconds must be from 1 to 600/, wait);
    }
  });

  test('a connect that is given up leaves no connection', { timeout: LIMIT }, async (t) => {
    const home = new TestHome();
    homes.push(home);
    const far = await machine(() => {});
    t.after(() => far.stop());
    const connecting = home.run(['connect', '--cdp', `ws://127.0.0.1:${far.port}/x`], { limit: LIMIT });
    await until(() => far.open.size > 0, 'it is asked');
    await home.ok(['stop']);
    assert.notEqual((await connecting).code, 0);
    await until(() => far.open.size === 0, 'the daemon took its connection with it');
  });
});

/** A DevTools endpoint that answers every command and, once told to, sends the events that `report(number)` returns without end. */
async function endless(report) {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false });
  await once(server, 'listening');
  const far = { port: server.address().port, sockets: server.clients, sent: 0, starts: false, stop: () => server.close() };
  far.flood = async (socket) => {
    for (let number = 0; socket.readyState === 1 && far.sent < FLOOD; number++) {
      const message = JSON.stringify(report(number));
      far.sent += message.length;
      const written = new Promise((done) => socket.send(message, done));
      if (number % 200 === 199 || message.length > 100_000) await written;
    }
  };
  server.on('connection', (socket) => {
    socket.on('error', () => {});
    socket.on('message', (data) => {
      const { id, method, params, sessionId } = JSON.parse(data);
      const event = (of, about, session) => socket.send(JSON.stringify({ method: of, params: about, sessionId: session }));
      if (method === 'Target.setDiscoverTargets') {
        if (far.starts) return far.flood(socket);
        event('Target.targetCreated', { targetInfo: info('tab', 'T') });
        event('Target.targetCreated', { targetInfo: info('page', 'P') });
      }
      if (method === 'Target.setAutoAttach' && sessionId === 'of-T') event('Target.attachedToTarget', attached('page', 'P'), sessionId);
      const results = {
        'Target.attachToTarget': { sessionId: `of-${params?.targetId}` },
        'Page.getFrameTree': { frameTree: { frame: { id: 'P', loaderId: 'L', url: 'http://far.test/' } } },
        'Browser.getVersion': { product: 'Chrome/156.0.0.0', userAgent: 'x' },
        'Runtime.evaluate': { result: { type: 'undefined' } },
      };
      if (socket.readyState === 1) socket.send(JSON.stringify({ id, sessionId, result: results[method] ?? {} }));
    });
  });
  return far;
}

const LONG = 'x'.repeat(20_000);
/** Many times what gstack holds: only a connection without a limit takes it all. */
const FLOOD = 400_000_000;
const info = (type, targetId, more = {}) => ({ targetId, type, title: 'T', url: 'http://far.test/', attached: false, ...more });
const attached = (type, targetId) => ({ sessionId: `of-${targetId}`, targetInfo: info(type, targetId), waitingForDebugger: true });
const frame = (number) => ({ id: `f${number}`, parentId: 'P', loaderId: `${number}`, url: `http://far.test/${LONG}` });

/** What such a browser reports: whether it begins at the connection, and the events. */
const ENDLESS = {
  tabs: [true, (number) => ({ method: 'Target.targetCreated', params: { targetInfo: info('tab', `t${number}`) } })],
  pages: [true, (number) => ({ method: 'Target.targetCreated', params: { targetInfo: info('page', `p${number}`) } })],
  titles: [
    true,
    (number) => ({ method: 'Target.targetCreated', params: { targetInfo: info('page', `p${number}`, { title: 'x'.repeat(1_000_000) }) } }),
  ],
  'tabs that open': [false, (number) => ({ method: 'Target.attachedToTarget', params: attached('tab', `t${number}`) })],
  frames: [false, (number) => ({ method: 'Page.frameNavigated', sessionId: 'of-P', params: { frame: frame(number) } })],
  contexts: [
    false,
    (id) => ({
      method: 'Runtime.executionContextCreated',
      sessionId: 'of-P',
      params: { context: { id, origin: '', name: `w${id}${LONG}`, uniqueId: `${id}`, auxData: { isDefault: false, frameId: 'P' } } },
    }),
  ],
};

describe('a machine that reports without end', { concurrency: 2 }, () => {
  const homes = [];
  after(async () => {
    for (const home of homes) assert.deepEqual(await home.stop(), [], 'nothing is left behind');
  });

  for (const [name, [starts, report]] of Object.entries(ENDLESS)) {
    test(`${name}: gstack lets it go and says why`, { timeout: LIMIT }, async (t) => {
      const home = new TestHome();
      homes.push(home);
      const far = await endless(report);
      t.after(() => far.stop());
      far.starts = starts;
      const { code, stderr } = await home.run(['connect', '--cdp', `ws://127.0.0.1:${far.port}/x`], { limit: LIMIT });
      if (starts) {
        assert.notEqual(code, 0);
        assert.match(stderr, /the browser reports more tabs and frames than gstack holds/);
      } else {
        assert.equal(code, 0, stderr);
        // Engages the tab: its frames and contexts are known from then on.
        await home.ok(['url']);
        await home.run(['js', '1']);
        await Promise.all([...far.sockets].map(far.flood));
        const { lost } = (await home.json('status')).browsers?.[0] ?? (await home.json('status'));
        assert.match(lost ?? '', /it reports more tabs and frames than gstack holds/);
      }
      await until(() => far.sockets.size === 0, 'no connection is left open there');
      assert.ok(far.sent < FLOOD, `${far.sent} bytes were taken`);
      const [daemon] = home.processes('daemon');
      const most = Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${daemon.pid}/status`, 'utf8'))[1]);
      assert.ok(most < 250_000, `the daemon took ${most} KiB`);
    });
  }
});
