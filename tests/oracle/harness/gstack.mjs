/* The program under test with its own browser, used over its socket. All removed at its end. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { processesOf } from '../../e2e/harness/processes.mjs';
import { until, within } from '../../e2e/harness/wait.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..');
const GSTACK = process.env.GSTACK_BIN ?? path.join(process.env.CARGO_TARGET_DIR ?? path.join(root, 'target'), 'debug/gstack');
export const BROWSER = process.env.GSTACK_BROWSER_PATH ?? '/usr/bin/chromium';

/** Keeps a browser from contacting anyone; frames of another site get their own process. */
export const QUIET = [
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  '--disable-quic',
  '--no-default-browser-check',
  '--password-store=basic',
  '--use-mock-keychain',
  '--site-per-process',
];

/** The viewport of both tools' pages. */
export const VIEWPORT = { width: 1280, height: 720 };

export class Gstack {
  #folder = mkdtempSync(path.join(tmpdir(), 'gso-'));
  #home = path.join(this.#folder, 'g');
  #person = path.join(this.#folder, 'home');

  /** Starts the program. `config`: the text of a config.toml. */
  static async start(config = '') {
    const gstack = new Gstack();
    mkdirSync(gstack.#person);
    mkdirSync(gstack.#home, { mode: 0o700 });
    if (config) writeFileSync(path.join(gstack.#home, 'config.toml'), config);
    const browser = path.join(gstack.#folder, 'browser');
    writeFileSync(browser, `#!/bin/sh\nexec '${BROWSER}' ${QUIET.join(' ')} "$@"\n`, { mode: 0o755 });
    gstack.environment = {
      PATH: process.env.PATH,
      HOME: gstack.#person,
      USER: process.env.USER ?? 'tester',
      SHELL: '/bin/sh',
      LANG: 'C.UTF-8',
      TMPDIR: tmpdir(),
      GSTACK_HOME: gstack.#home,
      GSTACK_BROWSER_PATH: browser,
    };
    await gstack.#cli('connect', '--headless');
    await gstack.run('viewport', `${VIEWPORT.width}x${VIEWPORT.height}`);
    return gstack;
  }

  /** A temporary folder that file commands may read. */
  get folder() {
    return this.#person;
  }

  async #cli(...args) {
    const child = spawn(GSTACK, args, { cwd: this.#person, env: this.environment, stdio: ['ignore', 'pipe', 'pipe'] });
    const said = [];
    child.stdout.on('data', (data) => said.push(data));
    child.stderr.on('data', (data) => said.push(data));
    const code = await within(
      new Promise((resolve, reject) => child.once('error', reject).once('close', resolve)),
      `gstack ${args.join(' ')} did not end`,
      90_000,
    );
    if (code !== 0) throw new Error(`gstack ${args.join(' ')} ended with ${code}: ${Buffer.concat(said)}`);
  }

  /** Runs a command; returns {ok, output, data} or {ok: false, error, hint}. */
  ask(command, ...args) {
    const body = JSON.stringify({ command, args, cwd: this.#person });
    const headers = {
      host: 'localhost',
      accept: 'application/json',
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    };
    return new Promise((resolve, reject) => {
      const asked = request({ socketPath: path.join(this.#home, 'http.sock'), method: 'POST', path: '/command', headers }, (response) => {
        const parts = [];
        response
          .on('data', (data) => parts.push(data))
          .on('error', reject)
          .on('end', () => {
            const answer = JSON.parse(Buffer.concat(parts).toString());
            resolve({ ...answer, ok: response.statusCode === 200 });
          });
      });
      asked.on('error', reject);
      asked.end(body);
    });
  }

  /** Runs a command and returns its output; fails unless it succeeded. */
  async run(command, ...args) {
    const answer = await this.ask(command, ...args);
    if (!answer.ok) throw new Error(`gstack ${command} ${args.join(' ')}: ${JSON.stringify(answer)}`);
    return answer.output;
  }

  /** Returns an expression's value in the page's main frame. */
  async js(expression) {
    return JSON.parse(await this.run('js', `JSON.stringify(${expression}) ?? 'null'`));
  }

  /** Ends everything; returns the processes that had to be forced. */
  async stop() {
    if (existsSync(this.#home)) {
      await this.#cli('disconnect').catch(() => {});
      await this.#cli('stop').catch(() => {});
    }
    const left = await until(() => processesOf(this.#home).length === 0, 'left over', 30_000).then(
      () => [],
      () => processesOf(this.#home),
    );
    for (const { pid } of left) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It ended by itself.
      }
    }
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    return left;
  }
}
