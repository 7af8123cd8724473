/*
 * How many tokens of a model's context the tool lists of MCP servers take: gstack's, Playwright's and Chrome's.
 * Counts what `tools/list` answers, as JSON, with OpenAI's o200k_base (js-tiktoken). Writes its table into ../RESULTS.md, between its
 * marks; `--dry` only prints. GSTACK_BIN is the program.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { getEncoding } from 'js-tiktoken';

const HERE = path.dirname(fileURLToPath(import.meta.url));
const GSTACK = process.env.GSTACK_BIN ?? path.join(HERE, '../../target/release/gstack');
const bin = (name) => path.join(process.env.GSTACK_PEERS ?? HERE, 'node_modules/.bin', name);
const QUIET = ['--no-usage-statistics', '--no-performance-crux'];
const LIMIT_MS = 60_000;

const SERVERS = [
  ['gstack mcp', [GSTACK, 'mcp']],
  ['gstack mcp --caps network', [GSTACK, 'mcp', '--trusted', '--caps', 'network']],
  ['gstack mcp --profile all', [GSTACK, 'mcp', '--trusted', '--profile', 'all']],
  ['@playwright/mcp', [bin('playwright-mcp')]],
  ['@playwright/mcp, all --caps', [bin('playwright-mcp'), '--caps', 'config,devtools,network,pdf,storage,testing,vision']],
  ['chrome-devtools-mcp --slim', [bin('chrome-devtools-mcp'), '--slim', ...QUIET]],
  ['chrome-devtools-mcp', [bin('chrome-devtools-mcp'), ...QUIET]],
];

/** Returns what the server lists. */
async function toolsOf([program, ...args], home) {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'ignore'], env: { ...process.env, GSTACK_HOME: home }, timeout: LIMIT_MS });
  const failed = new Promise((_, reject) => {
    child.once('error', reject).once('exit', (code) => reject(new Error(`${program} ended with ${code}`)));
  });
  const answers = new Map();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { id, result, error } = JSON.parse(line);
    answers.get(id)?.(error ? Promise.reject(new Error(error.message)) : result);
  });
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const ask = (id, method, params) => {
    const answered = new Promise((resolve) => answers.set(id, resolve));
    send({ id, method, params });
    return Promise.race([answered, failed]);
  };
  try {
    const clientInfo = { name: 'measure', version: '1' };
    await ask(1, 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
    send({ method: 'notifications/initialized' });
    const { tools } = await ask(2, 'tools/list', {});
    return tools;
  } finally {
    failed.catch(() => {});
    child.stdin.end();
    child.kill();
  }
}

const encoding = getEncoding('o200k_base');
const count = (value) => encoding.encode(JSON.stringify(value)).length;
const home = mkdtempSync(path.join(tmpdir(), 'gs-'));
let table = '| server | tools | tokens | tokens a tool |\n| --- | ---: | ---: | ---: |\n';
try {
  for (const [name, command] of SERVERS) {
    const tools = await toolsOf(command, home);
    const tokens = tools.reduce((sum, tool) => sum + count(tool), 0);
    table += `| ${name} | ${tools.length} | ${tokens.toLocaleString('en')} | ${Math.round(tokens / tools.length)} |\n`;
  }
} finally {
  const stopped = spawn(GSTACK, ['stop'], { env: { ...process.env, GSTACK_HOME: home }, stdio: 'ignore' });
  await new Promise((resolve) => stopped.once('error', resolve).once('exit', resolve));
  rmSync(home, { recursive: true, force: true });
}

const { devDependencies } = JSON.parse(readFileSync(path.join(HERE, 'package.json'), 'utf8'));
const versions = ['@playwright/mcp', 'chrome-devtools-mcp'].map((name) => `${name} ${devDependencies[name]}`);
const day = new Date().toISOString().slice(0, 10);
const text =
  `## What a model reads before it begins\n\n${day}, \`node benches/peers/tools.mjs\`, ${versions.join(', ')}. ` +
  "The tools of `tools/list` as JSON, in tokens of OpenAI's o200k_base; clients add little to them.\n\n" +
  table;
process.stdout.write(text);
if (!process.argv.includes('--dry')) {
  const file = path.join(HERE, '../RESULTS.md');
  const [start, end] = ['<!-- tools -->\n', '<!-- /tools -->'];
  const whole = readFileSync(file, 'utf8');
  const [before, rest] = whole.split(start);
  writeFileSync(file, `${before}${start}${text}\n${end}${rest.split(end)[1]}`);
}
