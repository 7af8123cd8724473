/*
 * Saved sign-ins whose password is in Bitwarden: with its real program, logged in to a server on loopback. Not logged in,
 * locked and a wrong entry each say so and what to do; no secret is in an argument or a file of gstack's; the program
 * connects to nothing when gstack runs it.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { KeyringSession, noKeyring } from '../e2e/harness/keyring.mjs';
import { Scene } from '../e2e/harness/scene.mjs';
import { assertNone } from '../e2e/harness/secrets.mjs';
import { words } from '../e2e/harness/stand-in.mjs';
import { BitwardenServer } from './server.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const BW = path.join(here, 'node_modules/.bin/bw');
const MISSING = (process.platform !== 'linux' && 'calls are read from /proc') || (!existsSync(BW) && 'bw is not installed');

const EMAIL = 'ada@bitwarden.example';
const MASTER = 'the master Password of the test';
const PASSPHRASE = 'a passphrase of the test';
const PASSWORD = 'zK9!correct"Horse&battery';
const OTHER = 'another Secret for the bakery';
const SEED = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
const SEED_BYTES = '12345678901234567890';
const NOTHING = ['', '', ''];
const FORM = `<form id="f" onsubmit="event.preventDefault()"><label>User <input id="user" autocomplete="username"></label>
  <label>Password <input id="pw" type="password" autocomplete="current-password"></label>
  <label>Code <input id="code" autocomplete="one-time-code"></label><button>Sign in</button></form>`;

/** Returns the one-time code of the seed at a time in ms (RFC 6238). */
function codeAt(time) {
  const step = Buffer.alloc(8);
  step.writeUInt32BE(Math.floor(time / 30_000), 4);
  const hash = createHmac('sha1', SEED_BYTES).update(step).digest();
  const number = hash.readUInt32BE(hash[19] % 16) % 2 ** 31;
  return String(number % 1_000_000).padStart(6, '0');
}

