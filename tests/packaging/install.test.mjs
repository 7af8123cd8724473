// install/install.sh against a release on loopback: a failure on the way leaves the existing program intact.
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { installer, readHome } from '../../packaging/lib/home.mjs';
import { signer } from './support/minisign.mjs';
import { folder, homeFile, key, ROOT, release, serve, serveTls, sha256, standIn } from './support/release.mjs';

/** The script as a release has it: with an address, the key and its version. */
const FOLDER = folder({ after });
const SCRIPT = join(FOLDER, 'install.sh');
const IN_CHECKOUT = join(ROOT, 'install/install.sh');
writeFileSync(SCRIPT, installer(readFileSync(IN_CHECKOUT, 'utf8'), readHome(homeFile(FOLDER)), '9.9.9'));
const TARGET = 'x86_64-unknown-linux-gnu';

/** A home whose `uname` and `getconf` return what the test sets, so that it runs the same on every machine. */
function machine(t, { system = 'Linux', processor = 'x86_64', glibc = '2.36' } = {}) {
  const home = folder(t);
  const tools = join(home, 'tools');
  mkdirSync(tools);
  const tool = (name, script) => {
    writeFileSync(join(tools, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(tools, name), 0o755);
  };
  tool('uname', `case "$1" in -s) echo ${system} ;; -m) echo ${processor} ;; esac`);
  tool('getconf', glibc ? `echo glibc ${glibc}` : 'exit 1');
  tool('sysctl', 'exit 1');
  const bin = join(home, '.local/bin');
  const env = { HOME: home, PATH: `${tools}:${process.env.PATH}`, calls: join(home, 'calls') };
  return { home, bin, env, tool, program: join(bin, 'gstack'), calls: () => readFileSync(env.calls, 'utf8').trim().split('\n') };
}

const install = (at, env, args = []) =>
  new Promise((done) => {
    const child = spawn('sh', [SCRIPT, ...args], { env: { ...at.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
    let out = '';
    child.stdout.on('data', (chunk) => (out += chunk));
    child.stderr.on('data', (chunk) => (out += chunk));
    child.on('close', (code) => done({ code, out }));
  });

/** Hides programs of this machine: `command -v` finds only what is linked here. */
function without(at, hidden) {
  const only = join(at.home, 'only');
  mkdirSync(only);
  for (const place of ['/usr/bin', '/bin'])
    for (const name of readdirSync(place))
      if (!hidden.includes(name) && !existsSync(join(only, name))) symlinkSync(join(place, name), join(only, name));
  at.env.PATH = `${join(at.home, 'tools')}:${only}`;
}

const VERIFIERS = { minisign: ['openssl'], openssl: ['minisign'] };
const isHere = (program) => ['/usr/bin', '/bin'].some((place) => existsSync(join(place, program)));
const unlessHere = (program) => ({ skip: !isHere(program) && `${program} is not installed` });

/** The program folder contains only these names: no staging folder is left. */
const holds = (at, names) => assert.deepEqual(existsSync(at.bin) ? readdirSync(at.bin).sort() : [], names);

test('a release is downloaded, checked, installed and registered, and again', async (t) => {
  const at = machine(t);
  const { url, asked } = await serve(t, release(folder(t), TARGET, { calls: at.env.calls }));
  const first = await install(at, { GSTACK_RELEASE_URL: url });
  assert.equal(first.code, 0, first.out);
  assert.match(first.out, /Installed gstack 9\.9\.9/);
  assert.match(first.out, /not on your PATH/);
  assert.ok(at.calls().includes('install-host'), 'the browsers are told');
  assert.equal(readFileSync(join(at.home, '.local/share/man/man1/gstack.1'), 'utf8'), '.TH gstack\n');
  assert.match(readFileSync(join(at.home, '.local/share/bash-completion/completions/gstack'), 'utf8'), /bash/);
  assert.deepEqual(asked, ['release.json', 'release.json.minisig', `gstack-${TARGET}.tar.gz`]);
  const again = await install(at, { GSTACK_RELEASE_URL: url }, ['--no-register']);
  assert.equal(again.code, 0, again.out);
  assert.equal(at.calls().filter((call) => call === 'install-host').length, 1);
  holds(at, ['gstack']);
});

for (const [what, damage] of [
  ['another archive than the checksum says', (bytes) => Buffer.concat([bytes, Buffer.from('x')])],
  ['an archive whose first byte differs', (bytes) => Buffer.from(bytes.map((byte, at) => (at === 0 ? byte ^ 1 : byte)))],
  ['half of an archive', (bytes) => bytes.subarray(0, bytes.length / 2)],
  ['nothing', () => Buffer.alloc(0)],
])
  test(`${what} is refused, and the program that was there stays`, async (t) => {
    const at = machine(t);
    mkdirSync(at.bin, { recursive: true });
    standIn(at.program, { version: '1.0.0' });
    const name = `gstack-${TARGET}.tar.gz`;
    const answers = { [name]: (_, response, bytes) => response.end(damage(bytes)) };
    const { url } = await serve(t, release(folder(t), TARGET), answers);
    const done = await install(at, { GSTACK_RELEASE_URL: url });
    assert.equal(done.code, 1, done.out);
    assert.match(done.out, /not what was released/);
    assert.match(execFileSync(at.program, ['--version'], { encoding: 'utf8' }), /1\.0\.0/);
    holds(at, ['gstack']);
  });

// The attacker has the address: everything there is its own, but for the key.
const PAYLOAD = (at) => ({ body: `touch '${join(at.home, 'ran')}'` });
for (const [verifier, hidden] of Object.entries(VERIFIERS))
  for (const [what, forged, said] of [
    ['no signature', { signed: () => null }, /can't be downloaded/],
    ['an empty signature', { signed: () => '' }, /signature .* is not valid/],
    ['the signature of another key', { signed: (text) => signer().sign(text) }, /signature .* is not valid/],
    ['the signature of another manifest', { signed: (text) => key.sign(text.replace('9.9.9', '9.9.8')) }, /signature .* is not valid/],
    ['a signature of the older form', { signed: (text) => key.sign(text, { legacy: true }) }, /signature .* is not valid/],
    [
      'a trusted comment that was changed',
      { signed: (text) => key.sign(text).replace('comment: gstack', 'comment: gstack 10') },
      /signature .* is not valid/,
    ],
    ["another key under this key's id", { signed: (text) => signer(key.id).sign(text) }, /signature .* is not valid/],
    ['an archive that the manifest does not have', { change: { sha256: 'a'.repeat(64) } }, /not what was released/],
    ['an older release, properly signed', { version: '9.9.8' }, /9\.9\.8, which is older than this script/],
  ])
    test(`with ${verifier}, a release with ${what} runs nothing`, unlessHere(verifier), async (t) => {
      const at = machine(t);
      without(at, hidden);
      mkdirSync(at.bin, { recursive: true });
      standIn(at.program, { version: '1.0.0' });
      const { url } = await serve(t, release(folder(t), TARGET, { ...PAYLOAD(at), ...forged }));
      const done = await install(at, { GSTACK_RELEASE_URL: url });
      assert.notEqual(done.code, 0, done.out);
      assert.match(done.out, said);
      assert.ok(!existsSync(join(at.home, 'ran')), 'the program of the attacker ran');
      assert.match(execFileSync(at.program, ['--version'], { encoding: 'utf8' }), /1\.0\.0/);
      holds(at, ['gstack']);
    });

for (const [verifier, hidden] of Object.entries(VERIFIERS))
  test(`a properly signed release is installed with ${verifier} alone`, unlessHere(verifier), async (t) => {
    const at = machine(t);
    without(at, hidden);
    const { url } = await serve(t, release(folder(t), TARGET));
    const done = await install(at, { GSTACK_RELEASE_URL: url });
    assert.equal(done.code, 0, done.out);
    holds(at, ['gstack']);
  });

test('without a program that can verify signatures nothing is downloaded', async (t) => {
  for (const openssl of [null, 'LibreSSL 3.3.6', 'OpenSSL 1.1.1w  11 Sep 2023']) {
    const at = machine(t);
    without(at, ['minisign', 'openssl']);
    if (openssl) at.tool('openssl', `echo '${openssl}'`);
    const { url, asked } = await serve(t, release(folder(t), TARGET));
    const done = await install(at, { GSTACK_RELEASE_URL: url });
    assert.equal(done.code, 3, done.out);
    assert.match(done.out, /minisign or OpenSSL 3 is needed[^]*setup\.sh --build/);
    assert.deepEqual(asked, []);
    holds(at, []);
  }
});

test('an install.sh or a checkout whose home is empty downloads nothing, whatever the environment says', async (t) => {
  const { url, asked } = await serve(t, release(folder(t), TARGET));
  const at = machine(t);
  const env = { ...at.env, GSTACK_RELEASE_URL: url, address: url, key: key.publicKey, exactly: '9.9.9' };
  const script = spawnSync('sh', [IN_CHECKOUT], { env, encoding: 'utf8' });
  assert.equal(script.status, 3, script.stderr);
  assert.match(script.stderr, /there is no published release of gstack to download\. Build it in a checkout: \.\/install\/setup\.sh/);
  holds(at, []);
  for (const empty of [{ address: '' }, { 'release-key': '' }, { address: '', 'release-key': '' }]) {
    const other = machine(t);
    const { root, git } = checkout(t, other, empty);
    git('tag', 'v9.9.9');
    const done = await runSetup(other, root, { GSTACK_RELEASE_URL: url });
    assert.equal(done.code, 0, done.out);
    assert.match(done.out, /^building/m);
  }
  assert.deepEqual(asked, [], 'a release was asked for');
});

test('setup.sh runs nothing of a release that its key did not sign, or of another version than the checkout', async (t) => {
  for (const [forged, said] of [
    [{ signed: (text) => signer().sign(text) }, /signature .* is not valid/],
    [{ version: '9.9.8' }, /is 9\.9\.8 instead of 9\.9\.9/],
    [{ version: '10.0.0' }, /is 10\.0\.0 instead of 9\.9\.9/],
  ]) {
    const at = machine(t);
    const { root, git } = checkout(t, at);
    git('tag', 'v9.9.9');
    const { url } = await serve(t, release(folder(t), TARGET, { ...PAYLOAD(at), ...forged }));
    const done = await runSetup(at, root, { GSTACK_RELEASE_URL: url });
    assert.equal(done.code, 1, done.out);
    assert.match(done.out, said);
    assert.ok(!existsSync(join(at.home, 'ran')), 'the program of the attacker ran');
    holds(at, []);
  }
});

test('a connection that ends in the middle installs nothing', async (t) => {
  const at = machine(t);
  const name = `gstack-${TARGET}.tar.gz`;
  const answers = {
    [name]: (_, response, bytes) => {
      response.writeHead(200, { 'content-length': bytes.length });
      response.write(bytes.subarray(0, 100), () => response.destroy());
    },
  };
  const { url } = await serve(t, release(folder(t), TARGET), answers);
  const done = await install(at, { GSTACK_RELEASE_URL: url });
  assert.equal(done.code, 1, done.out);
  assert.match(done.out, /Nothing was installed/);
  holds(at, []);
});

test('a mirror that sends without end fills no disk', async (t) => {
  for (const hidden of [[], ['curl']]) {
    const at = machine(t);
    if (hidden.length) without(at, hidden);
    let sent = 0;
    const endless = (_, response) => {
      const part = 'x'.repeat(1 << 20);
      const more = () => {
        while (!response.destroyed && response.write(part)) sent += part.length;
        sent += part.length;
      };
      response.on('drain', more);
      more();
    };
    const { url } = await serve(t, release(folder(t), TARGET), { 'release.json': endless });
    const done = await install(at, { GSTACK_RELEASE_URL: url });
    assert.equal(done.code, 3, done.out);
    assert.match(done.out, /can't be downloaded/);
    assert.ok(sent < 64e6, `${sent} bytes were taken`);
    holds(at, []);
  }
});

test('a run that is killed leaves the program whole, and the next run clears what it left', async (t) => {
  const at = machine(t);
  mkdirSync(at.bin, { recursive: true });
  standIn(at.program, { version: '1.0.0' });
  const name = `gstack-${TARGET}.tar.gz`;
  let begun;
  const halfway = new Promise((resolve) => (begun = resolve));
  let stalls = true;
  const answers = {
    [name]: (_, response, bytes) => {
      if (!stalls) return response.end(bytes);
      response.writeHead(200, { 'content-length': bytes.length });
      response.write(bytes.subarray(0, 100), begun);
    },
  };
  const { url } = await serve(t, release(folder(t), TARGET, { calls: at.env.calls }), answers);
  const child = spawn('sh', [SCRIPT], { env: { ...at.env, GSTACK_RELEASE_URL: url }, stdio: 'ignore', detached: true });
  const ended = new Promise((resolve) => child.on('close', resolve));
  await halfway;
  process.kill(-child.pid, 'SIGKILL');
  await ended;
  assert.match(execFileSync(at.program, ['--version'], { encoding: 'utf8' }), /1\.0\.0/);
  holds(at, [`.gstack-install.${child.pid}`, 'gstack']);
  stalls = false;
  const again = await install(at, { GSTACK_RELEASE_URL: url });
  assert.equal(again.code, 0, again.out);
  assert.match(execFileSync(at.program, ['--version'], { encoding: 'utf8' }), /9\.9\.9/);
  holds(at, ['gstack']);
});

test('a program that does not start here is not installed', async (t) => {
  const at = machine(t);
  const { url } = await serve(t, release(folder(t), TARGET, { body: 'exit 126' }));
  const done = await install(at, { GSTACK_RELEASE_URL: url });
  assert.equal(done.code, 1, done.out);
  assert.match(done.out, /does not start/);
  holds(at, []);
});

test('a failed registration is an error that says how to repeat it; the program is there', async (t) => {
  const at = machine(t);
  const { url } = await serve(t, release(folder(t), TARGET, { body: '[ "$1" != install-host ] || exit 1' }));
  const done = await install(at, { GSTACK_RELEASE_URL: url });
  assert.equal(done.code, 1, done.out);
  assert.match(done.out, /Run: .*gstack install-host/);
  holds(at, ['gstack']);
});

test('machines get the release that fits, and others are told that there is none', async (t) => {
  for (const [given, wanted] of [
    [{ processor: 'aarch64' }, 'aarch64-unknown-linux-gnu'],
    [{ processor: 'amd64', glibc: '2.28' }, 'x86_64-unknown-linux-gnu'],
    [{ glibc: '2.17' }, 'x86_64-unknown-linux-musl'],
    [{ glibc: null }, 'x86_64-unknown-linux-musl'],
    [{ system: 'Darwin', processor: 'arm64' }, 'aarch64-apple-darwin'],
    [{ system: 'Darwin' }, 'x86_64-apple-darwin'],
  ]) {
    const at = machine(t, given);
    const { url, asked } = await serve(t, release(folder(t), wanted));
    const done = await install(at, { GSTACK_RELEASE_URL: url });
    assert.equal(done.code, 0, `${JSON.stringify(given)}: ${done.out}`);
    assert.equal(asked[2], `gstack-${wanted}.tar.gz`);
  }
  const { url, asked } = await serve(t, release(folder(t), TARGET));
  for (const given of [{ processor: 'riscv64' }, { system: 'FreeBSD' }, { processor: 'aarch64' }]) {
    const at = machine(t, given);
    const done = await install(at, { GSTACK_RELEASE_URL: url });
    assert.equal(done.code, 3, done.out);
    assert.match(done.out, /there is no release for|has no gstack-aarch64/);
    holds(at, []);
  }
  assert.deepEqual(asked, ['release.json', 'release.json.minisig'], 'nothing large was downloaded');
});

test('only https and loopback are asked, also by way of a redirect', async (t) => {
  for (const url of ['http://releases.example/latest', 'ftp://127.0.0.1/', 'http://127.0.0.1.evil.example/', 'file:///tmp', '']) {
    const at = machine(t);
    at.tool('curl', `echo "$@" >> '${join(at.home, 'curl')}'; exit 7`);
    const done = await install(at, { GSTACK_RELEASE_URL: url });
    if (url === '') assert.match(readFileSync(join(at.home, 'curl'), 'utf8'), /--proto =https --proto-redir =https .*releases\.invalid/);
    else assert.ok(!existsSync(join(at.home, 'curl')), `${url} was asked`);
    assert.notEqual(done.code, 0);
  }
  const { url: elsewhere, asked } = await serve(t, release(folder(t), TARGET));
  const answers = { 'release.json': (_, response) => response.writeHead(302, { location: `${elsewhere}/release.json` }).end() };
  const { url } = await serve(t, release(folder(t), TARGET), answers);
  const done = await install(machine(t), { GSTACK_RELEASE_URL: url });
  assert.equal(done.code, 3, done.out);
  assert.deepEqual(asked, [], 'a redirect away from the release was followed');
  const secure = await serveTls(t, (_, response) => response.writeHead(302, { location: `${elsewhere}/release.json` }).end());
  for (const hidden of [['wget'], ['curl']]) {
    const at = machine(t);
    without(at, hidden);
    const led = await install(at, { ...secure.env, GSTACK_RELEASE_URL: secure.url });
    assert.equal(led.code, 3, led.out);
    assert.deepEqual(asked, [], `a redirect to http was followed without ${hidden}`);
  }
});

test('a mirror that sends one byte after the other is left after a time', async (t) => {
  const at = machine(t);
  without(at, []);
  at.tool('curl', `echo "$@" >> '${join(at.home, 'said')}'; exit 28`);
  assert.equal((await install(at, {})).code, 3);
  assert.match(readFileSync(join(at.home, 'said'), 'utf8'), /--max-time 120 .*release\.json$/m);
  const other = machine(t);
  without(other, ['curl']);
  other.tool('timeout', `echo "$@" >> '${join(other.home, 'said')}'; exit 124`);
  assert.equal((await install(other, {})).code, 3);
  assert.match(readFileSync(join(other.home, 'said'), 'utf8'), /^120 wget .*release\.json$/m);
});

test('a mirror can not put an older release in the place of a newer one that is installed', async (t) => {
  const { url, asked } = await serve(t, release(folder(t), TARGET));
  for (const [version, code] of [
    ['9.10.0', 1],
    ['10.0.0', 1],
    ['9.9.9', 0],
    ['9.9.8', 0],
  ]) {
    const at = machine(t);
    mkdirSync(at.bin, { recursive: true });
    standIn(at.program, { version });
    asked.length = 0;
    const done = await install(at, { GSTACK_RELEASE_URL: url });
    assert.equal(done.code, code, done.out);
    if (code) {
      assert.match(done.out, new RegExp(`9\\.9\\.9, which is older than the gstack that is installed \\(${version}\\)`));
      assert.deepEqual(asked, ['release.json', 'release.json.minisig'], 'its program was downloaded');
      assert.match(execFileSync(at.program, ['--version'], { encoding: 'utf8' }), new RegExp(version));
    }
    holds(at, ['gstack']);
  }
});

test('a script that arrived in part runs nothing', (t) => {
  const whole = readFileSync(SCRIPT, 'utf8');
  const at = machine(t);
  at.tool('mkdir', `touch '${join(at.home, 'ran')}'; exit 1`);
  const lines = whole.split('\n');
  for (let length = 0; length < lines.length - 2; length += 3) {
    const input = lines.slice(0, length).join('\n');
    spawnSync('sh', [], { input, env: { ...at.env, GSTACK_RELEASE_URL: 'http://127.0.0.1:1' } });
    assert.ok(!existsSync(join(at.home, 'ran')), `the first ${length} lines did something`);
  }
  spawnSync('sh', [], { input: whole, env: { ...at.env, GSTACK_RELEASE_URL: 'http://127.0.0.1:1' } });
  assert.ok(existsSync(join(at.home, 'ran')), 'the whole script runs from standard input');
});

/** A checkout of a release, as far as setup.sh examines it, whose `cargo` only reports that it was called. */
function checkout(t, at, home = {}) {
  const root = folder(t);
  mkdirSync(join(root, 'install'));
  for (const name of ['setup.sh', 'packages.sh', 'install.sh']) copyFileSync(join(ROOT, 'install', name), join(root, 'install', name));
  mkdirSync(join(root, 'packaging'));
  homeFile(join(root, 'packaging'), home);
  writeFileSync(join(root, 'Cargo.toml'), '[package]\nversion = "9.9.9"\nrust-version = "1.0"\n');
  writeFileSync(join(root, '.gitignore'), 'target\n');
  const git = (...args) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t.example', ...args], { cwd: root, stdio: 'ignore' });
  git('init', '-q');
  git('add', '.');
  git('commit', '-qm', 'release');
  mkdirSync(join(root, 'target/release'), { recursive: true });
  standIn(join(root, 'target/release/gstack'), { version: '9.9.9-built', calls: at.env.calls });
  at.tool('cargo', 'echo building');
  at.tool('rustc', 'echo rustc 1.95.0');
  return { root, git };
}

const runSetup = (at, root, environment, args = []) =>
  new Promise((done) => {
    const env = { ...at.env, ...environment };
    const child = spawn('bash', [join(root, 'install/setup.sh'), '--no-connect', ...args], { env });
    let out = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (out += chunk));
    child.on('close', (code) => done({ code, out }));
  });

test('setup.sh takes the released program for an unchanged checkout of a release, and builds otherwise', async (t) => {
  const at = machine(t);
  const { root, git } = checkout(t, at);
  const { url } = await serve(t, release(folder(t), TARGET, { calls: at.env.calls }));
  const setup = (environment, ...args) => runSetup(at, root, { GSTACK_RELEASE_URL: url, ...environment }, args);
  const untagged = await setup({});
  assert.equal(untagged.code, 0, untagged.out);
  assert.match(untagged.out, /building\n[^]*Installed gstack 9\.9\.9-built/);
  git('tag', 'v9.9.9');
  const tagged = await setup({});
  assert.equal(tagged.code, 0, tagged.out);
  assert.match(tagged.out, /unchanged checkout of v9\.9\.9[^]*Installed gstack 9\.9\.9:/);
  assert.doesNotMatch(tagged.out, /building/);
  assert.match((await setup({}, '--build')).out, /building/);
  const unreachable = await setup({ GSTACK_RELEASE_URL: 'http://127.0.0.1:1' });
  assert.match(unreachable.out, /can be used: building it[^]*9\.9\.9-built/);
  writeFileSync(join(root, 'Cargo.toml'), '[package]\nversion = "9.9.9"\nrust-version = "1.0"\n# changed\n');
  assert.match((await setup({})).out, /^building/m);
  assert.ok(at.calls().includes('stop'), 'a daemon of the program before is ended');
});

test('the checksum that the test computes is the one that the script compares', () => {
  assert.equal(sha256('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  assert.equal(statSync(IN_CHECKOUT).mode & 0o111, 0o111, 'install.sh can be run');
});
