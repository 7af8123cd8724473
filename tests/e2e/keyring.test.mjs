/*
 * Saved sign-ins with the real programs that keep secrets: GNOME's keyring, and pass with gpg. What is locked, gone or
 * wrong says so and what to do, and loses nothing; no secret is in an argument, a variable or a file of gstack's. The
 * `age` program opens the file with the same key or passphrase.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { DevTools } from './harness/devtools.mjs';
import { BROWSER, TestHome } from './harness/home.mjs';
import { KeyringSession, lacks, noKeyring } from './harness/keyring.mjs';
import { Scene } from './harness/scene.mjs';
import { assertNone } from './harness/secrets.mjs';
import { words } from './harness/stand-in.mjs';
import { until } from './harness/wait.mjs';

const PASSWORD = 'zK9!correct"Horse&battery';
const OTHER = 'another Secret for the list';
const PASSPHRASE = 'a passphrase of the test';
const SEED = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
const ITEM = ['service', 'gstack sign-ins', 'username', 'key'];
const FORM = `<form id="f" onsubmit="event.preventDefault()"><label>User <input id="user" autocomplete="username"></label>
  <label>Password <input id="pw" type="password" autocomplete="current-password"></label>
  <label>Code <input id="code" autocomplete="one-time-code"></label><button>Sign in</button></form>`;

/** Runs a command that must fail, and returns what it says. */
async function refused(home, args, options = {}) {
  const { code, stdout, stderr } = await home.run(args, options);
  assert.notEqual(code, 0, `${args.join(' ')}: ${stdout}`);
  return stderr;
}

/** Opens a scene in a session; `fresh` loads the form again and `filled` reads it. */
async function sceneIn(session) {
  const scene = await Scene.open({ at: '/form', home: { environment: session.variables } });
  scene.fresh = async () => {
    await scene.home.ok(['goto', `${scene.site.origin}/form`]);
    await scene.page.evaluate(`document.body.innerHTML = ${JSON.stringify(FORM)}`);
  };
  scene.filled = () => scene.page.evaluate('[user.value, pw.value, code.value]');
  scene.save = (name, more, input) => scene.home.ok(['auth', 'save', name, '--origin', scene.site.origin, '--user', 'ada', ...more], input);
  return scene;
}

/** Decrypts a file with the `age` program, which reads a passphrase from a terminal only. */
function decryptedWith(passphrase, file) {
  const out = `${file}.txt`;
  execFileSync('script', ['--quiet', '--command', `age --decrypt --output '${out}' '${file}'`, '/dev/null'], { input: `${passphrase}\n` });
  const text = readFileSync(out, 'utf8');
  rmSync(out);
  return text;
}

