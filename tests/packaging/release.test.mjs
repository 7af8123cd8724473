// The output of packaging/release.sh: complete, consistent and reproducible.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { versions } from '../../packaging/check-version.mjs';
import { withNamespaces } from '../../packaging/docker/seccomp.mjs';
import { HOST_FOLDERS } from '../../packaging/lib/debian.mjs';
import { filesIn } from '../../packaging/lib/files.mjs';
import { installer, readHome } from '../../packaging/lib/home.mjs';
import { TARGETS } from '../../packaging/lib/targets.mjs';
import { zip } from '../../packaging/lib/zip.mjs';
import { notes } from '../../packaging/notes.mjs';
import { dist, makeRelease, STANDS_IN, standIns, VERSION } from './support/dist.mjs';
import { folder, homeFile, ROOT, sha256 } from './support/release.mjs';

const read = (name) => readFileSync(join(ROOT, name), 'utf8');
const has = (tool) => spawnSync('sh', ['-c', `command -v ${tool}`]).status === 0;

let made;
before((t) => {
  made = dist(t);
});

test('every file has its checksum, and every target its archive with program and documents', () => {
  const lines = readFileSync(join(made, 'SHA256SUMS'), 'utf8').trim().split('\n');
  const named = lines.map((line) => line.slice(66)).sort();
  const unsigned = filesIn(made).filter((name) => name !== 'SHA256SUMS' && !name.endsWith('.minisig'));
  assert.deepEqual(named, unsigned);
  for (const line of lines) assert.equal(sha256(readFileSync(join(made, line.slice(66)))), line.slice(0, 64), line);
  const release = JSON.parse(readFileSync(join(made, 'release.json'), 'utf8'));
  assert.equal(release.version, VERSION);
  assert.deepEqual(Object.keys(release.targets).sort(), Object.keys(TARGETS).sort());
  for (const [target, { file, size, sha256: sum }] of Object.entries(release.targets)) {
    assert.equal(statSync(join(made, file)).size, size);
    assert.ok(lines.includes(`${sum}  ${file}`), 'release.json and SHA256SUMS agree');
    const inside = execFileSync('tar', ['-tvzf', join(made, file)], { encoding: 'utf8' });
    assert.match(inside, new RegExp(`-rwxr-xr-x .* gstack-${target}/gstack\n`));
    for (const name of ['LICENSE', 'README.md', 'gstack.1', 'completions/_gstack', 'io.gstack.host.json']) {
      assert.ok(inside.includes(`gstack-${target}/${name}\n`), `${name} is not in ${file}`);
    }
  }
  const script = readFileSync(join(made, 'install.sh'), 'utf8');
  const filled = (name) => script.match(new RegExp(`^${name}='(.*)'$`, 'm'))[1];
  const home = { address: filled('address'), 'release-key': filled('key') };
  assert.ok(home.address && home['release-key']);
  assert.equal(script, installer(read('install/install.sh'), home, VERSION));
});

test('the same programs give the same bytes, whatever the clock, the folder and the modes of files say', { skip: !STANDS_IN }, (t) => {
  const programs = standIns(t);
  const environment = { SOURCE_DATE_EPOCH: '1700000000' };
  const first = makeRelease(join(folder(t), 'first'), programs, environment);
  for (const file of Object.values(programs)) {
    utimesSync(file, 1, 1);
    chmodSync(file, 0o700);
  }
  const second = makeRelease(join(folder(t), 'elsewhere', 'second'), programs, { ...environment, TZ: 'Asia/Tokyo', LANG: 'de_DE.UTF-8' });
  assert.equal(readFileSync(join(first, 'SHA256SUMS'), 'utf8'), readFileSync(join(second, 'SHA256SUMS'), 'utf8'));
});

test('a program of another version makes no release', { skip: !STANDS_IN }, (t) => {
  const programs = standIns(t, 'if [ "$1" = --version ]; then echo "gstack 0.0.1"; exit; fi');
  assert.throws(() => makeRelease(join(folder(t), 'dist'), programs), /the program says gstack 0\.0\.1/);
  assert.throws(() => makeRelease(join(folder(t), 'dist'), { 'sparc-sun-solaris': '/bin/true' }), /no target of a release/);
});

