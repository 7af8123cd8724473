/*
 * The real Claude Code in the side panel, its API played by tests/fake/anthropic.mjs on loopback.
 * Claude Code comes from npm with the other packages of these tests, unless GSTACK_TEST_CLAUDE names another one.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { TestHome } from './harness/home.mjs';
import { Site } from './harness/site.mjs';
import { within } from './harness/wait.mjs';

const fake = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../fake/anthropic.mjs');

function findClaude() {
  const own = fileURLToPath(new URL('./node_modules/.bin/claude', import.meta.url));
  const onPath = process.env.PATH.split(':').map((folder) => path.join(folder, 'claude'));
  return [process.env.GSTACK_TEST_CLAUDE, own, ...onPath].find((file) => file && existsSync(file));
}

const claude = findClaude();

describe('Claude Code', { skip: claude ? false : 'Claude Code is not installed (set GSTACK_TEST_CLAUDE to its path)' }, () => {
  let home;
  let site;
  let api;
  let panel;
  let page;

  before(async () => {
    home = new TestHome();
    site = await Site.start();
    const scenario = path.join(home.folder, 'scenario.json');
    writeFileSync(scenario, JSON.stringify({
      rules: [
        { match: 'order', tools: true, times: 1, reply: [{ text: 'I fill the form.' }, { tool: 'mcp__gstack__fill', input: { selector: '#name', value: 'Ada' } }] },
        { match: 'hello', tools: true, reply: [{ text: 'Hello from the model, in words that stream.', chunk: 4, delayMs: 5 }] },
      ],
      afterTool: [{ text: 'It is filled.' }],
      default: [{ text: 'ok' }],
    }));
    api = spawn(process.execPath, [fake, scenario], { stdio: ['pipe', 'pipe', 'inherit'] });
    const line = await within(new Promise((resolve) => { api.stdout.once('data', resolve); }), 'the fake API did not start');
    const { port } = JSON.parse(String(line));
    mkdirSync(path.join(home.person, '.local/bin'), { recursive: true });
    symlinkSync(claude, path.join(home.person, '.local/bin/claude'));
    // A proxy that nobody listens on: whatever is not loopback goes nowhere.
    const variables = {
      ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}`, ANTHROPIC_API_KEY: 'dummy', CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_TELEMETRY: '1', DISABLE_ERROR_REPORTING: '1', HTTPS_PROXY: 'http://127.0.0.1:9', HTTP_PROXY: 'http://127.0.0.1:9', NO_PROXY: '127.0.0.1,localhost',
    };
    mkdirSync(home.home, { mode: 0o700 });
    const toml = Object.entries(variables).map(([name, value]) => `${name} = ${JSON.stringify(value)}\n`).join('');
    writeFileSync(path.join(home.home, 'config.toml'), `[agent.environment]\n${toml}`, { mode: 0o600 });
    await home.connect(['--headless', `${site.origin}/form`]);
    const client = await home.devtools();
    page = await home.page(client, site.origin);
    panel = await home.panel(client);
    await panel.connected();
  });

  after(async () => {
    assert.deepEqual((await home.stop()).map((one) => one.command.join(' ')), []);
    await site?.stop();
    api?.stdin.end();
  });

  test('answers in the panel', async () => {
    await panel.say('hello');
    await panel.seen('answer', 'Hello from the model, in words that stream.');
    await panel.gone('stop');
    await panel.seen('footer', 'claude code');
  });

  test('fills the form of the page in view, after it was allowed', async () => {
    await panel.say('order for Ada');
    await panel.answer('once');
    await panel.seen('answer', 'It is filled.');
    assert.equal(await page.evaluate('document.querySelector("#name").value'), 'Ada');
    await panel.gone('stop');
  });
});
