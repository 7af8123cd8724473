/*
 * What MCP clients give their model of a result that has text and `structuredContent`, seen with a bare server in the place of
 * `gstack mcp`. By this, src/daemon/mcp/clients.rs decides who gets structures, and docs/AGENTS.md says it. Runs the clients that are
 * installed.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { GSTACK, TestHome } from '../e2e/harness/home.mjs';
import { within } from '../e2e/harness/wait.mjs';
import { CLIENTS } from './clients.mjs';
import { startProxy } from './proxy.mjs';
import { scenario, startFake } from './trial.mjs';

const wanted = process.env.GSTACK_MATRIX?.split(',') ?? CLIENTS.map(({ name }) => name);
const clients = CLIENTS.filter(
  ({ name, given, install, command }) => wanted.includes(name) && given && install && existsSync(command('')[0]),
);
/** A client starts, calls the tool and ends. */
const LONGEST_RUN = 240_000;

/** Puts the bare server in the place of gstack in the client's own file. */
function replaceServer(home) {
  const program = path.join(home.folder, 'server');
  const server = path.join(import.meta.dirname, 'structure_server.mjs');
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${server}'\n`, { mode: 0o755 });
  const files = readdirSync(home.person, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const changed = files.filter((entry) => {
    const file = path.join(entry.parentPath ?? entry.path, entry.name);
    const text = readFileSync(file, 'utf8');
    if (text.includes(GSTACK)) writeFileSync(file, text.replaceAll(GSTACK, program));
    return text.includes(GSTACK);
  });
  assert.equal(changed.length, 1, 'one file names gstack');
}

/** Returns the last request that the client's model got, after it called the tool. */
async function requestAfterCall(client) {
  const home = new TestHome({ permanent: true });
  const folder = path.join(home.person, 'project');
  mkdirSync(folder);
  const [script, log] = ['script.json', 'requests.jsonl'].map((name) => path.join(home.folder, name));
  writeFileSync(script, JSON.stringify(scenario(client, folder)));
  const fake = await startFake(client, script, log);
  const proxy = await startProxy();
  try {
    await client.prepare?.(home, fake.address);
    await home.ok(['mcp', 'install', client.install]);
    replaceServer(home);
    const [program, ...args] = client.command('say both', GSTACK);
    const env = {
      ...home.environment,
      ...client.variables(fake.address),
      HTTPS_PROXY: proxy.address,
      HTTP_PROXY: proxy.address,
      NO_PROXY: '127.0.0.1,localhost',
    };
    const child = spawn(program, args, { cwd: folder, env, stdio: ['ignore', 'ignore', 'ignore'] });
    try {
      await within(once(child, 'close'), `${client.name} ends`, LONGEST_RUN);
    } finally {
      child.kill('SIGKILL');
    }
    const requests = readFileSync(log, 'utf8').trim().split('\n');
    return requests.findLast((request) => /OUR-(WORDS|STRUCTURE)/.test(request)) ?? '';
  } finally {
    await fake.stop();
    proxy.stop();
    await home.stop();
  }
}

describe('a result with text and structure', { skip: clients.length === 0 && 'no client is installed (see tests/run.sh --all)' }, () => {
  for (const client of clients) {
    test(`${client.label} gives its model ${client.given}`, async () => {
      const request = await requestAfterCall(client);
      const [text, structure] = [request.includes('OUR-WORDS'), request.includes('OUR-STRUCTURE')];
      assert.equal(text && structure ? 'both' : text ? 'the text' : structure ? 'the structure' : 'nothing', client.given);
      assert.ok(!/OUR-(TITLE|SCHEMA)/.test(request), 'titles and output schemas are not for models');
    });
  }
});