test('the .deb has program, manual, completions and hosts for all users', { skip: !has('dpkg-deb') && 'dpkg-deb is missing' }, (t) => {
  for (const { debian } of Object.values(TARGETS).filter((target) => target.debian)) {
    const file = join(made, `gstack_${VERSION}_${debian}.deb`);
    const inside = execFileSync('dpkg-deb', ['-c', file], { encoding: 'utf8' });
    for (const line of inside.trim().split('\n')) assert.match(line, /^[d-]rw[x-]r-[x-]r-[x-] root\/root /, line);
    const root = join(folder(t), 'root');
    mkdirSync(root);
    execFileSync('dpkg-deb', ['-x', file, root]);
    assert.equal(statSync(join(root, 'usr/bin/gstack')).mode & 0o777, 0o755);
    for (const at of HOST_FOLDERS) {
      const host = JSON.parse(readFileSync(join(root, at, 'io.gstack.host.json'), 'utf8'));
      const own = JSON.parse(read('manifests/io.gstack.host.json'));
      assert.ok(existsSync(join(root, host.path)), 'the host that browsers start is in the package');
      assert.deepEqual(host.allowed_origins, own.allowed_origins, 'nobody else is let in');
      assert.deepEqual({ ...host, path: '' }, { ...own, path: '' });
    }
    for (const name of [
      'man/man1/gstack.1.gz',
      'bash-completion/completions/gstack',
      'zsh/vendor-completions/_gstack',
      'doc/gstack/copyright',
    ])
      assert.ok(statSync(join(root, 'usr/share', name)).size > 0, name);
    const control = execFileSync('dpkg-deb', ['-I', file, 'control'], { encoding: 'utf8' });
    assert.match(control, new RegExp(`Architecture: ${debian}\n[^]*Depends: libc6 \\(>= 2\\.28\\)`));
    const conffiles = execFileSync('dpkg-deb', ['-I', file, 'conffiles'], { encoding: 'utf8' });
    assert.deepEqual(
      conffiles.trim().split('\n'),
      HOST_FOLDERS.map((at) => `${at}/io.gstack.host.json`),
    );
  }
});

test('the .deb installs into a root of its own, and is removed from it', {
  skip: (!has('dpkg') || process.getuid() !== 0) && 'needs dpkg and root',
}, (t) => {
  const root = folder(t);
  for (const name of ['var/lib/dpkg/info', 'var/lib/dpkg/updates', 'var/lib/dpkg/triggers'])
    mkdirSync(join(root, name), { recursive: true });
  for (const name of ['status', 'available']) writeFileSync(join(root, 'var/lib/dpkg', name), '');
  const architecture = execFileSync('dpkg', ['--print-architecture'], { encoding: 'utf8' }).trim();
  const dpkg = (...args) =>
    execFileSync('dpkg', [`--root=${root}`, '--force-depends', '--force-not-root', '--log=/dev/null', ...args], { stdio: 'pipe' });
  dpkg('-i', join(made, `gstack_${VERSION}_${architecture}.deb`));
  assert.equal(execFileSync(join(root, 'usr/bin/gstack'), ['--version'], { encoding: 'utf8' }), `gstack ${VERSION}\n`);
  dpkg('--purge', 'gstack');
  assert.ok(!existsSync(join(root, 'usr/bin/gstack')) && !existsSync(join(root, 'etc/chromium/native-messaging-hosts')));
});

