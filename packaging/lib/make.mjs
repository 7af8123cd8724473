// Creates a release's files from built programs. Called by packaging/release.sh; never publishes anything.
import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { debian } from './debian.mjs';
import { extensionZip } from './extension.mjs';
import { archive, copy, epoch, filesIn, put, sha256 } from './files.mjs';
import { installer, isPublished, readHome } from './home.mjs';
import { programPackage, wrapperPackage } from './npm.mjs';
import { sbom } from './sbom.mjs';
import { server } from './server.mjs';
import { TARGETS } from './targets.mjs';

const text = { type: 'string' };
const options = { root: text, home: text, out: text, work: text, glibc: text };
const { values, positionals } = parseArgs({ options, allowPositionals: true });
const { root, out, work, glibc } = values;
const home = readHome(values.home);
const listed = isPublished(home);
const give_up = (words) => {
  console.error(`release: ${words}`);
  process.exit(1);
};
const note = (words) => console.error(words);
const has = (tool) => {
  try {
    execFileSync('sh', ['-c', `command -v ${tool}`], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

const version = readFileSync(join(root, 'Cargo.toml'), 'utf8').match(/^version = "(.*)"$/m)[1];
const programs = new Map(positionals.map((one) => [one.slice(0, one.indexOf('=')), one.slice(one.indexOf('=') + 1)]));
for (const target of programs.keys())
  if (!TARGETS[target]) give_up(`${target} is no target of a release; packaging/lib/targets.mjs lists them`);

// The manual page and the completions are the same for each target, so a program that runs on this machine prints them.
const asked = (...words) => {
  for (const program of programs.values()) {
    try {
      return execFileSync(program, words, { maxBuffer: 1 << 26, stdio: ['ignore', 'pipe', 'ignore'] });
    } catch {
      // A program for another machine.
    }
  }
  return give_up('none of the programs runs on this machine: one must, to print the manual page and the completions');
};
const said = asked('--version').toString().trim();
if (said !== `gstack ${version}`) give_up(`the program says ${said}, and Cargo.toml ${version}`);
const documents = {
  'gstack.1': asked('man'),
  'completions/gstack.bash': asked('completions', 'bash'),
  'completions/gstack.fish': asked('completions', 'fish'),
  'completions/_gstack': asked('completions', 'zsh'),
};
const manifest = JSON.parse(readFileSync(join(root, 'manifests/io.gstack.host.json'), 'utf8'));

const targets = {};
const sums = {};
for (const [target, program] of [...programs].sort(([a], [b]) => (a < b ? -1 : 1))) {
  const name = `gstack-${target}`;
  const folder = join(work, name);
  copy(program, join(folder, 'gstack'), 0o755);
  for (const file of ['README.md', 'LICENSE', 'CHANGELOG.md']) copy(join(root, file), join(folder, file));
  for (const [file, content] of Object.entries(documents)) put(join(folder, file), content);
  // For packagers that install for all users of a machine.
  put(join(folder, 'io.gstack.host.json'), `${JSON.stringify({ ...manifest, path: '/usr/bin/gstack' }, null, 2)}\n`);
  const file = join(out, `${name}.tar.gz`);
  archive(work, name, file);
  sums[target] = sha256(file);
  targets[target] = { file: basename(file), size: statSync(file).size, sha256: sums[target] };
  const { debian: architecture } = TARGETS[target];
  if (architecture && has('dpkg-deb')) debian({ root, home, work, out, version, glibc, architecture, folder });
  else if (architecture) note(`no .deb for ${target}: dpkg-deb is missing`);
  if (listed && home['npm-scope']) programPackage({ root, home, work, out, version, target, program });
}
if (listed && home['npm-scope']) wrapperPackage({ root, home, work, out, version });
if (listed && home['mcp-name']) put(join(out, 'server.json'), `${JSON.stringify(server(home, version), null, 2)}\n`);
put(join(out, `gstack-extension-${version}.zip`), extensionZip(root));
if (listed) put(join(out, 'install.sh'), installer(readFileSync(join(root, 'install/install.sh'), 'utf8'), home, version), 0o755);
else note('no install.sh and no listings: packaging/home.toml has no address or no release-key');

for (const [name, template] of [
  ['gstack.rb', 'gstack.rb'],
  ['PKGBUILD', 'PKGBUILD'],
]) {
  if (!listed) continue;
  const values = { '@VERSION@': version, '@ADDRESS@': home.address, '@MAINTAINER@': home.maintainer || 'gstack contributors' };
  const empty = readFileSync(join(root, 'packaging/templates', template), 'utf8');
  const source = Object.entries(values).reduce((filled, [name, value]) => filled.replaceAll(name, value), empty);
  const missing = [...source.matchAll(/@SHA256:(.*?)@/g)].map(([, target]) => target).filter((target) => !sums[target]);
  if (missing.length > 0) note(`no ${name}: it needs ${missing.join(', ')} too`);
  else
    put(
      join(out, name),
      source.replace(/@SHA256:(.*?)@/g, (_, target) => sums[target]),
    );
}

/** Third-party files in the repository: libraries of the extension, the device table, axe-core. */
const vendored = [
  ['tests/extension', '@highlightjs/cdn-assets', 'BSD-3-Clause'],
  ['tests/extension', 'markdown-it', 'MIT'],
  // Bundled into markdown-it's single file.
  ['tests/extension', 'entities', 'BSD-2-Clause'],
  ['tests/extension', 'linkify-it', 'MIT'],
  ['tests/extension', 'mdurl', 'MIT'],
  ['tests/extension', 'punycode.js', 'MIT'],
  ['tests/extension', 'uc.micro', 'MIT'],
  ['tests/oracle', 'playwright-core', 'Apache-2.0'],
  ['tests/oracle', 'axe-core', 'MPL-2.0'],
].map(([folder, name, license]) => {
  const { packages } = JSON.parse(readFileSync(join(root, folder, 'package-lock.json'), 'utf8'));
  return { name, version: packages[`node_modules/${name}`].version, license };
});
put(join(out, 'gstack.cdx.json'), `${JSON.stringify(sbom({ root, vendored }), null, 2)}\n`);
const published = new Date(epoch() * 1000).toISOString().slice(0, 10);
put(join(out, 'release.json'), `${JSON.stringify({ version, published, targets }, null, 2)}\n`);
const lines = filesIn(out).map((name) => `${sha256(join(out, name))}  ${name}\n`);
put(join(out, 'SHA256SUMS'), lines.join(''));
