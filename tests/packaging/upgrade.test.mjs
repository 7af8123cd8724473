// `gstack upgrade` against a release on loopback: only a program that is signed, newer, complete and able to start is
// installed.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { TARGETS } from '../../packaging/lib/targets.mjs';
import { signer } from './support/minisign.mjs';
import { folder, ROOT, serve, serveTls, sha256, standIn } from './support/release.mjs';

const BUILT = process.env.GSTACK_BIN ?? join(ROOT, 'target/debug/gstack');
const TARGET = Object.keys(TARGETS).find((target) => {
  const { node } = TARGETS[target];
  return node.os === process.platform && node.cpu === process.arch && node.libc !== 'musl';
});
const ARCHIVE = `gstack-${TARGET}.tar.gz`;
const key = signer();

/** Creates a home with the program in its own folder. */
function machine(t, beneath = '.local/bin') {
  // The program may be a stand-in by then, so the built one ends the daemon.
  const home = folder(t, () => execFileSync(BUILT, ['stop'], { env, stdio: 'ignore' }));
  const bin = join(home, beneath);
  mkdirSync(bin, { recursive: true });
  const program = join(bin, 'gstack');
  copyFileSync(BUILT, program);
  const { GSTACK_TOKEN, GSTACK_SESSION, ...outside } = process.env;
  const env = {
    ...outside,
    HOME: home,
    GSTACK_HOME: join(home, 'gstack'),
    GSTACK_RELEASE_ADDRESS: 'https://releases.invalid/gstack',
    GSTACK_RELEASE_KEY: key.publicKey,
  };
  const run = (args, more = {}) =>
    new Promise((done) => {
      const child = spawn(program, args, { env: { ...env, ...more }, stdio: ['ignore', 'pipe', 'pipe'] });
      let out = '';
      child.stdout.on('data', (chunk) => (out += chunk));
      child.stderr.on('data', (chunk) => (out += chunk));
      child.on('close', (code) => done({ code, out }));
    });
  const before = sha256(readFileSync(program));
  const untouched = () => {
    assert.equal(sha256(readFileSync(program)), before, 'the program is another one');
    assert.deepEqual(readdirSync(bin), ['gstack'], 'something was left beside it');
  };
  return { home, bin, program, run, untouched };
}

/** Creates a signed release in a folder; its program reports that version and otherwise equals the built one. */
function release(
  t,
  { version = '9.9.9', says = version, body = `exec '${BUILT}' "$@"`, make, change = {}, signed = (text) => key.sign(text) } = {},
) {
  const at = folder(t);
  const name = `gstack-${TARGET}`;
  mkdirSync(join(at, name));
  const program = join(at, name, 'gstack');
  standIn(program, { version: says, body: `if [ "$1" != --version ]; then\n${body}\nfi` });
  make?.(program);
  execFileSync('tar', ['-czf', ARCHIVE, name], { cwd: at });
  const bytes = readFileSync(join(at, ARCHIVE));
  const archive = { file: ARCHIVE, size: bytes.length, sha256: sha256(bytes), ...change };
  const text = JSON.stringify({ version, published: '2026-11-22', targets: { [change.target ?? TARGET]: archive } });
  writeFileSync(join(at, 'release.json'), text);
  const signature = signed(text);
  if (signature) writeFileSync(join(at, 'release.json.minisig'), signature);
  return at;
}

const pid = async (at) => (await at.run(['doctor'])).out.match(/pid (\d+)/)?.[1];

