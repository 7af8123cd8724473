/* A test's own gstack: home, HOME, browser profile and processes, all removed at its end. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { DevTools } from './devtools.mjs';
import { Panel } from './panel.mjs';
import { isAlive, processesOf, roleOf } from './processes.mjs';
import { until, within } from './wait.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..');
const BUILT = process.env.CARGO_TARGET_DIR ?? path.join(root, 'target');
/** The program under test. */
export const GSTACK = process.env.GSTACK_BIN ?? path.join(BUILT, 'debug/gstack');
/** The browser that tests use. */
export const BROWSER = process.env.GSTACK_BROWSER_PATH ?? '/usr/bin/chromium';
export const EXTENSION_ID = 'hmjooioflnjmgaipmokechimoabfkeji';

/** Returns whether this is a side panel's own target; the `tab` around it has the same URL and runs no script. */
export const isPanel = (one) => one.type !== 'tab' && one.url.startsWith(`chrome-extension://${EXTENSION_ID}/sidepanel.html`);

/** Returns the settings of a browser profile in which the person has granted optional permissions of the extension. */
export function granting(permissions) {
  const manifest = JSON.parse(readFileSync(path.join(root, 'extension/manifest.json'), 'utf8'));
  const granted = { api: [...manifest.permissions, ...permissions], explicit_host: manifest.host_permissions };
  return { [EXTENSION_ID]: { active_permissions: granted, granted_permissions: granted } };
}

/**
 * What no test looks at: a caret that blinks draws the panel sixty times a second, and the pages of the address bar's popups cost half
 * of a browser's start.
 */
export const UNSEEN = ['--force-prefers-reduced-motion', '--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup,PreloadTopChromeWebUI'];

/** Keeps a test's browser from contacting anyone and from prompting. */
const QUIET = [
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  '--disable-quic',
  '--no-default-browser-check',
  '--password-store=basic',
  '--use-mock-keychain',
  ...UNSEEN,
];

export class TestHome {
  #clients = [];
  #children = new Set();

  /**
   * @param {object} options
   * @param {boolean} options.port lets the browser open a CDP port besides the product's pipe, for the tests' own
   * client
   * @param {boolean} options.permanent puts the person's HOME below the build folder: Codex keeps no sandbox helpers in
   * a temporary folder, and does not start without them if bubblewrap is installed
   * @param {object} options.environment further variables for the command line
   * @param {string} options.language  the browser's language
   * @param {string[]} options.permissions  the extension's optional permissions that the person has granted: Chrome's own
   * dialog can't be answered by DevTools
   */
  constructor({ port = true, permanent = false, environment = {}, language = undefined, permissions = [] } = {}) {
    // Short, because socket paths have a length limit.
    this.folder = mkdtempSync(path.join(tmpdir(), 'gs-'));
    this.home = path.join(this.folder, 'g');
    if (permanent) {
      mkdirSync(BUILT, { recursive: true });
      this.person = mkdtempSync(path.join(BUILT, 'person-'));
    } else {
      this.person = path.join(this.folder, 'home');
      mkdirSync(this.person);
    }
    if (permissions.length > 0) this.#grant(permissions);
    const browser = path.join(this.folder, 'browser');
    const flags = [...QUIET, ...(port ? ['--remote-debugging-port=0'] : []), ...(language ? [`--lang=${language}`] : [])];
    const tongue = language ? `export LANGUAGE='${language}'\n` : '';
    writeFileSync(browser, `#!/bin/sh\n${tongue}exec '${BROWSER}' ${flags.join(' ')} "$@"\n`, { mode: 0o755 });
    this.environment = {
      PATH: process.env.PATH,
      HOME: this.person,
      USER: process.env.USER ?? 'tester',
      SHELL: '/bin/sh',
      LANG: 'C.UTF-8',
      TMPDIR: tmpdir(),
      GSTACK_HOME: this.home,
      GSTACK_BROWSER_PATH: browser,
      ...environment,
    };
  }

