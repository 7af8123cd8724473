// The files that registries and marketplaces read, checked by the clients' real programs and against the program.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readHome } from '../../packaging/lib/home.mjs';
import { server as listing } from '../../packaging/lib/server.mjs';
import { folder, homeFile, ROOT } from './support/release.mjs';

const json = (name) => JSON.parse(readFileSync(join(ROOT, name), 'utf8'));
const PLUGIN = join(ROOT, 'plugins/gstack');

/** Runs a client's program in its own home. */
function client(t, program, args) {
  const path = join(ROOT, 'tests', program);
  if (!existsSync(path)) return t.skip(`${program} is not installed; tests/run.sh --all installs it`);
  const home = folder(t);
  mkdirSync(join(home, 'codex'));
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    CODEX_HOME: join(home, 'codex'),
    CLAUDE_CONFIG_DIR: join(home, 'claude'),
    DISABLE_AUTOUPDATER: '1',
    NO_COLOR: '1',
  };
  const runs = args.map((words) => spawnSync(path, words, { cwd: home, env, encoding: 'utf8', timeout: 120_000 }));
  for (const [at, run] of runs.entries()) assert.equal(run.status, 0, `${program} ${args[at].join(' ')}: ${run.stdout}${run.stderr}`);
  return runs.map(({ stdout, stderr }) => stdout + stderr);
}

test('Claude Code takes the marketplace and the plugin, and installs it', (t) => {
  const args = [
    ['plugin', 'validate', ROOT],
    ['plugin', 'validate', PLUGIN],
    ['plugin', 'marketplace', 'add', ROOT],
    ['plugin', 'install', 'gstack@gstack'],
    ['plugin', 'list'],
  ];
  const said = client(t, 'e2e/node_modules/.bin/claude', args);
  if (said) assert.match(said[4], /gstack@gstack/);
});

test('Gemini CLI takes the extension', (t) => {
  client(t, 'agents_npm/node_modules/.bin/gemini', [['extensions', 'validate', ROOT]]);
});

test('Codex takes the marketplace, and installs the plugin', (t) => {
  const args = [
    ['plugin', 'marketplace', 'add', ROOT],
    ['plugin', 'add', 'gstack@gstack'],
    ['plugin', 'list'],
  ];
  const said = client(t, 'agents_npm/node_modules/.bin/codex', args);
  if (said) assert.match(said[2], /gstack/);
});

test('every plugin has the same name, description and MCP server', () => {
  const plugins = ['claude', 'codex', 'cursor'].map((name) => json(`plugins/gstack/.${name}-plugin/plugin.json`));
  for (const plugin of plugins) {
    assert.equal(plugin.name, 'gstack');
    assert.equal(plugin.description, plugins[0].description);
    for (const path of [plugin.skills, plugin.mcpServers].filter(Boolean)) assert.ok(existsSync(join(PLUGIN, path)), path);
  }
  const server = { gstack: { command: 'gstack', args: ['mcp'] } };
  assert.deepEqual(json('plugins/gstack/.mcp.json').mcpServers, server);
  assert.deepEqual(json('gemini-extension.json').mcpServers, server);
  for (const market of ['.claude-plugin', '.cursor-plugin', '.agents/plugins']) {
    const [{ name, source }] = json(`${market}/marketplace.json`).plugins;
    assert.equal(name, 'gstack');
    assert.ok(existsSync(join(ROOT, source.path ?? source)));
  }
});

test('the skill of the plugin is the one that the program carries', () => {
  const own = readFileSync(join(ROOT, 'skills/gstack/SKILL.md'), 'utf8');
  assert.equal(
    readFileSync(join(PLUGIN, 'skills/gstack/SKILL.md'), 'utf8'),
    own,
    'copy skills/gstack/SKILL.md to plugins/gstack/skills/gstack/',
  );
  const [, head] = own.match(/^---\n([^]*?)\n---\n/);
  assert.match(head, /^name: gstack$/m);
  // The skills specification: at most 1,024 characters.
  assert.ok(head.match(/^description: (.*)$/m)[1].length <= 1024);
});

// The registry's rules from its schema (2025-12-11) and its checks of npm packages. Sources:
// https://modelcontextprotocol.io/registry/package-types and the registry's docs/reference/server-json.
test('server.json keeps the rules of the MCP registry, and names the npm package', (t) => {
  const home = readHome(homeFile(folder(t), { address: 'https://github.com/owner/name' }));
  const server = listing(home, '1.2.3');
  assert.equal(server.$schema, 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json');
  assert.match(server.name, /^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/);
  assert.ok(server.description.length >= 1 && server.description.length <= 100);
  assert.match(server.version, /^\d+\.\d+\.\d+$/);
  const known = ['$schema', 'name', 'title', 'description', 'version', 'websiteUrl', 'repository', 'packages'];
  assert.deepEqual(Object.keys(server), known);
  const [own] = server.packages;
  assert.equal(own.identifier, '@owner/gstack');
  assert.deepEqual([server.name, server.repository.url], [home['mcp-name'], home.address]);
  assert.deepEqual([own.registryType, own.transport.type, own.version], ['npm', 'stdio', server.version]);
  assert.deepEqual(own.packageArguments, [{ type: 'positional', value: 'mcp' }]);
});