test('a newer release takes the place, and the daemon hands over to it', async (t) => {
  const at = machine(t);
  const { url } = await serve(t, release(t));
  const env = { GSTACK_RELEASE_URL: url };
  const before = await pid(at);
  assert.ok(before, 'a daemon runs');
  const looked = await at.run(['upgrade', '--check'], env);
  assert.match(looked.out, /gstack 9\.9\.9 of 2026-11-22 is available/);
  at.untouched();
  const done = await at.run(['upgrade'], env);
  assert.equal(done.code, 0, done.out);
  assert.match(done.out, /Upgraded from .* to 9\.9\.9/);
  assert.match(readFileSync(at.program, 'utf8'), /^#!\/bin\/sh/);
  assert.deepEqual(readdirSync(at.bin), ['gstack']);
  const after = await pid(at);
  assert.ok(after && after !== before, 'another daemon runs');
});

test('without a daemon before there is none afterwards', async (t) => {
  const at = machine(t);
  const { url } = await serve(t, release(t));
  const done = await at.run(['upgrade', '--json'], { GSTACK_RELEASE_URL: url });
  assert.equal(done.code, 0, done.out);
  assert.equal(JSON.parse(done.out.slice(done.out.indexOf('{'))).upgraded, true);
  assert.match((await at.run(['stop'])).out, /was not running/);
});

test('a new program that crashes as it starts is taken back, and the older daemon runs again', async (t) => {
  for (const runs of [true, false]) {
    const at = machine(t);
    const { url } = await serve(t, release(t, { body: 'echo "no luck" >&2; exit 9' }));
    const before = runs ? await pid(at) : null;
    const done = await at.run(['upgrade'], { GSTACK_RELEASE_URL: url });
    assert.equal(done.code, 1, done.out);
    assert.match(done.out, /did not become ready, so .* is back in place/);
    at.untouched();
    const after = await pid(at);
    assert.ok(after && after !== before, 'the older daemon runs again');
  }
});

for (const [what, options, said] of [
  ['a manifest without a signature', { signed: () => null }, /release\.json\.minisig could not be downloaded/],
  ['a manifest that another key signed', { signed: (text) => signer().sign(text) }, /signature is not valid/],
  ['the signature of another manifest', { signed: (text) => key.sign(`${text} `) }, /signature is not valid/],
  ['a signature of the older form', { signed: (text) => key.sign(text, { legacy: true }) }, /signature is not valid/],
  ['an older release, properly signed', { version: '0.0.1' }, /which is older than this gstack/],
  ['an archive of another content', { change: { sha256: 'a'.repeat(64) } }, /its SHA-256 does not match/],
  ['a longer archive than was signed', { change: { size: 100 } }, /could not be downloaded|more than 100 bytes/],
  ['a shorter archive than was signed', { change: { size: 1 << 20 } }, /instead of 1048576/],
  ['a program of another version', { says: '9.9.8' }, /its program says gstack 9\.9\.8/],
  [
    'a program that is a link',
    {
      make: (at) => {
        rmSync(at);
        symlinkSync('/bin/true', at);
      },
    },
    /is not a file/,
  ],
  ['a program that does not start', { make: (at) => writeFileSync(at, 'not a program') }, /does not start here/],
  ['a release for other machines', { change: { target: 'sparc-sun-solaris' } }, /has no build for/],
  ['a name that leads elsewhere', { change: { file: '../gstack' } }, /is not a file's name/],
])
  test(`${what} is refused, and nothing changes`, async (t) => {
    const at = machine(t);
    const { url } = await serve(t, release(t, options));
    const done = await at.run(['upgrade'], { GSTACK_RELEASE_URL: url });
    assert.equal(done.code, 1, done.out);
    assert.match(done.out, said);
    at.untouched();
    assert.match((await at.run(['stop'])).out, /was not running/, 'no daemon was started for it');
  });

test('a download that ends in the middle changes nothing', async (t) => {
  const at = machine(t);
  const cut = (_, response, bytes) => {
    response.writeHead(200, { 'content-length': bytes.length });
    response.write(bytes.subarray(0, 200), () => response.destroy());
  };
  const { url } = await serve(t, release(t), { [ARCHIVE]: cut });
  const done = await at.run(['upgrade'], { GSTACK_RELEASE_URL: url });
  assert.equal(done.code, 1, done.out);
  assert.match(done.out, /could not be downloaded/);
  at.untouched();
});

/** Returns a folder with this program and what unpacks; skips the test if one is missing. */
function only(t, program) {
  const bin = folder(t);
  for (const name of [program, 'tar', 'gzip']) {
    const found = (process.env.PATH ?? '').split(':').find((place) => existsSync(join(place, name)));
    if (!found) return void t.skip(`${name} is missing`);
    symlinkSync(join(found, name), join(bin, name));
  }
  return bin;
}

for (const program of ['curl', 'wget'])
  test(`a mirror that sends without end fills no disk with ${program}`, async (t) => {
    const at = machine(t);
    const bin = only(t, program);
    if (!bin) return;
    // No length is announced.
    const endless = (_, response) => {
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(65536)));
      };
      response.on('drain', more);
      more();
    };
    for (const [file, most] of [
      ['release.json', 1 << 20],
      [ARCHIVE, null],
    ]) {
      const made = release(t);
      const { url } = await serve(t, made, { [file]: endless });
      const limit = most ?? readFileSync(join(made, ARCHIVE)).length;
      const done = await at.run(['upgrade'], { GSTACK_RELEASE_URL: url, PATH: bin });
      assert.equal(done.code, 1, done.out);
      assert.match(done.out, new RegExp(`${file} could not be downloaded[^]*(larger than ${limit} bytes|maximum|exceeded)`, 'i'));
      at.untouched();
    }
  });