describe('sign-ins whose key is in a real keyring', { skip: noKeyring || lacks('age', 'age-keygen', 'script') }, () => {
  let session;
  let scene;
  let file;
  let key;
  const names = async () => (await scene.home.json('auth')).signIns.map((one) => one.name);
  const saving = (name) => ['auth', 'save', name, '--origin', scene.site.origin, '--user', 'ada'];
  /** Asserts that everything that needs the key is refused in these words, and that the file stays as it is. */
  const allRefused = async (pattern) => {
    const kept = readFileSync(file);
    await scene.fresh();
    for (const args of [['auth'], saving('eve@shop'), ['auth', 'remove', 'ada@shop'], ['auth', 'fill', 'ada@shop'], ['auth', 'unlock']]) {
      const input = args[1] === 'save' ? `${OTHER}\n` : '';
      assert.match(await refused(scene.home, args, { input }), pattern, args.join(' '));
    }
    assert.deepEqual(readFileSync(file), kept, 'nothing is lost');
    assert.deepEqual(await scene.filled(), ['', '', '']);
  };
  const allWorks = async () => {
    assert.deepEqual(await names(), ['ada@shop']);
    await scene.fresh();
    await scene.home.ok(['auth', 'fill', 'ada@shop']);
    assert.deepEqual((await scene.filled()).slice(0, 2), ['ada', PASSWORD]);
  };

  before(async () => {
    session = await KeyringSession.open();
    await session.start();
    scene = await sceneIn(session);
    file = path.join(scene.home.home, 'sign-ins.age');
  });
  after(async () => {
    await scene?.close();
    await session?.close();
  });

  test('saving puts the key into the keyring, and listing and filling in get it from there', async () => {
    await scene.save('ada@shop', ['--totp'], { input: `${PASSWORD}\n${SEED}\n` });
    key = session.secretTool(['lookup', ...ITEM]).trim();
    assert.match(key, /^AGE-SECRET-KEY-1[0-9A-Z]{58}$/);
    const { signIns } = JSON.parse(execFileSync('age', ['--decrypt', '--identity', '-', file], { input: key }).toString());
    assert.deepEqual([signIns.length, signIns[0].name, signIns[0].user], [1, 'ada@shop', 'ada']);
    assert.equal((await scene.home.json('auth')).store, 'keyring');
    assert.match(await scene.home.ok(['auth', 'list']), /ada@shop {2}ada at http:\/\/127\.0\.0\.1/);
    await allWorks();
    assert.match((await scene.filled())[2], /^\d{6}$/);
    // A keyring has no passphrase to unlock, and the command makes no second store.
    const kept = readFileSync(file);
    const { stderr } = await scene.home.run(['auth', 'unlock'], { input: `${PASSPHRASE}\n` });
    assert.match(stderr, /keyring protects the sign-ins: they have no passphrase/);
    assert.deepEqual(readFileSync(file), kept);
  });

  test('a daemon that is killed leaves it to the next one, and an agent signs in', async () => {
    await scene.home.kill(await scene.home.only('daemon'));
    await allWorks();
    await scene.panel.connected();
    await scene.fresh();
    const turn = await scene.ask('Sign in as ada@shop');
    const allowed = turn.tool('sign-in', { name: 'ada@shop' });
    await scene.panel.seen('approval', 'ada');
    await scene.panel.answer('Allow once');
    assert.match(words(await allowed), /Filled in the user name, the password and the one-time code of ada@shop/);
    assert.deepEqual((await scene.filled()).slice(0, 2), ['ada', PASSWORD]);
    turn.end();
    await scene.panel.gone('stop');
  });

  test('a locked keyring says so, and works once it is unlocked', async () => {
    session.lock();
    await allRefused(/keyring is locked[\s\S]*Unlock the system's keyring/);
    await session.end();
    await session.start();
    await allWorks();
  });

  test('a keyring that ended says so, and works once it runs again', async () => {
    await session.end();
    await allRefused(/no keyring answers[\s\S]*Start your desktop's keyring/);
    await session.start();
    await allWorks();
  });

  test('a keyring that lost the key, or has another, says so; a restored key opens the sign-ins', async () => {
    const store = (value) => {
      session.secretTool(['clear', ...ITEM]);
      session.secretTool(['store', '--label=test', ...ITEM], value);
    };
    session.secretTool(['clear', ...ITEM]);
    await allRefused(/does not have the key[\s\S]*Restore the keyring/);
    store('garbage');
    await allRefused(/is not gstack's key[\s\S]*Restore the keyring/);
    store(
      execFileSync('age-keygen', { stdio: ['ignore', 'pipe', 'ignore'] })
        .toString()
        .trim()
        .split('\n')
        .at(-1),
    );
    await allRefused(/another key[\s\S]*Restore the keyring/);
    store(key);
    await allWorks();
  });

  test('a keyring that hangs holds up nothing else, and what waits for it has no secret and ends with the daemon', async () => {
    session.hang();
    const waiting = scene.home.run(saving('eve@shop'), { input: `${OTHER}\n` });
    const asking = () => scene.home.processes().find(({ command }) => command[1] === 'keyring-access');
    await until(asking, 'nothing asks the keyring');
    const { command, environment } = asking();
    assert.equal(command.length, 2);
    for (const secret of [PASSWORD, OTHER, SEED, key]) assert.ok(!environment.join(' ').includes(secret));
    await scene.home.ok(['goto', `${scene.site.origin}/form`]);
    await scene.home.kill(await scene.home.only('daemon'));
    await until(() => !asking(), 'the process that asks the keyring outlives the daemon');
    assert.notEqual((await waiting).code, 0);
    session.goOn();
    await allWorks();
  });

  test('a store with a passphrase stays one when a keyring appears', async () => {
    const home = new TestHome({ environment: session.variables });
    try {
      await session.end();
      const saving = ['auth', 'save', 'ada@shop', '--origin', scene.site.origin, '--user', 'ada'];
      const told = await refused(home, saving, { input: `${PASSWORD}\n` });
      assert.match(told, /keyring can't be used: no keyring answers[\s\S]*gstack auth unlock/);
      assert.ok(!existsSync(path.join(home.home, 'sign-ins.age')));
      await home.ok(['auth', 'unlock'], { input: `${PASSPHRASE}\n` });
      await home.ok(saving, { input: `${PASSWORD}\n` });
      await session.start();
      assert.equal((await home.json('auth')).store, 'unlocked');
      const opened = decryptedWith(PASSPHRASE, path.join(home.home, 'sign-ins.age'));
      assert.equal(JSON.parse(opened).signIns[0].name, 'ada@shop');
      await home.ok(['auth', 'lock']);
      assert.match(await home.ok(['auth']), /are locked.*gstack auth unlock/);
      assert.match(await refused(home, saving, { input: `${PASSWORD}\n` }), /are locked[\s\S]*gstack auth unlock/);
      assert.equal((JSON.parse(await home.ok(['auth', 'unlock', '--json'], { input: `${PASSPHRASE}\n` })).signIns ?? []).length, 1);
      assert.match(await home.ok(['auth', 'list']), /ada@shop/);
    } finally {
      assert.deepEqual(await home.stop(), []);
    }
  });

  test('no argument, no variable, no file and no answer has a byte of a secret', async () => {
    const secrets = [PASSWORD.slice(3), SEED, key, OTHER, PASSPHRASE, session.password];
    await assertNone(scene.home, secrets);
  });
});

describe('cookies that a browser encrypted with a key in a real keyring', { skip: noKeyring }, () => {
  let session;
  let home;
  const imported = () => home.run(['cookie-import-browser', 'chromium', '--domain', 'shop.example']);

  /** A person's Chromium that keeps its key in the keyring saves a cookie, and is closed. */
  async function saveCookie() {
    const profile = path.join(home.person, '.config/chromium');
    const flags = ['--headless=new', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];
    const more = ['--password-store=gnome-libsecret', '--remote-debugging-port=0', `--user-data-dir=${profile}`, 'about:blank'];
    const sandbox = process.getuid() === 0 ? ['--no-sandbox'] : [];
    const browser = spawn(BROWSER, [...flags, ...sandbox, ...more], {
      env: { ...session.variables, HOME: home.person },
      stdio: 'ignore',
    });
    const ended = once(browser, 'exit');
    const port = path.join(profile, 'DevToolsActivePort');
    await until(() => existsSync(port) && readFileSync(port, 'utf8').includes('/'), 'the browser does not start');
    const [number, address] = readFileSync(port, 'utf8').split('\n');
    const devtools = await DevTools.connect(`ws://127.0.0.1:${number}${address}`);
    const cookie = { name: 'login', value: PASSWORD.replaceAll('"', ''), domain: 'shop.example', path: '/', expires: 4e9 };
    await devtools.send('Storage.setCookies', { cookies: [cookie] });
    await devtools.send('Browser.close').catch(() => {});
    await ended;
  }

  before(async () => {
    session = await KeyringSession.open();
    await session.start();
    home = new TestHome({ environment: session.variables });
    await saveCookie();
  });
  after(async () => {
    assert.deepEqual(await home?.stop(), []);
    await session?.close();
  });

  test('are imported while the keyring is open, and not while it is locked or gone', async () => {
    const { code, stdout, stderr } = await imported();
    assert.equal(code, 0, stderr);
    assert.match(stdout, /Imported 1 cookies for shop\.example from Chromium/);
    assert.match(await home.ok(['cookies']), /"login"/);
    session.lock();
    assert.match((await imported()).stderr, /none of the 1 cookies.*keyring is locked/);
    await session.end();
    assert.match((await imported()).stderr, /none of the 1 cookies.*no keyring answers/);
  });
});

describe('sign-ins whose password is in pass', { skip: noKeyring || lacks('pass', 'gpg', 'gpgconf', 'oathtool') }, () => {
  let session;
  let scene;
  let stuck;
  const gnupg = () => path.join(session.folder, 'gnupg');
  /** The variables of the terminal in which a sign-in is saved. */
  const terminal = (home = gnupg()) => ({ GNUPGHOME: home, PASSWORD_STORE_DIR: path.join(session.folder, 'store') });
  const tool = (program, args, { input = '', home = gnupg() } = {}) =>
    execFileSync(program, args, {
      env: { PATH: process.env.PATH, HOME: path.join(session.folder, 'home'), ...terminal(home) },
      input,
      stdio: ['pipe', 'pipe', 'ignore'],
    }).toString();
  const makeKey = (home, name, passphrase, pinentry) => {
    mkdirSync(home, { recursive: true, mode: 0o700 });
    writeFileSync(path.join(home, 'gpg-agent.conf'), `pinentry-program ${pinentry}\n`);
    const how = ['--batch', '--pinentry-mode', 'loopback', '--passphrase', passphrase];
    tool('gpg', [...how, '--quick-generate-key', name, 'default', 'default', 'never'], { home });
  };
  const insert = (entry, text, home) => tool('pass', ['insert', '--multiline', entry], { input: text, home });
  const endAgent = (home) => tool('gpgconf', ['--kill', 'gpg-agent'], { home });
  const save = (name, entry, more = [], home = gnupg()) =>
    scene.save(name, ['--provider', 'pass', '--entry', entry, ...more], { environment: terminal(home) });
  const tabs = async () => {
    const listed = await scene.home.json('tabs');
    return listed.data ?? listed;
  };
  const hanging = () => path.join(session.folder, 'hangs');

  before(async () => {
    session = await KeyringSession.open();
    session.record('pass');
    await session.start();
    scene = await sceneIn(session);
    makeKey(gnupg(), 'plain@example.com', '', '/bin/false');
    makeKey(gnupg(), 'locked@example.com', PASSPHRASE, '/bin/false');
    const waits = path.join(session.folder, 'waits');
    writeFileSync(waits, `#!/bin/sh\necho $$ > '${waits}.pid'\nexec sleep 600\n`, { mode: 0o755 });
    makeKey(hanging(), 'hangs@example.com', PASSPHRASE, waits);
    tool('pass', ['init', 'plain@example.com']);
    tool('pass', ['init', '--path=locked', 'locked@example.com']);
    tool('pass', ['init', '--path=hangs', 'hangs@example.com'], { home: hanging() });
    insert('shop/ada', `${PASSWORD}\nuser: ada\notpauth://totp/Shop:ada?secret=${SEED}&issuer=Shop\n`);
    insert('locked/ada', `${OTHER}\n`);
    insert('hangs/ada', `${OTHER}\n`, hanging());
    // An agent remembers the passphrase of a key that it has just made.
    for (const home of [gnupg(), hanging()]) endAgent(home);
  });
  after(async () => {
    for (const home of [gnupg(), hanging()]) endAgent(home);
    const pid = path.join(session.folder, 'waits.pid');
    if (existsSync(pid)) {
      try {
        process.kill(Number(readFileSync(pid, 'utf8')), 'SIGKILL');
      } catch {
        // It ended with its agent.
      }
    }
    await scene?.close();
    await session?.close();
  });

  test('is filled in with its one-time code, from the store and with the keys of the terminal that saved it', async () => {
    // It waits for a passphrase that is never typed, while everything else goes on.
    await save('stuck@shop', 'hangs/ada', [], hanging());
    const tab = /Opened tab (\d+)/.exec(await scene.home.ok(['newtab', `${scene.site.origin}/login`]))[1];
    stuck = scene.home.run(['--tab', tab, 'auth', 'fill', 'stuck@shop'], { limit: 240_000 });
    await scene.home.ok(['tab', String((await tabs()).find((one) => one.url.endsWith('/form')).id)]);
    await save('ada@shop', 'shop/ada', ['--totp-entry', 'shop/ada']);
    assert.match(await scene.home.ok(['auth']), /ada@shop {2}ada at .* {2}from pass/);
    await scene.fresh();
    assert.match(await scene.home.ok(['auth', 'fill', 'ada@shop']), /the user name, the password and the one-time code/);
    const [user, password, code] = await scene.filled();
    assert.deepEqual([user, password], ['ada', PASSWORD]);
    assert.match(code, /^\d{6}$/);
  });

  test('a wrong entry, and one without codes, are named as such', async () => {
    await save('none@shop', 'shop/none');
    await scene.fresh();
    const missing = await refused(scene.home, ['auth', 'fill', 'none@shop']);
    assert.match(missing, /pass has no entry of that name[\s\S]*--entry ENTRY --replace/);
    await save('none@shop', 'shop/ada', ['--totp-entry', 'shop/none', '--replace']);
    assert.match(await refused(scene.home, ['auth', 'fill', 'none@shop']), /pass did not answer with a one-time code/);
    assert.deepEqual(await scene.filled(), ['', '', ''], 'nothing is filled in by halves');
  });

  test('a locked key says so, and works once the person unlocked it', async () => {
    await save('locked@shop', 'locked/ada');
    await scene.fresh();
    assert.match(await refused(scene.home, ['auth', 'fill', 'locked@shop']), /can't decrypt the entry[\s\S]*pass show ENTRY/);
    assert.deepEqual(await scene.filled(), ['', '', '']);
    const entry = path.join(session.folder, 'store/locked/ada.gpg');
    tool('gpg', ['--batch', '--pinentry-mode', 'loopback', '--passphrase', PASSPHRASE, '--decrypt', entry]);
    await scene.home.ok(['auth', 'fill', 'locked@shop']);
    assert.equal((await scene.filled())[1], OTHER);
  });

  test('no argument, no variable, no file and no answer has a byte of a secret', async () => {
    const secrets = [PASSWORD.slice(3), SEED, OTHER, PASSPHRASE, session.password];
    assert.match(session.calls(), /pass\0show\0shop\/ada\0/);
    assert.match(session.calls(), /pass\0otp\0shop\/ada\0/);
    for (const secret of secrets) assert.ok(!session.calls().includes(secret), 'a call has a secret');
    await assertNone(scene.home, secrets);
  });

  test('one that never answers is given up', async () => {
    const { code, stderr } = await stuck;
    assert.notEqual(code, 0);
    assert.match(stderr, /pass did not answer within 60 s[\s\S]*In a terminal/);
  });
});
