// The npm packages: a main package without a program, and one package per target, which npm selects by `os`, `cpu` and
// `libc`. Installation downloads and runs nothing else.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { copy, put } from './files.mjs';
import { TARGETS } from './targets.mjs';

const common = (home, version) => ({
  version,
  license: 'MIT',
  homepage: home.address,
  repository: { type: 'git', url: `git+${home.address}.git` },
});

function pack(folder, out) {
  const flags = ['pack', '--silent', '--ignore-scripts', '--pack-destination', out];
  return join(out, execFileSync('npm', flags, { cwd: folder, encoding: 'utf8' }).trim().split('\n').pop());
}

/** The package of one target. */
export function programPackage({ root, home, work, out, version, target, program }) {
  const { npm, node } = TARGETS[target];
  const folder = join(work, `npm-${npm}`);
  const main = `${home['npm-scope']}/gstack`;
  const name = `${main}-${npm}`;
  copy(program, join(folder, 'bin/gstack'), 0o755);
  copy(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  put(join(folder, 'README.md'), `The program of ${main} for ${target}.\n`);
  const description = `gstack for ${target}`;
  const { os, cpu, libc } = node;
  const fits = { os: [os], cpu: [cpu], ...(libc ? { libc: [libc] } : {}) };
  put(
    join(folder, 'package.json'),
    `${JSON.stringify({ name, description, ...common(home, version), ...fits, files: ['bin/gstack'], preferUnplugged: true }, null, 2)}\n`,
  );
  return pack(folder, out);
}

/** The main package. It lists the packages of all targets, including those missing from this release. */
export function wrapperPackage({ root, home, work, out, version }) {
  const folder = join(work, 'npm');
  copy(join(root, 'packaging/npm/gstack.js'), join(folder, 'bin/gstack.js'), 0o755);
  for (const name of ['LICENSE', 'README.md']) copy(join(root, name), join(folder, name));
  const name = `${home['npm-scope']}/gstack`;
  const optionalDependencies = Object.fromEntries(Object.values(TARGETS).map(({ npm }) => [`${name}-${npm}`, version]));
  const manifest = {
    name,
    description: "Your coding agent in your browser's side panel, and the same browser from the terminal",
    keywords: ['browser', 'agent', 'mcp', 'chrome', 'automation'],
    // The MCP registry compares this with server.json.
    ...(home['mcp-name'] ? { mcpName: home['mcp-name'] } : {}),
    ...common(home, version),
    bin: { gstack: 'bin/gstack.js' },
    files: ['bin/gstack.js'],
    engines: { node: '>=18' },
    optionalDependencies,
  };
  put(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  return pack(folder, out);
}