for (const program of ['curl', 'wget'])
  test(`a redirect from https to http is not followed with ${program}`, async (t) => {
    const at = machine(t);
    const bin = only(t, program);
    if (!bin) return;
    const { url: elsewhere, asked } = await serve(t, release(t));
    const secure = await serveTls(t, (_, response) => response.writeHead(302, { location: `${elsewhere}/release.json` }).end());
    const done = await at.run(['upgrade', '--check'], { ...secure.env, GSTACK_RELEASE_URL: secure.url, PATH: bin });
    assert.equal(done.code, 1, done.out);
    assert.match(done.out, /release\.json could not be downloaded/);
    assert.deepEqual(asked, []);
  });

test('the same version again downloads nothing but the manifest', async (t) => {
  const at = machine(t);
  const version = readFileSync(join(ROOT, 'Cargo.toml'), 'utf8').match(/^version = "(.*)"$/m)[1];
  const { url, asked } = await serve(t, release(t, { version }));
  for (const args of [['upgrade'], ['upgrade', '--check']]) {
    const done = await at.run(args, { GSTACK_RELEASE_URL: url });
    assert.equal(done.code, 0, done.out);
    assert.match(done.out, /is the newest release/);
  }
  assert.deepEqual([...new Set(asked)], ['release.json', 'release.json.minisig']);
  at.untouched();
});

test('a package manager keeps its files, an agent may not upgrade, and only https and loopback are asked', async (t) => {
  const managed = machine(t, 'node_modules/@owner/gstack-linux-x64/bin');
  const { url, asked } = await serve(t, release(t));
  const env = { GSTACK_RELEASE_URL: url };
  const done = await managed.run(['upgrade'], env);
  assert.equal(done.code, 1);
  assert.match(done.out, /was installed by npm[^]*npm update --global/);
  managed.untouched();
  const at = machine(t);
  assert.match((await at.run(['upgrade'], { ...env, GSTACK_TOKEN: 'an-agents' })).out, /an agent may not upgrade/);
  assert.deepEqual(asked, [], 'a release was asked for');
  assert.match((await at.run(['upgrade', '--check'], { GSTACK_RELEASE_URL: 'http://releases.example' })).out, /only https/);
  at.untouched();
  assert.ok(!existsSync(join(at.bin, '.gstack-upgrade')));
});

test('a build that does not say where releases are published downloads nothing, and says how to build', async (t) => {
  const at = machine(t);
  const { url, asked } = await serve(t, release(t));
  // With another address in the environment too, and as the checkout is: empty.
  for (const [empty, args] of [
    [{ GSTACK_RELEASE_KEY: '' }, ['upgrade']],
    [{ GSTACK_RELEASE_ADDRESS: '' }, ['upgrade', '--check']],
    [{ GSTACK_RELEASE_ADDRESS: '', GSTACK_RELEASE_KEY: '' }, ['upgrade']],
  ]) {
    const done = await at.run(args, { GSTACK_RELEASE_URL: url, ...empty });
    assert.equal(done.code, 1, done.out);
    assert.match(done.out, /without the address and the key of published releases[^]*install\/setup\.sh/);
  }
  assert.deepEqual(asked, [], 'a release was asked for');
  at.untouched();
});
