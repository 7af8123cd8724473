/*
 * The native messaging host with the test in Chrome's place: what it accepts, what it refuses, and with which message.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { frame } from './harness/frames.mjs';
import { TestHome } from './harness/home.mjs';
import { HELLO, host } from './harness/host.mjs';
import { isAlive } from './harness/processes.mjs';
import { until, within } from './harness/wait.mjs';

describe('the native messaging host', () => {
  let home;
  before(() => {
    home = new TestHome();
  });
  after(async () => assert.deepEqual(await home.stop(), [], 'no process had to be forced'));

  test('starts a daemon, greets, and ends with its port while the daemon stays', async () => {
    const chrome = host(home);
    chrome.write(frame(HELLO));
    const welcome = await chrome.frames.next((message) => message.id === 1);
    assert.equal(welcome.error, undefined);
    assert.equal(welcome.result.protocol, 2);
    assert.ok(welcome.result.epoch);
    chrome.child.stdin.end();
    assert.equal(await within(chrome.ended, 'the host did not end with its port'), 0);
    assert.equal(await home.only('daemon'), welcome.result.pid);
  });

  test('a protocol of the future is refused in words', async () => {
    const chrome = host(home);
    chrome.write(frame({ ...HELLO, params: { ...HELLO.params, protocol: 999 } }));
    const { error } = await chrome.frames.next((message) => message.id === 1);
    assert.equal(error.code, 'protocol-mismatch');
    assert.ok(error.hint, 'it says what to do');
    chrome.child.stdin.end();
    await within(chrome.ended, 'the host did not end');
  });

  test('another extension is refused, with nothing on standard output', async () => {
    const chrome = host(home, 'chrome-extension://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/');
    assert.notEqual(await within(chrome.ended, 'the host did not end'), 0);
    assert.match(chrome.said(), /not the gstack extension/);
    assert.equal(chrome.frames.rest.length, 0);
  });

  test('a message that is not JSON spoils only itself', async () => {
    const chrome = host(home);
    chrome.write(frame('{"id":'), frame(Buffer.from([0xff, 0xfe])), frame(HELLO));
    const welcome = await chrome.frames.next((message) => message.id === 1);
    assert.equal(welcome.result.protocol, 2);
    chrome.child.stdin.end();
    await within(chrome.ended, 'the host did not end');
  });

  test('an unknown method and missing parameters are refused, each to its own request', async () => {
    const chrome = host(home);
    chrome.write(
      frame(HELLO),
      frame({ jsonrpc: '2.0', id: 2, method: 'no.such', params: {} }),
      frame({ jsonrpc: '2.0', id: 3, method: 'chat.subscribe', params: {} }),
    );
    assert.equal((await chrome.frames.next((message) => message.id === 2)).error.code, 'bad-request');
    assert.equal((await chrome.frames.next((message) => message.id === 3)).error.code, 'bad-request');
    chrome.child.stdin.end();
    await within(chrome.ended, 'the host did not end');
  });

  for (const [name, bytes] of [
    ['a frame over the cap', frame('', 0xffff_ffff)],
    ['a frame of zero bytes', frame('', 0)],
  ]) {
    test(`${name} ends the host with a fault that names the hop`, async () => {
      const chrome = host(home);
      chrome.write(bytes);
      const fault = await chrome.frames.next((message) => message.method === 'fault');
      assert.equal(fault.params.code, 'bad-request');
      assert.equal(fault.params.hop, 'host');
      assert.equal(await within(chrome.ended, 'the host did not end'), 1);
    });
  }

  test('the end of input inside a frame is told and ends the host', async () => {
    const chrome = host(home);
    chrome.child.stdin.end(frame('{}', 100));
    const fault = await chrome.frames.next((message) => message.method === 'fault');
    assert.equal(fault.params.code, 'bad-request');
    assert.equal(await within(chrome.ended, 'the host did not end'), 1);
  });

  test('a message near 64 MiB is taken and answered', async () => {
    const chrome = host(home);
    chrome.write(frame(HELLO), frame({ jsonrpc: '2.0', id: 9, method: 'no.such', params: 'x'.repeat(20 * 1024 * 1024) }));
    assert.equal((await chrome.frames.next((message) => message.id === 9)).error.code, 'bad-request');
    chrome.child.stdin.end();
    await within(chrome.ended, 'the host did not end');
  });

  test('when the daemon is killed the host says so and ends', async () => {
    const chrome = host(home);
    chrome.write(frame(HELLO));
    const { result } = await chrome.frames.next((message) => message.id === 1);
    await home.kill(result.pid);
    const fault = await chrome.frames.next((message) => message.method === 'fault');
    assert.equal(fault.params.code, 'daemon-down');
    assert.equal(fault.params.hop, 'daemon');
    assert.equal(await within(chrome.ended, 'the host did not end'), 1);
    // The next port finds a new daemon with a new epoch.
    const again = host(home);
    again.write(frame(HELLO));
    const second = await again.frames.next((message) => message.id === 1);
    assert.notEqual(second.result.epoch, result.epoch);
    again.child.stdin.end();
    await within(again.ended, 'the host did not end');
  });

  test('ten hosts at once share one daemon', async () => {
    await home.run(['stop']);
    const hosts = Array.from({ length: 10 }, () => host(home));
    for (const one of hosts) one.write(frame(HELLO));
    const pids = await Promise.all(hosts.map(async (one) => (await one.frames.next((message) => message.id === 1)).result.pid));
    assert.equal(new Set(pids).size, 1);
    for (const one of hosts) one.child.stdin.end();
    await within(Promise.all(hosts.map((one) => one.ended)), 'the hosts did not end');
  });
});

describe('what a person reads when something is in the way', () => {
  /** Runs one command in its own home and returns its standard error. */
  async function refused(prepare, args = ['status'], options = {}) {
    const home = new TestHome();
    try {
      const more = (await prepare(home)) ?? {};
      const { code, stderr } = await home.run(args, { ...options, ...more });
      assert.notEqual(code, 0, 'it is refused');
      assert.doesNotMatch(stderr, /panicked|RUST_BACKTRACE/);
      return stderr;
    } finally {
      assert.deepEqual(await home.stop(), []);
    }
  }

  test('a home that others can write', async () => {
    const said = await refused((home) => {
      mkdirSync(home.home);
      chmodSync(home.home, 0o777);
    });
    assert.match(said, /can be written by others/);
    assert.match(said, /chmod 700/);
  });

  test('a home that is a file', async () => {
    const said = await refused((home) => {
      writeFileSync(path.join(home.folder, 'g'), 'a file');
    });
    assert.match(said, /can't be used/);
    assert.match(said, /GSTACK_HOME/);
  });

  test('a browser that does not exist', async () => {
    const said = await refused(() => ({ environment: { GSTACK_BROWSER_PATH: '/nowhere/chromium' } }), ['connect', '--headless'], {
      limit: 60_000,
    });
    assert.match(said, /\/nowhere\/chromium/);
  });

  test('a browser that ends at once is told with what it said', async () => {
    const said = await refused(
      (home) => {
        const broken = path.join(home.folder, 'broken');
        writeFileSync(broken, '#!/bin/sh\necho "cannot open display" >&2\nexit 3\n', { mode: 0o755 });
        return { environment: { GSTACK_BROWSER_PATH: broken } };
      },
      ['connect', '--headless'],
      { limit: 90_000 },
    );
    assert.match(said, /cannot open display/);
  });

  test('an unknown command names the nearest one, as a usage error', async () => {
    const home = new TestHome();
    const { code, stderr } = await home.run(['snapshto']);
    assert.equal(code, 2);
    assert.match(stderr, /snapshot/);
    await home.stop();
  });

  test('a session name that is none', async () => {
    assert.match(await refused(() => {}, ['--session', '../up', 'status']), /session name/);
  });
});