test('the SBOM names what is linked, with checksums and licences, and nothing of the tests', () => {
  const bom = JSON.parse(readFileSync(join(made, 'gstack.cdx.json'), 'utf8'));
  assert.equal(bom.bomFormat, 'CycloneDX');
  assert.equal(bom.specVersion, '1.5');
  assert.match(bom.serialNumber, /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-[1-5][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  const names = new Set(bom.components.map(({ name }) => name));
  for (const name of [
    'tokio',
    'rustix',
    'landlock',
    'libsqlite3-sys',
    '@highlightjs/cdn-assets',
    'markdown-it',
    'entities',
    'playwright-core',
    'axe-core',
  ])
    assert.ok(names.has(name), name);
  for (const name of ['proptest', 'ts-rs', 'tempfile']) assert.ok(!names.has(name), `${name} is of the tests alone`);
  assert.ok(names.has('security-framework') && ![...names].some((name) => name.startsWith('windows')), 'for the systems of a release');
  for (const one of bom.components) {
    assert.ok(one.licenses?.[0].expression, `${one.name} has no licence`);
    // The crates of this workspace are never published one by one: they have no archive.
    if (one.purl.startsWith('pkg:cargo/') && !one.name.startsWith('gstack-'))
      assert.match(one.hashes[0].content, /^[0-9a-f]{64}$/, one.name);
  }
  const refs = new Set([...bom.components, bom.metadata.component].map((one) => one['bom-ref']));
  assert.equal(refs.size, bom.components.length + 1, 'each has a name of its own');
  for (const { ref, dependsOn } of bom.dependencies) for (const one of [ref, ...dependsOn]) assert.ok(refs.has(one), one);
});

test('formula and PKGBUILD name archives of this release with their checksums', () => {
  const release = JSON.parse(readFileSync(join(made, 'release.json'), 'utf8'));
  for (const name of ['gstack.rb', 'PKGBUILD']) {
    const text = readFileSync(join(made, name), 'utf8');
    assert.doesNotMatch(text, /@[A-Z0-9_:a-z-]+@/, 'a place was not filled in');
    const sums = Object.values(release.targets).filter(({ sha256: sum }) => text.includes(sum));
    assert.equal(sums.length, name === 'gstack.rb' ? 4 : 2);
    assert.ok(text.includes(VERSION));
    for (const { file } of name === 'gstack.rb' ? sums : []) assert.ok(text.includes(file), file);
  }
  assert.equal(spawnSync('bash', ['-n', join(made, 'PKGBUILD')]).status, 0);
});

test('install.sh and the workflow know the same targets', () => {
  const workflow = read('.github/workflows/release.yml');
  for (const target of Object.keys(TARGETS)) assert.ok(workflow.includes(`target: ${target},`), `the workflow does not build ${target}`);
  assert.match(read('install/install.sh'), /least_glibc=2\.28/);
  assert.match(read('packaging/release.sh'), /^glibc=2\.28$/m);
});

test('a checkout whose home is empty makes no installer and no listings', { skip: !STANDS_IN }, (t) => {
  const program = Object.values(standIns(t))[0];
  const files = (home) => filesIn(makeRelease(join(folder(t), 'dist'), { 'x86_64-unknown-linux-gnu': program }, {}, home));
  const isListing = (name) => /^(install\.sh|server\.json|gstack\.rb|PKGBUILD|.*\.tgz)$/.test(name);
  for (const home of [null, { address: '' }, { 'release-key': '' }]) assert.deepEqual(files(home).filter(isListing), []);
  // A name that nobody owns is left out alone.
  assert.deepEqual(files({ 'mcp-name': '', 'npm-scope': '' }).filter(isListing), ['install.sh']);
  assert.ok(files({}).includes('server.json'));
});

test('nothing in the repository but home.toml says where gstack is published, or names a package registry', () => {
  const home = readHome(join(ROOT, 'packaging/home.toml'));
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: ROOT, encoding: 'utf8' })
    .trim()
    .split('\n');
  const own = [/(github|gitlab)\.com\/gstack\b/, /\bgstack\/gstack\b/, /@gstack-browser\b/, /@users\.noreply\./];
  const registries = [/registry\.npmjs\.org/, /www\.npmjs\.com/, /\b(index|static)\.crates\.io/, /\bpypi\.org/, /files\.pythonhosted\.org/];
  const filled = Object.values(home).filter(Boolean);
  const isText = (name) => !/\.(png|webm|woff2|pdf|zip|gif|ico|jpg)$|(^|\/)(Cargo|package-)?lock(\.json)?$/i.test(name);
  const self = ['packaging/home.toml', 'tests/packaging/release.test.mjs'];
  const wrong = [];
  for (const name of files.filter((one) => isText(one) && !self.includes(one) && existsSync(join(ROOT, one)))) {
    const text = read(name);
    for (const found of [...own, ...registries]) if (found.test(text)) wrong.push(`${name}: ${found}`);
    for (const value of filled) if (text.includes(value)) wrong.push(`${name}: ${value}`);
  }
  assert.deepEqual(wrong, []);
});

