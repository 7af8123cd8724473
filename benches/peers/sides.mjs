/*
 * The compared programs, each with its own browser: how to start, call and stop them, and how each expresses an
 * operation.
 * Every operation is one process on the command line, or one tool call over MCP.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { BROWSER, GSTACK, TestHome } from '../../tests/e2e/harness/home.mjs';
import { CommandSocket } from '../command-socket.mjs';
import { run } from './programs.mjs';
import { processorOfProcess } from './resources.mjs';

const bin = (name) => fileURLToPath(new URL(`node_modules/.bin/${name}`, import.meta.url));
/** Once installed, its npm package replaces its launcher script with a link to this program. */
const AGENT_BROWSER = fileURLToPath(
  new URL(`node_modules/agent-browser/bin/agent-browser-${process.platform}-${process.arch}`, import.meta.url),
);
// `npm ci --ignore-scripts` leaves it without the right to run.
if (existsSync(AGENT_BROWSER)) chmodSync(AGENT_BROWSER, 0o755);
const FLAGS = [
  ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  '--disable-quic',
];

/** Returns the refs of the button and the field in a snapshot's text. */
function refsIn(text, { button, field }) {
  const found = [button, field].map((pattern) => pattern.exec(text)?.[1]);
  if (found.includes(undefined)) throw new Error(`no button and field in the snapshot:\n${text.slice(0, 600)}`);
  return { button: found[0], field: found[1] };
}
const GSTACK_REFS = { button: /(@e\d+) \[button\] "Add one"/, field: /(@e\d+) \[textbox\] "Name"/ };
const YAML_REFS = { button: /button "Add one".*?\[ref=(\w+)\]/, field: /textbox "Name".*?\[ref=(\w+)\]/ };
const UID_REFS = { button: /uid=(\S+) button "Add one"/, field: /uid=(\S+) textbox "Name"/ };

/** A program's own folder for its data. */
class Place {
  folder = mkdtempSync(path.join(tmpdir(), 'pe-'));
  picture = path.join(this.folder, 'picture.png');
  environment(more) {
    return { PATH: process.env.PATH, HOME: this.folder, LANG: 'C.UTF-8', TMPDIR: this.folder, ...more };
  }
  isThere() {
    return existsSync(this.folder);
  }
  remove() {
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** gstack's browser and daemon, shared by the command line, the socket and MCP. */
export class Gstack {
  home = new TestHome({ port: false });
  place = new Place();
  #socket = null;
  #clients = [];

  async open(url) {
    mkdirSync(this.home.home, { mode: 0o700 });
    await this.home.connect(['--headless', url]);
    this.#socket = new CommandSocket(this.home.home);
  }
  #words(refs) {
    return {
      url: () => ['url'],
      goto: (url) => ['goto', url],
      click: () => ['click', refs().button],
      fill: () => ['fill', refs().field, 'some text'],
      snapshot: () => ['snapshot', '-i'],
      text: () => ['text'],
      screenshot: () => ['screenshot', this.place.picture],
    };
  }
  #side(ask) {
    const side = { refs: null };
    const words = this.#words(() => side.refs);
    side.run = (operation, url) => ask(words[operation](url));
    side.prepare = async (url, needsRefs) => {
      await side.run('goto', url);
      if (needsRefs) side.refs = refsIn(await side.run('snapshot'), GSTACK_REFS);
    };
    return side;
  }
  commandLine() {
    const options = { env: this.home.environment, cwd: this.place.folder };
    return this.#side((words) => run([GSTACK, ...words], options));
  }
  socket() {
    return this.#side((words) => {
      // The socket has no client folder, so gstack chooses the location of pictures.
      return this.#socket.run(...words.filter((word) => word !== this.place.picture));
    });
  }
  async mcp() {
    const client = await McpClient.start([GSTACK, 'mcp', '--trusted'], { env: this.home.environment, cwd: this.place.folder });
    this.#clients.push(client);
    const side = { refs: null };
    const calls = {
      goto: (url) => ['goto', { url }],
      click: () => ['click', { selector: side.refs.button }],
      fill: () => ['fill', { selector: side.refs.field, value: 'some text' }],
      snapshot: () => ['snapshot', { interactive: true }],
      screenshot: () => ['screenshot', {}],
    };
    side.run = (operation, url) => client.tool(...calls[operation](url));
    side.prepare = async (url, needsRefs) => {
      await side.run('goto', url);
      if (needsRefs) side.refs = refsIn(await side.run('snapshot'), GSTACK_REFS);
    };
    return side;
  }
  /** Returns the processor time of one process of the command line, in ms. */
  processorOf(...words) {
    return processorOfProcess([GSTACK, ...words], { env: this.home.environment, cwd: this.place.folder });
  }
  /** Measures a cold start to a visible page: it starts the daemon and the browser. */
  firstPage() {
    const options = { env: this.home.environment, cwd: this.place.folder };
    return {
      before: async () => {
        await run([GSTACK, 'disconnect'], options).catch(() => {});
        await run([GSTACK, 'stop'], options);
      },
      run: (url) => run([GSTACK, 'goto', url], options),
    };
  }
  async close() {
    this.#socket?.close();
    for (const client of this.#clients) await client.close();
    await this.home.stop();
    this.place.remove();
  }
}

