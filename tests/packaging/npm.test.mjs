// The npm packages, installed from their tarballs into an empty folder without a network.
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { TARGETS } from '../../packaging/lib/targets.mjs';
import { dist, STANDS_IN, VERSION } from './support/dist.mjs';
import { folder } from './support/release.mjs';

const BODY = `
case "$1" in
  connect) shift; echo "connected $# $1|$2"; exit 0 ;;
  fail) exit 3 ;;
  wait) trap 'echo ended; exit 7' TERM; echo waiting; while :; do sleep 0.1; done ;;
  die) kill -KILL $$ ;;
esac`;

let made;
/** The scope of the release: the tests' own, or the one of packaging/home.toml. */
let scope;
before((t) => {
  made = dist(t, BODY);
  scope = `@${readdirSync(made)
    .find((name) => name.endsWith(`-gstack-${VERSION}.tgz`))
    .slice(0, -`-gstack-${VERSION}.tgz`.length)}`;
});

const tarball = (name) => join(made, `${scope.slice(1)}-gstack${name}-${VERSION}.tgz`);
const libc = process.report.getReport().header.glibcVersionRuntime ? '' : '-musl';
const HERE = `-${process.platform}-${process.arch}${process.platform === 'linux' ? libc : ''}`;

/** Returns an empty folder with the packages installed; every request to a registry fails. */
function installed(t, packages) {
  const at = folder(t);
  const env = {
    ...process.env,
    HOME: at,
    npm_config_cache: join(at, 'cache'),
    npm_config_offline: 'true',
    npm_config_registry: 'http://127.0.0.1:1/',
  };
  mkdirSync(join(at, 'project'));
  writeFileSync(join(at, 'project/package.json'), '{"private":true}');
  const flags = ['install', '--no-audit', '--no-fund', '--loglevel=error', ...packages];
  execFileSync('npm', flags, { cwd: join(at, 'project'), env, stdio: 'pipe' });
  return { cwd: join(at, 'project'), env };
}

test('npx runs the program of this machine, with its arguments, exit code and signals', async (t) => {
  const { cwd, env } = installed(t, [tarball(''), tarball(HERE)]);
  const run = (...args) => spawnSync('npx', ['--no', '--', `${scope}/gstack`, ...args], { cwd, env, encoding: 'utf8' });
  assert.equal(run('--version').stdout, `gstack ${VERSION}\n`);
  assert.deepEqual(readdirSync(join(cwd, 'node_modules', scope)).sort(), ['gstack', `gstack${HERE}`]);
  if (!STANDS_IN) return;
  assert.equal(run('connect', 'a b', '$HOME').stdout, 'connected 2 a b|$HOME\n');
  assert.equal(run('fail').status, 3);
  const bin = join(cwd, 'node_modules/.bin/gstack');
  assert.equal(spawnSync(bin, ['die'], { env }).signal, 'SIGKILL');
  const child = spawn(bin, ['wait'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let out = '';
  const ended = new Promise((done) => child.on('close', (code) => done(code)));
  await new Promise((ready) =>
    child.stdout.on('data', (chunk) => {
      out += chunk;
      if (out.includes('waiting')) ready();
    }),
  );
  child.kill('SIGTERM');
  assert.equal(await ended, 7);
  assert.equal(out, 'waiting\nended\n');
});

test('without a package for this machine it says so and does nothing', (t) => {
  const { cwd, env } = installed(t, [tarball('')]);
  rmSync(join(cwd, 'node_modules', scope, `gstack${HERE}`), { recursive: true, force: true });
  const done = spawnSync(join(cwd, 'node_modules/.bin/gstack'), ['connect'], { env, encoding: 'utf8' });
  assert.equal(done.status, 1);
  assert.match(done.stderr, /there is no program for .*--include=optional/);
});

test('no package runs anything at installation, and each is for its machine alone', () => {
  const manifest = (name) => JSON.parse(execFileSync('tar', ['-xzOf', tarball(name), 'package/package.json'], { encoding: 'utf8' }));
  const wrapper = manifest('');
  assert.equal(wrapper.name, `${scope}/gstack`);
  assert.deepEqual(wrapper.bin, { gstack: 'bin/gstack.js' });
  assert.equal(wrapper.dependencies, undefined);
  for (const { npm, node } of Object.values(TARGETS)) {
    const one = manifest(`-${npm}`);
    assert.equal(wrapper.optionalDependencies[one.name], one.version, one.name);
    assert.deepEqual([one.os, one.cpu, one.libc], [[node.os], [node.cpu], node.libc && [node.libc]]);
    const inside = execFileSync('tar', ['-tvzf', tarball(`-${npm}`)], { encoding: 'utf8' });
    assert.match(inside, /-rwxr-xr-x .* package\/bin\/gstack\n/);
  }
  for (const name of ['', ...Object.values(TARGETS).map(({ npm }) => `-${npm}`)]) assert.equal(manifest(name).scripts, undefined);
});