test('a value of home.toml that could become a command, an option or another address is refused', (t) => {
  for (const values of [
    { address: 'http://releases.example/gstack' },
    { address: "https://releases.example/x'; touch y; '" },
    { address: 'https://releases.example@evil.example/gstack' },
    { 'release-key': "RW'$(touch y)'" },
    { 'npm-scope': 'owner' },
    { 'mcp-name': 'io.example/gstack', 'npm-scope': '' },
    { maintainer: 'Somebody\\n <a@b.example>' },
  ])
    assert.throws(() => readHome(homeFile(folder(t), values)), /can't be the|is not understood|needs npm-scope/, JSON.stringify(values));
  assert.throws(() => readHome(homeFile(folder(t), { addres: '' })), /is not understood/);
});

test('every file that names the version names the same one, and a tag of another version is refused', () => {
  assert.deepEqual([...new Set(Object.values(versions(ROOT)))], [VERSION]);
  const check = (tag) => spawnSync(process.execPath, [join(ROOT, 'packaging/check-version.mjs'), tag]).status;
  assert.equal(check(`v${VERSION}`), 0);
  assert.equal(check('v99.0.0'), 1);
});

test("a release's notes are its part of the changelog", () => {
  const changelog = '# Changes\n\n## Unreleased\n\n- later\n\n## 1.2.0\n\n### Added\n\n- one\n\n## 1.1.0\n\n- before\n';
  assert.equal(notes(changelog, '1.2.0'), '### Added\n\n- one');
  assert.throws(() => notes(changelog, '1.2'), /has no heading/);
});

test('a zip is read by other programs, and its bytes depend on names and content alone', (t) => {
  const at = folder(t);
  const files = [
    ['a.txt', Buffer.from('a')],
    ['b/ü.txt', Buffer.from('ü'.repeat(1000))],
  ];
  const bytes = zip(files);
  assert.deepEqual(zip(files), bytes);
  writeFileSync(join(at, 'a.zip'), bytes);
  const python =
    'import sys,zipfile;z=zipfile.ZipFile(sys.argv[1]);assert z.testzip() is None;print("|".join(z.namelist()), len(z.read("b/ü.txt")))';
  const read = execFileSync('python3', ['-c', python, join(at, 'a.zip')], { encoding: 'utf8', env: { ...process.env, PYTHONUTF8: '1' } });
  assert.equal(read, 'a.txt|b/ü.txt 2000\n');
});

test("the container's profile allows namespaces and keeps the rest of Docker's", () => {
  const profile = { defaultAction: 'SCMP_ACT_ERRNO', syscalls: [{ names: ['read'], action: 'SCMP_ACT_ALLOW' }] };
  const made = withNamespaces(profile);
  assert.deepEqual(made.syscalls.slice(1), profile.syscalls);
  assert.ok(made.syscalls[0].names.includes('unshare'));
  assert.throws(() => withNamespaces({ defaultAction: 'SCMP_ACT_ALLOW', syscalls: [] }), /must refuse/);
  const dockerfile = read('packaging/docker/Dockerfile');
  assert.match(dockerfile, /^USER gstack$/m);
  assert.doesNotMatch(dockerfile, /--no-sandbox|--privileged/);
});

test('the release is made of what the checkout holds', (t) => {
  // A checkout with spaces in its path, and without the folders that tests and builds create.
  const copy = join(folder(t), 'a checkout');
  for (const name of [
    'packaging',
    'install',
    'manifests',
    'extension',
    'src',
    'Cargo.toml',
    'Cargo.lock',
    'README.md',
    'LICENSE',
    'CHANGELOG.md',
    'tests/extension/package-lock.json',
    'tests/oracle/package-lock.json',
  ])
    cpSync(join(ROOT, name), join(copy, name), { recursive: true });
  mkdirSync(join(copy, 'benches'));
  cpSync(join(ROOT, 'tests/faults/main.rs'), join(copy, 'tests/faults/main.rs'));
  const program = Object.values(standIns(t))[0];
  const args = ['--out', join(copy, 'dist'), '--home', homeFile(folder(t)), '--binary', `x86_64-unknown-linux-musl=${program}`];
  const env = { ...process.env, SOURCE_DATE_EPOCH: '1700000000', MINISIGN_SECRET_KEY_FILE: '' };
  const done = spawnSync(join(copy, 'packaging/release.sh'), args, { env, encoding: 'utf8' });
  assert.equal(done.status, 0, done.stderr);
  assert.match(done.stderr, /no gstack\.rb: it needs .*apple/, 'what can not be made is said');
  assert.ok(readdirSync(join(copy, 'dist')).includes('gstack-x86_64-unknown-linux-musl.tar.gz'));
});
