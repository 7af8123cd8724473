/*
 * `gstack connect` to a machine that takes the connection and then never answers, stops in the middle of an answer, or sends one
 * byte after the other for ever: a clear error by gstack's own deadline, nothing in use, and nothing left open there.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createHash } from 'node:crypto';
import { createServer } from 'node:net';
import { after, describe, test } from 'node:test';
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
  'a handshake, and then silence': ['--cdp', (port) => `ws://127.0.0.1:${port}/x`, shakeHands, /did not answer|no answer|timed out|within/],
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