describe('the daemon', () => {
  let home;
  before(() => {
    home = new TestHome();
  });
  after(async () => assert.deepEqual(await home.stop(), [], 'no process had to be forced'));

  test('takes another port when the usual one is taken, and says which', async () => {
    mkdirSync(home.home, { mode: 0o700 });
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address();
    writeFileSync(path.join(home.home, 'config.toml'), `[daemon]\nport = ${port}\n`, { mode: 0o600 });
    await home.ok(['agents']);
    const state = JSON.parse(readFileSync(path.join(home.home, 'browse.json'), 'utf8'));
    taken.close();
    assert.notEqual(state.port, port);
    assert.equal((await fetch(`http://127.0.0.1:${state.port}/health`)).status, 200);
  });

  test('leaves files that only their owner can read', () => {
    assert.equal(statSync(home.home).mode & 0o777, 0o700);
    for (const name of ['browse.json', 'daemon.log', 'daemon.lock']) {
      assert.equal(statSync(path.join(home.home, name)).mode & 0o077, 0, name);
    }
  });

  test('gives nothing away on its port without the token, and nothing to web pages with it', async () => {
    const { port, token } = JSON.parse(readFileSync(path.join(home.home, 'browse.json'), 'utf8'));
    const ask = (where, headers = {}) => fetch(`http://127.0.0.1:${port}${where}`, { headers });
    const authorization = `Bearer ${token}`;
    assert.equal((await ask('/status')).status, 403);
    assert.equal((await ask('/status', { authorization: 'Bearer wrong' })).status, 403);
    assert.equal((await ask('/status', { authorization })).status, 200);
    assert.equal((await ask('/status', { authorization, origin: 'https://evil.example' })).status, 403);
    assert.doesNotMatch(await (await ask('/health')).text(), new RegExp(token));
    const person = await fetch(`http://127.0.0.1:${port}/stop`, {
      method: 'POST',
      body: '{}',
      headers: { authorization, 'content-type': 'application/json' },
    });
    assert.equal(person.status, 403, 'what belongs to the person is not offered on the port');
  });

  test('ends by itself when nobody has needed it for long', async () => {
    const idle = new TestHome();
    try {
      mkdirSync(idle.home, { mode: 0o700 });
      writeFileSync(path.join(idle.home, 'config.toml'), '[daemon]\nidle_exit_minutes = 0.02\n', { mode: 0o600 });
      await idle.ok(['agents']);
      const daemon = await idle.only('daemon');
      await until(() => !isAlive(daemon), 'the idle daemon lives on');
      assert.match(idle.log(), /nobody needed the daemon/);
    } finally {
      assert.deepEqual(await idle.stop(), []);
    }
  });

  test('ends when it is told to, and takes its state with it', async () => {
    await home.ok(['stop']);
    await assert.rejects(async () => readFileSync(path.join(home.home, 'browse.json')), /ENOENT/);
    assert.match(await home.ok(['stop']), /not running/);
  });
});