  /** Writes into the browser's profile that the person has granted optional permissions. */
  #grant(permissions) {
    mkdirSync(this.home, { mode: 0o700 });
    const profile = path.join(this.home, 'chromium-profile/Default');
    mkdirSync(profile, { recursive: true, mode: 0o700 });
    writeFileSync(path.join(profile, 'Preferences'), JSON.stringify({ extensions: { settings: granting(permissions) } }));
  }

  /** Starts the command line; the child is ended with the home at the latest. */
  start(args, { environment = {}, cwd = this.person } = {}) {
    const child = spawn(GSTACK, args, { cwd, env: { ...this.environment, ...environment }, stdio: ['pipe', 'pipe', 'pipe'] });
    this.#children.add(child);
    child.once('close', () => this.#children.delete(child));
    return child;
  }

  /** Runs the command line to completion; returns `{ code, stdout, stderr }`. */
  async run(args, { input = undefined, environment = {}, cwd = undefined, limit = 180_000 } = {}) {
    const child = this.start(args, { environment, cwd });
    const stdout = [];
    const stderr = [];
    child.stdout.on('data', (data) => stdout.push(data));
    child.stderr.on('data', (data) => stderr.push(data));
    // A program that ends without reading its input is not a test error.
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    const ended = new Promise((resolve, reject) => child.once('error', reject).once('close', (code, signal) => resolve({ code, signal })));
    const { code, signal } = await within(ended, () => `gstack ${args.join(' ')} did not end: ${Buffer.concat(stderr)}`, limit);
    return { code, signal, stdout: Buffer.concat(stdout).toString(), stderr: Buffer.concat(stderr).toString() };
  }

  /** Runs the command line in its own terminal; returns `{ shows(pattern), type(line), ended }`. */
  atTerminal(words) {
    const child = spawn('script', ['-qec', `'${GSTACK}' ${words}`, '/dev/null'], {
      cwd: this.person,
      env: { ...this.environment, TERM: 'xterm' },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.#children.add(child);
    let shown = '';
    child.stdout.on('data', (data) => {
      shown += data;
    });
    const ended = new Promise((resolve, reject) =>
      child.once('error', reject).once('close', (code) => {
        this.#children.delete(child);
        resolve({ code, shown });
      }),
    );
    return {
      shows: (pattern) =>
        until(
          () => pattern.test(shown),
          () => `the terminal does not show ${pattern}:\n${shown}`,
        ),
      type: (line) => child.stdin.write(`${line}\n`),
      ended: within(ended, () => `gstack ${words} did not end:\n${shown}`, 60_000),
    };
  }

  /** Runs the command line and returns its standard output; fails unless the exit code is 0. */
  async ok(args, options = {}) {
    const { code, signal, stdout, stderr } = await this.run(args, options);
    if (code !== 0) throw new Error(`gstack ${args.join(' ')} ended with ${code ?? signal}:\n${stderr}${stdout}\n${this.log()}`);
    return stdout;
  }

  /** Connects and returns the output, headless unless a window is requested. */
  connect(args = ['--headless']) {
    return this.ok(['connect', ...args], { limit: 240_000 });
  }

  /** Returns the tests' own CDP client of the browser that `connect` started. */
  async devtools() {
    const file = path.join(this.home, 'chromium-profile/DevToolsActivePort');
    await until(() => existsSync(file), 'the browser has opened no DevTools port for the tests');
    const [port, address] = readFileSync(file, 'utf8').split('\n');
    const client = await DevTools.connect(`ws://127.0.0.1:${port}${address}`);
    this.#clients.push(client);
    return client;
  }

  /** Returns the side panel once it is there. */
  async panel(client) {
    const target = await client.target(isPanel, 'the side panel');
    return new Panel(await client.attach(target.targetId));
  }

  /** Returns the page whose URL starts with this text. */
  async page(client, url) {
    const target = await client.target((one) => one.type === 'page' && one.url.startsWith(url), `a page ${url}`);
    return client.attach(target.targetId);
  }

  /** Returns a command's output with `--json`. */
  async json(...args) {
    return JSON.parse(await this.ok([...args, '--json']));
  }

  status() {
    return this.json('status');
  }

  processes(role = undefined) {
    const all = processesOf(this.home);
    return role ? all.filter((one) => roleOf(one) === role) : all;
  }

  /**
   * Returns the only process of a role. A host that Chrome has disconnected may live for two more seconds beside the
   * next one.
   */
  async only(role) {
    const alone = () => {
      const all = this.processes(role);
      return all.length === 1 && all[0].pid;
    };
    const line = ({ pid, parent, command }) => `${pid} of ${parent}: ${command.slice(0, 2).join(' ').slice(0, 90)}`;
    const running = () => this.processes().map(line).join('; ');
    return until(alone, () => `not exactly one ${role} runs: ${running()}`);
  }

  /** Ends one of our processes and waits until it is gone. */
  async kill(pid, signal = 'SIGKILL') {
    process.kill(pid, signal);
    await until(() => !isAlive(pid), `process ${pid} lives on after ${signal}`);
  }

  /** Returns the end of the daemon's log, for a failed test. */
  log() {
    const file = path.join(this.home, 'daemon.log');
    return existsSync(file) ? `daemon.log ends:\n${readFileSync(file, 'utf8').split('\n').slice(-15).join('\n')}` : 'no daemon.log';
  }

  /** Ends everything in order, then by force; returns the processes that had to be forced. */
  async stop() {
    for (const client of this.#clients) client.close();
    if (existsSync(this.home)) {
      await this.run(['disconnect']).catch(() => {});
      await this.run(['stop']).catch(() => {});
    }
    for (const child of this.#children) child.kill('SIGKILL');
    const left = await until(() => this.processes().length === 0, 'left over', 30_000).then(
      () => [],
      () => this.processes(),
    );
    for (const { pid } of left) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It ended by itself.
      }
    }
    await until(() => this.processes().length === 0, 'processes can not be ended').catch(() => {});
    for (const folder of [this.folder, this.person]) rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    return left;
  }
}
