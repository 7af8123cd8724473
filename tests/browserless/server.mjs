/*
 * The real server of Browserless on loopback, from its npm package, with this machine's Chromium. It connects to nothing
 * beyond this machine (../frameworks/guard), downloads nothing, and keeps its files in a folder of its own.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { BROWSER } from '../e2e/harness/home.mjs';
import { until } from '../e2e/harness/wait.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const build = path.join(here, 'node_modules/@browserless.io/browserless/build');
const guard = path.join(here, '../frameworks/guard/loopback-only.mjs');

/** The Node.js that runs it: this one, or the one that tests/run.sh has installed. */
const NODE = Number(process.versions.node.split('.')[0]) >= 24 ? process.execPath : path.join(here, 'newer-node/node_modules/.bin/node');

/** Why it can't run here, or false. */
export const MISSING = !(existsSync(NODE) && existsSync(build)) && 'Browserless or a Node.js 24 or newer for it is not installed';

/** What keeps Chromium from contacting anyone by itself. */
const QUIET = ['--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run', '--disable-quic'];

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

export class Browserless {
  #folder = mkdtempSync(path.join(tmpdir(), 'gs-bl-'));
  #said = '';
  #token;

  constructor(token) {
    this.#token = token;
  }

  /** Starts it. `flags` are further ones for its browsers. */
  async start(...flags) {
    const folder = (name) => path.join(this.#folder, name);
    for (const name of ['routes', 'data', 'downloads', 'home']) mkdirSync(folder(name));
    // It starts only with every browser that its routes name.
    for (const name of ['chromium', 'management']) symlinkSync(path.join(build, 'routes', name), path.join(folder('routes'), name));
    const env = { PATH: process.env.PATH, HOME: folder('home'), TMPDIR: this.#folder, PLAYWRIGHT_BROWSERS_PATH: folder('browsers') };
    // Where it looks for the Chromium that Playwright would have downloaded.
    const ask = "import('playwright-core').then((it) => console.log(it.default.chromium.executablePath()))";
    const chromium = execFileSync(NODE, ['-e', ask], { env, cwd: here, encoding: 'utf8' }).trim();
    mkdirSync(path.dirname(chromium), { recursive: true });
    writeFileSync(chromium, `#!/bin/sh\nexec '${BROWSER}' ${[...QUIET, ...flags].join(' ')} "$@"\n`, { mode: 0o755 });
    this.port = await freePort();
    Object.assign(env, {
      HOST: '127.0.0.1',
      PORT: String(this.port),
      TOKEN: this.#token,
      ROUTES: folder('routes'),
      DATA_DIR: folder('data'),
      DOWNLOAD_DIR: folder('downloads'),
      METRICS_JSON_PATH: folder('metrics.json'),
      NODE_OPTIONS: `--import=${guard}`,
      GUARD_REPORT: folder('report'),
    });
    this.process = spawn(NODE, [path.join(build, 'index.js')], { env, cwd: here, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [this.process.stdout, this.process.stderr]) {
      stream.on('data', (data) => {
        this.#said += data;
      });
    }
    this.ended = once(this.process, 'exit');
    const answers = () => this.sessions().catch(() => false);
    const gone = () => this.process.exitCode !== null && Promise.reject(new Error(`Browserless ended: ${this.#said.slice(-4000)}`));
    await until(
      async () => (await gone()) || answers(),
      () => `Browserless does not answer: ${this.#said.slice(-4000)}`,
    );
  }

  /** Asks one of its own routes with its token. */
  async ask(route) {
    const answer = await fetch(`http://127.0.0.1:${this.port}${route}?token=${this.#token}`);
    if (!answer.ok) throw new Error(`${route}: ${answer.status}`);
    return answer;
  }

  /** Returns the browsers that it runs for somebody. */
  async sessions() {
    return (await (await this.ask('/sessions')).json()).filter(({ type }) => type === 'browser');
  }

  /** Returns what the guard wrote: `guarded` for each process, and one line for each attempt to leave this machine. */
  reported() {
    return readFileSync(path.join(this.#folder, 'report'), 'utf8').trim().split('\n');
  }

  async stop() {
    this.process?.kill('SIGTERM');
    await this.ended;
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}