describe('sign-ins whose password is in Bitwarden', { concurrency: false, skip: MISSING }, () => {
  let folder;
  let server;
  let scene;
  let session;
  let shop;
  const at = (name) => path.join(folder, name);
  const textOf = (name) => (existsSync(at(name)) ? readFileSync(at(name), 'latin1') : '');
  /** The variables of a terminal in which `bw` is used. Its connections are listed in a file, and stay on loopback. */
  const terminal = (connections) => ({
    BITWARDENCLI_APPDATA_DIR: at('bw'),
    NODE_OPTIONS: `--import=${path.join(here, 'loopback.mjs')}`,
    CONNECTIONS_OF_TEST: at(connections),
  });

  /** Runs `bw` as the person does; returns its output. */
  const bw = (args, environment = {}) => {
    const env = { PATH: process.env.PATH, HOME: at('home'), ...terminal('connections-of-person'), ...environment };
    return new Promise((resolve, reject) => {
      const done = (error, stdout, stderr) => (error ? reject(new Error(`bw ${args[0]}: ${stderr}`)) : resolve(stdout.trim()));
      execFile(BW, [...args, '--nointeraction'], { env }, done).stdin.end();
    });
  };

  /** Writes the `bw` that gstack finds: it records its arguments and its variables, then runs the real one. */
  const writeRecorder = () => {
    const { NODE_OPTIONS, CONNECTIONS_OF_TEST } = terminal('connections-of-gstack');
    const lines = [
      '#!/bin/sh',
      `cat /proc/$$/cmdline >> '${at('arguments')}'`,
      `cat /proc/$$/environ >> '${at('variables')}'`,
      `export NODE_OPTIONS='${NODE_OPTIONS}' CONNECTIONS_OF_TEST='${CONNECTIONS_OF_TEST}'`,
      `exec '${BW}' "$@"`,
    ];
    writeFileSync(at('bin/bw'), `${lines.join('\n')}\n`, { mode: 0o755 });
  };

  const open = async (environment = {}) => {
    const PATH = `${at('bin')}:${environment.PATH ?? process.env.PATH}`;
    const opened = await Scene.open({ at: '/form', home: { environment: { ...environment, PATH } } });
    opened.fresh = async () => {
      await opened.home.ok(['goto', `${opened.site.origin}/form`]);
      await opened.page.evaluate(`document.body.innerHTML = ${JSON.stringify(FORM)}`);
    };
    opened.filled = () => opened.page.evaluate('[user.value, pw.value, code.value]');
    opened.save = (name, entry, more = []) => {
      const about = ['--origin', opened.site.origin, '--user', 'ada', '--provider', 'bw', '--entry', entry, ...more];
      return opened.home.ok(['auth', 'save', name, ...about], { environment: { BITWARDENCLI_APPDATA_DIR: at('bw') } });
    };
    opened.fill = async (name) => {
      await opened.fresh();
      return opened.home.run(['auth', 'fill', name]);
    };
    return opened;
  };
  /** Unlocks the sign-ins in a terminal with these variables. */
  const unlock = (environment = {}) => scene.home.ok(['auth', 'unlock'], { input: `${PASSPHRASE}\n`, environment });
  const allWorks = async (name) => {
    const { code, stderr } = await scene.fill(name);
    assert.equal(code, 0, stderr);
    assert.deepEqual((await scene.filled()).slice(0, 2), ['ada', PASSWORD]);
  };
  /** Asserts that the sign-in is not filled in, not even a part, and that gstack says so in these words. */
  const refused = async (name, pattern) => {
    const { code, stdout, stderr } = await scene.fill(name);
    assert.deepEqual(await scene.filled(), NOTHING, stdout);
    assert.notEqual(code, 0, stdout);
    assert.match(stderr, pattern);
  };
  /** An agent asks to sign in, and the person allows it; returns what it is told. */
  const agentSignsIn = async (name) => {
    await scene.panel.connected();
    await scene.fresh();
    const turn = await scene.ask(`Sign in as ${name}`);
    const allowed = turn.tool('sign-in', { name });
    await scene.panel.seen('approval', 'ada');
    await scene.panel.answer('Allow once');
    const said = words(await allowed);
    turn.end();
    await scene.panel.gone('stop');
    return said;
  };
  const LOCKED = /bw is locked[\s\S]*export BW_SESSION=\$\(bw unlock --raw\)[\s\S]*gstack auth unlock/;

  before(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'gs-bw-'));
    for (const name of ['home', 'bin', 'tls']) mkdirSync(at(name));
    server = await BitwardenServer.start(at('tls'), EMAIL, MASTER);
    shop = server.add({ name: 'Shop of Ada', user: 'ada', password: PASSWORD, totp: SEED });
    server.add({ name: 'Bakery of Ada', user: 'ada', password: OTHER });
    await bw(['config', 'server', server.url]);
    writeRecorder();
    scene = await open();
    await unlock();
    await scene.save('ada@shop', 'shop of ada', ['--totp-entry', 'shop of ada']);
    await scene.save('id@shop', shop, ['--totp-entry', shop]);
    await scene.save('none@shop', 'shop of eve');
    await scene.save('several@shop', 'of ada');
    await scene.save('no-codes@shop', 'shop of ada', ['--totp-entry', 'bakery of ada']);
    await scene.save('part@shop', 'bakery');
  });
  after(async () => {
    await scene?.close();
    await server?.stop();
    if (folder) rmSync(folder, { recursive: true, force: true });
  });

  test('a Bitwarden without a login says so', async () => {
    assert.match(await scene.home.ok(['auth']), /ada@shop {2}ada at .* {2}from bw, one-time codes/);
    await refused('ada@shop', /bw is not logged in[\s\S]*bw login[\s\S]*bw unlock --raw[\s\S]*gstack auth unlock/);
    assert.deepEqual(server.asked, []);
  });

  test('a locked one says so', async () => {
    const login = () => bw(['login', EMAIL, '--passwordenv', 'MASTER'], { NODE_EXTRA_CA_CERTS: server.ca, MASTER });
    // The program's own login has failed on a machine that stalled; what is tested comes after it.
    await login().catch((error) => {
      console.error(`the first login failed: ${error.message}`);
      return login();
    });
    await refused('ada@shop', LOCKED);
  });

  test('an agent is told so too, with no command that does not exist', async () => {
    const said = await agentSignsIn('ada@shop');
    assert.match(said, /bw is locked/);
    assert.ok(!said.includes('bw unlock raw'), said);
    assert.deepEqual(await scene.filled(), NOTHING);
  });

  test('is filled in with its one-time code once gstack has the session', async () => {
    session = await bw(['unlock', '--passwordenv', 'MASTER', '--raw'], { MASTER });
    await unlock({ BW_SESSION: session });
    const began = Date.now();
    const { stdout, stderr } = await scene.fill('ada@shop');
    assert.match(stdout, /the user name, the password and the one-time code/, stderr);
    const codes = [];
    for (let time = began; time < Date.now() + 30_000; time += 30_000) codes.push(codeAt(time));
    const [user, password, code] = await scene.filled();
    assert.deepEqual([user, password], ['ada', PASSWORD]);
    assert.ok(codes.includes(code), `${code} is not one of ${codes}`);
  });

  test('an agent signs in with an entry that its id names', async () => {
    const said = await agentSignsIn('id@shop');
    assert.match(said, /Filled in the user name, the password and the one-time code of id@shop/);
    const [user, password, code] = await scene.filled();
    assert.deepEqual([user, password], ['ada', PASSWORD]);
    assert.match(code, /^\d{6}$/);
  });

  test('a wrong entry is named as such', async () => {
    await refused('none@shop', /bw has no entry of that name[\s\S]*--entry ENTRY --replace/);
  });

  test('an entry that stands for several items is named as such', async () => {
    await refused('several@shop', /bw has no entry of that name[\s\S]*--entry ENTRY --replace/);
  });

  test('an entry without one-time codes is named as such', async () => {
    await refused('no-codes@shop', /bw did not answer with a one-time code/);
  });

  test("an entry that is only a part of an item's name does not get its password", async () => {
    await refused('part@shop', /bw has no entry of that name/);
  });

  test('what gstack forgets, with `auth lock` or with its daemon, must be handed over again', async () => {
    await scene.home.ok(['auth', 'lock']);
    await refused('ada@shop', /are locked[\s\S]*gstack auth unlock/);
    await unlock();
    await refused('ada@shop', LOCKED);
    await scene.home.kill(await scene.home.only('daemon'));
    // This starts the next daemon, from a terminal with the session, and the daemon must not inherit it.
    await unlock({ BW_SESSION: session });
    await allWorks('id@shop');
    await assertNone(scene.home, [session]);
  });

  test('saving a sign-in in a terminal without the session keeps the session', async () => {
    await scene.save('more@shop', 'shop of ada');
    await allWorks('more@shop');
  });

  test('with the key of the sign-ins in a keyring, the session is handed over too', { skip: noKeyring }, async () => {
    const keyring = await KeyringSession.open();
    let other;
    try {
      await keyring.start();
      other = await open(keyring.variables);
      await other.save('ada@shop', shop);
      await other.home.ok(['auth', 'unlock'], { environment: { BW_SESSION: session } });
      const { code, stderr } = await other.fill('ada@shop');
      assert.equal(code, 0, stderr);
      assert.deepEqual(await other.filled(), ['ada', PASSWORD, '']);
    } finally {
      await other?.close();
      await keyring.close();
    }
  });

  test('a vault that was locked again says so', async () => {
    await unlock({ BW_SESSION: session });
    await bw(['lock'], { BW_SESSION: session });
    await refused('ada@shop', LOCKED);
  });

  test('no argument, no file and no answer has a byte of a secret, and only `bw` has the session', async () => {
    const secrets = [PASSWORD.slice(3), OTHER, SEED, MASTER, PASSPHRASE];
    await assertNone(scene.home, [...secrets, session]);
    const called = textOf('arguments');
    assert.match(called, /bw\0--nointeraction\0list\0items\0--search\0shop of ada\0/);
    assert.match(called, /bw\0--nointeraction\0get\0totp\0[0-9a-f-]{36}\0/);
    const variables = textOf('variables').split('\0');
    assert.ok(variables.includes(`BW_SESSION=${session}`));
    const others = variables.filter((one) => !one.startsWith('BW_SESSION=')).join('\0');
    for (const secret of [...secrets, session]) {
      assert.ok(!called.includes(secret), 'an argument has a secret');
      assert.ok(!others.includes(secret), 'a variable has a secret');
    }
  });

  test('nothing but the server of the test was contacted, and by gstack not even that', () => {
    assert.deepEqual([...new Set(textOf('connections-of-person').split('\n').filter(Boolean))], [server.place]);
    assert.equal(textOf('connections-of-gstack'), '');
    assert.deepEqual(
      server.asked.filter((one) => one.endsWith('404')),
      [],
    );
  });
});