export class AgentBrowser {
  place = new Place();
  #options = {
    cwd: this.place.folder,
    env: this.place.environment({ AGENT_BROWSER_EXECUTABLE_PATH: BROWSER, AGENT_BROWSER_ARGS: FLAGS.join(',') }),
  };
  #run = (...words) => run([AGENT_BROWSER, ...words], this.#options);

  open(url) {
    return this.#run('open', url);
  }
  commandLine() {
    const side = { refs: null };
    const words = {
      url: () => ['get', 'url'],
      goto: (url) => ['open', url],
      click: () => ['click', `@${side.refs.button}`],
      fill: () => ['fill', `@${side.refs.field}`, 'some text'],
      snapshot: () => ['snapshot', '-i'],
      text: () => ['get', 'text', 'body'],
      screenshot: () => ['screenshot', this.place.picture],
    };
    side.run = (operation, url) => this.#run(...words[operation](url));
    side.prepare = async (url, needsRefs) => {
      await side.run('goto', url);
      if (needsRefs) side.refs = refsIn(await side.run('snapshot'), YAML_REFS);
    };
    return side;
  }
  firstPage() {
    return { before: () => this.#run('close'), run: (url) => this.#run('open', url) };
  }
  /** Returns the processor time of one process of the command line, in ms. */
  processorOf(...words) {
    return processorOfProcess([AGENT_BROWSER, ...words], this.#options);
  }
  async close() {
    if (!this.place.isThere()) return;
    await this.#run('close').catch(() => {});
    this.place.remove();
  }
}

const launch = { browserName: 'chromium', isolated: true, launchOptions: { executablePath: BROWSER, headless: true, args: FLAGS } };

export class PlaywrightCli {
  place = new Place();
  #options = { cwd: this.place.folder, env: this.place.environment() };
  #run = (...words) => run([bin('playwright-cli'), ...words], this.#options);

  constructor() {
    writeFileSync(path.join(this.place.folder, 'config.json'), JSON.stringify({ browser: launch }));
  }
  open(url) {
    return this.#run('open', url, '--config=config.json');
  }
  commandLine() {
    const side = { refs: null };
    const words = {
      url: () => ['eval', '() => location.href'],
      goto: (url) => ['goto', url],
      click: () => ['click', side.refs.button],
      fill: () => ['fill', side.refs.field, 'some text'],
      snapshot: () => ['snapshot'],
      text: () => ['eval', '() => document.body.innerText'],
      screenshot: () => ['screenshot', '--filename=picture.png'],
    };
    side.run = (operation, url) => this.#run(...words[operation](url));
    side.prepare = async (url, needsRefs) => {
      await side.run('goto', url);
      if (needsRefs) side.refs = refsIn(await side.run('snapshot'), YAML_REFS);
    };
    return side;
  }
  firstPage() {
    return { before: () => this.#run('close'), run: (url) => this.open(url) };
  }
  async close() {
    if (!this.place.isThere()) return;
    await this.#run('close').catch(() => {});
    this.place.remove();
  }
}

/** JSON-RPC in lines, over a program's standard input and output. */
class McpClient {
  #waiting = new Map();
  #last = 0;

  static async start([program, ...args], options) {
    const client = new McpClient();
    client.child = spawn(program, args, { ...options, stdio: ['pipe', 'pipe', 'ignore'] });
    client.ended = once(client.child, 'close');
    let text = '';
    client.child.stdout.setEncoding('utf8').on('data', (data) => {
      text += data;
      const lines = text.split('\n');
      text = lines.pop();
      for (const line of lines) {
        const message = JSON.parse(line);
        client.#waiting.get(message.id)?.(message);
        client.#waiting.delete(message.id);
      }
    });
    const clientInfo = { name: 'gstack-benches', version: '1' };
    await client.call('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
    client.child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`);
    return client;
  }
  call(method, params) {
    this.#last += 1;
    const id = this.#last;
    const answered = new Promise((resolve) => this.#waiting.set(id, resolve));
    this.child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    return answered;
  }
  /** Calls a tool and returns the text of its answer. */
  async tool(name, args) {
    const { result, error } = await this.call('tools/call', { name, arguments: args });
    const text = (result?.content ?? []).map((part) => part.text ?? '').join('\n');
    if (error || result.isError) throw new Error(`${name}: ${error?.message ?? text}`);
    return text;
  }
  async close() {
    this.child.stdin.end();
    this.child.kill();
    await this.ended;
  }
}

/** An MCP server program with its own browser. */
class McpPeer {
  place = new Place();
  async open(url) {
    this.client = await McpClient.start(this.command(), { cwd: this.place.folder, env: this.place.environment() });
    await this.side().run('goto', url);
  }
  side() {
    const side = { refs: null };
    const calls = this.calls(() => side.refs);
    side.run = (operation, url) => this.client.tool(...calls[operation](url));
    side.prepare = async (url, needsRefs) => {
      await side.run('goto', url);
      if (needsRefs) side.refs = refsIn(await side.run('snapshot'), this.patterns);
    };
    return side;
  }
  async close() {
    await this.client?.close();
    this.place.remove();
  }
}

export class PlaywrightMcp extends McpPeer {
  patterns = YAML_REFS;
  command() {
    writeFileSync(path.join(this.place.folder, 'config.json'), JSON.stringify({ browser: launch }));
    return [bin('playwright-mcp'), '--config', 'config.json'];
  }
  calls(refs) {
    return {
      goto: (url) => ['browser_navigate', { url }],
      click: () => ['browser_click', { element: 'the button', target: refs().button }],
      fill: () => ['browser_type', { element: 'the field', target: refs().field, text: 'some text' }],
      snapshot: () => ['browser_snapshot', {}],
      screenshot: () => ['browser_take_screenshot', { type: 'png' }],
    };
  }
}

export class ChromeDevtoolsMcp extends McpPeer {
  patterns = UID_REFS;
  command() {
    const flags = FLAGS.map((flag) => `--chromeArg=${flag}`);
    const quiet = ['--no-usage-statistics', '--no-performance-crux'];
    return [bin('chrome-devtools-mcp'), '--headless', '--isolated', '--executablePath', BROWSER, ...flags, ...quiet];
  }
  calls(refs) {
    const pageId = 1;
    return {
      goto: (url) => ['navigate_page', { pageId, type: 'url', url }],
      click: () => ['click', { pageId, uid: refs().button }],
      fill: () => ['fill', { pageId, uid: refs().field, value: 'some text' }],
      snapshot: () => ['take_snapshot', { pageId }],
      screenshot: () => ['take_screenshot', { pageId }],
    };
  }
}
