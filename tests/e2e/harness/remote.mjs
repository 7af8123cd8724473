/*
 * Browsers as other machines offer them, on loopback: a DevTools endpoint behind TLS, a Selenium Grid whose nodes are real
 * chromedrivers, and the sessions of hosted services. Each speaks the wire that its documentation describes.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import WebSocket, { WebSocketServer } from 'ws';
import { BROWSER, UNSEEN } from './home.mjs';
import { processesOf } from './processes.mjs';
import { until } from './wait.mjs';

const ARGUMENTS = ['--headless=new', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--no-sandbox'];

/** Makes an authority and a certificate of it for loopback; returns `{ ca, key, cert }`. `ca` is a file. */
export function certificates(folder) {
  const file = (name) => path.join(folder, name);
  const run = (...args) => execFileSync('openssl', args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const pair = (name) => ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', file(`${name}.key`)];
  run('req', '-x509', ...pair('ca'), '-out', file('ca.pem'), '-days', '2', '-subj', '/CN=Test authority');
  run('req', ...pair('site'), '-out', file('site.csr'), '-subj', '/CN=localhost');
  writeFileSync(file('names'), 'subjectAltName=DNS:localhost,IP:127.0.0.1\nbasicConstraints=CA:FALSE\n');
  const sign = ['-CA', file('ca.pem'), '-CAkey', file('ca.key'), '-CAcreateserial', '-days', '2', '-extfile', file('names')];
  run('x509', '-req', '-in', file('site.csr'), ...sign, '-out', file('site.pem'));
  return { ca: file('ca.pem'), key: readFileSync(file('site.key')), cert: readFileSync(file('site.pem')) };
}

/** Starts a headless browser with a DevTools port; returns `{ websocket, end }`. */
export async function foreignBrowser() {
  const profile = mkdtempSync(path.join(tmpdir(), 'gs-remote-'));
  const child = spawn(BROWSER, [...ARGUMENTS, ...UNSEEN, '--remote-debugging-port=0', `--user-data-dir=${profile}`, 'about:blank'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (data) => {
    said += data;
  });
  const websocket = await until(
    () => /DevTools listening on (\S+)/.exec(said)?.[1],
    () => `no browser: ${said}`,
  );
  const end = async () => {
    const closed = once(child, 'close');
    child.kill('SIGKILL');
    await closed;
    rmSync(profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  };
  return { websocket, end };
}

/** Listens where nothing may arrive; counts the connections. */
export async function nowhere() {
  const arrived = [];
  const server = createTcpServer((socket) => {
    arrived.push(socket.remotePort);
    socket.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { arrived, port: server.address().port, stop: () => server.close() };
}

/** Asserts that no file of the home, no answer and no process's arguments hold the secret, except config.toml. */
export async function assertNoSecret(home, secret, except = ['config.toml']) {
  const walk = (folder) =>
    readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const place = path.join(folder, entry.name);
      return entry.isDirectory() ? walk(place) : entry.isFile() ? [place] : [];
    });
  for (const file of walk(home.home)) {
    if (except.includes(path.basename(file))) continue;
    assert(!readFileSync(file, 'latin1').includes(secret), `${file} holds the secret`);
  }
  for (const words of [['status'], ['--json', 'status'], ['doctor'], ['audit'], ['activity'], ['settings'], ['doctor', '--report']]) {
    const { stdout, stderr } = await home.run(words);
    assert(!(stdout + stderr).includes(secret), `gstack ${words.join(' ')} tells the secret`);
  }
  for (const one of processesOf(home.home)) assert(!one.command.join(' ').includes(secret), `${one.command} holds the secret`);
}

/** A server with websockets. `serve(request, body)` returns `[status, value, headers]`; `target(request)` a websocket's URL. */
export class Double {
  requests = [];
  sockets = [];

  /** `keepsOpen`: a websocket stays open after the browser's has ended, and answers nothing. */
  constructor({ tls, serve, target, keepsOpen = false }) {
    this.serve = serve;
    this.keepsOpen = keepsOpen;
    this.target = target;
    this.scheme = tls ? 'https' : 'http';
    const answer = async (request, response) => {
      const parts = [];
      for await (const part of request) parts.push(part);
      const text = Buffer.concat(parts).toString();
      const body = text ? JSON.parse(text) : undefined;
      this.requests.push({ method: request.method, url: request.url, headers: request.headers, body });
      const [status, value, headers = {}] = await this.serve(request, body);
      if (response.destroyed) return;
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(typeof value === 'string' ? value : JSON.stringify(value));
    };
    this.server = tls ? createTlsServer(tls, answer) : createHttpServer(answer);
    const upgrades = new WebSocketServer({ noServer: true, perMessageDeflate: false });
    this.server.on('upgrade', (request, socket, head) => {
      this.requests.push({ method: 'UPGRADE', url: request.url, headers: request.headers });
      const to = this.target(request);
      if (typeof to === 'number') return socket.end(`HTTP/1.1 ${to} No\r\ncontent-length: 0\r\nlocation: ${this.elsewhere ?? '/'}\r\n\r\n`);
      upgrades.handleUpgrade(request, socket, head, (client) => this.#join(client, to));
    });
  }

  #join(client, to) {
    const upstream = new WebSocket(to, { perMessageDeflate: false, maxPayload: 256 * 1024 * 1024 });
    const waiting = [];
    client.on('message', (data) => (upstream.readyState === 1 ? upstream.send(String(data)) : waiting.push(String(data))));
    upstream.on('open', () => {
      for (const data of waiting.splice(0)) upstream.send(data);
    });
    upstream.on('message', (data) => client.send(String(data)));
    for (const event of ['close', 'error']) {
      client.on(event, () => upstream.terminate());
      upstream.on(event, () => this.keepsOpen || client.terminate());
    }
    this.sockets.push(client);
  }

  async start() {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    this.port = this.server.address().port;
    this.origin = `${this.scheme}://127.0.0.1:${this.port}`;
    return this;
  }

  stop() {
    for (const socket of this.sockets) socket.terminate();
    this.server.closeAllConnections();
    this.server.close();
  }
}

/** Returns the files of a ZIP archive in base64, by name, as Python's own reader has them. */
export function unzipped(base64) {
  const script = `import base64, io, json, sys, zipfile
archive = zipfile.ZipFile(io.BytesIO(base64.b64decode(sys.stdin.read())))
print(json.dumps({ name: archive.read(name).decode() for name in archive.namelist() }))`;
  return JSON.parse(execFileSync('python3', ['-c', script], { input: base64 }));
}

/** A real chromedriver; its own folder holds what its browsers download. */
class Node {
  constructor(uri) {
    this.uri = uri;
    this.folder = mkdtempSync(path.join(tmpdir(), 'gs-node-'));
    this.session = null;
  }

  async start() {
    // A process group of its own: its browsers end with it.
    this.child = spawn('chromedriver', ['--port=0'], { stdio: ['ignore', 'pipe', 'ignore'], detached: true });
    let said = '';
    this.child.stdout.on('data', (data) => {
      said += data;
    });
    const port = await until(
      () => /successfully on port (\d+)/.exec(said)?.[1],
      () => `no chromedriver: ${said}`,
    );
    this.driver = `http://127.0.0.1:${port}`;
    return this;
  }

  get downloads() {
    return path.join(this.folder, 'downloads');
  }

  async create(requested) {
    mkdirSync(this.downloads, { recursive: true });
    const { 'se:downloadsEnabled': downloadsEnabled, 'goog:chromeOptions': options = {}, ...rest } = requested;
    this.requested = requested;
    const chromeOptions = {
      binary: BROWSER,
      args: [...ARGUMENTS, ...(options.args ?? [])],
      prefs: { 'download.default_directory': this.downloads, 'download.prompt_for_download': false },
    };
    const body = { capabilities: { alwaysMatch: { ...rest, 'goog:chromeOptions': chromeOptions } } };
    const answer = await fetch(`${this.driver}/session`, { method: 'POST', body: JSON.stringify(body) });
    const value = (await answer.json()).value;
    if (!answer.ok) return [answer.status, { value }];
    const port = value.capabilities['goog:chromeOptions'].debuggerAddress;
    this.devtools = (await (await fetch(`http://${port}/json/version`)).json()).webSocketDebuggerUrl;
    // From here on it is on the list, and may be ended.
    this.session = value.sessionId;
    delete value.capabilities['goog:chromeOptions'];
    if (downloadsEnabled) value.capabilities['se:downloadsEnabled'] = true;
    return [200, { value }];
  }

  /** Ends it as a lost machine does: at once, with its browser. */
  kill() {
    try {
      process.kill(-this.child.pid, 'SIGKILL');
    } catch {}
  }

  stop() {
    this.kill();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}

/** A Selenium Grid 4: a hub with a queue, and nodes of one slot each. */
export class GridDouble {
  created = [];
  deleted = [];
  /** What a node waits for before it starts a browser. */
  ready = Promise.resolve();
  #waiting = [];

  /**
   * @param {object} options
   * @param {number} options.nodes how many
   * @param {number} options.queue how long a request waits in the queue, in milliseconds
   * @param {boolean} options.managedDownloads `--enable-managed-downloads true`
   * @param {string} options.named the host that `se:cdp` and `se:vnc` name
   */
  constructor({ nodes = 1, queue = 300_000, managedDownloads = true, named = 'hub.internal.invalid:4444' } = {}) {
    Object.assign(this, { count: nodes, queue, managedDownloads, named });
    this.http = new Double({
      // As the real one does, also when the session has ended or its node was killed.
      keepsOpen: true,
      serve: (request, body) => this.#serve(request, body),
      target: ({ url }) => this.#node(/^\/session\/([^/]+)\/se\/cdp$/.exec(url)?.[1])?.devtools ?? 404,
    });
  }

  async start() {
    await this.http.start();
    this.url = this.http.origin;
    const indices = Array.from({ length: this.count }, (_, index) => index);
    this.nodes = await Promise.all(indices.map((index) => new Node(`http://node${index + 1}.internal:5555`).start()));
    return this;
  }

  #node(session) {
    return session && this.nodes.find((node) => node.session === session);
  }

  /** Returns the requests in the queue whose client is still there. */
  get waiting() {
    return this.#waiting.filter(({ request }) => !request.socket.destroyed);
  }

  #free() {
    return this.nodes.find((node) => !node.session && !node.taken && node.child.exitCode === null && !node.child.signalCode);
  }

  /** Waits in the queue for a free node. */
  async #slot(request, { alwaysMatch }) {
    const node = this.#free();
    if (node) {
      node.taken = true;
      return node;
    }
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.#waiting = this.#waiting.filter((one) => one !== entry);
        resolve(undefined);
      }, this.queue);
      const entry = (found) => {
        clearTimeout(timer);
        resolve(found);
      };
      this.#waiting.push(Object.assign(entry, { request, asked: alwaysMatch }));
    });
  }

  #released(node) {
    node.session = null;
    const next = this.#waiting.shift();
    node.taken = Boolean(next);
    next?.(node);
  }

  async #serve(request, body) {
    const failure = (status, error, message) => [status, { value: { error, message, stacktrace: '' } }];
    const type = request.headers['content-type'];
    if (request.method === 'POST' && !/^application\/json;\s*charset=utf-8$/i.test(type)) {
      return failure(500, 'unknown error', `Content-Type header does not indicate utf-8 encoded json: ${type}`);
    }
    if (request.url === '/status') {
      const session = (node) => ({
        sessionId: node.session ?? 'reserved',
        start: node.uri,
        capabilities: node.session ? node.requested : {},
      });
      const slot = (node) => ({ id: { id: node.uri }, session: node.session || node.taken ? session(node) : null, stereotype: {} });
      const nodes = this.nodes.map((node) => ({ id: node.uri, uri: node.uri, maxSessions: 1, slots: [slot(node)] }));
      return [200, { value: { ready: true, message: 'Selenium Grid ready.', nodes } }];
    }
    if (request.url === '/se/grid/newsessionqueue/queue') {
      return [200, { value: this.waiting.map(({ asked }) => ({ requestId: randomUUID(), capabilities: [asked] })) }];
    }
    if (request.method === 'POST' && request.url === '/session') return this.#create(request, body, failure);
    const [, session, below = ''] = /^\/session\/([^/]+)(\/.*)?$/.exec(request.url) ?? [];
    const node = this.#node(session);
    if (!node) return failure(404, 'invalid session id', `Unable to find session with ID: ${session}`);
    if (below === '/se/file') return [200, { value: await this.#takeFile(node, body.file) }];
    if (below === '/se/files' && request.method === 'POST') return this.#giveFile(node, body.name, failure);
    const answer = await fetch(`${node.driver}${request.url}`, { method: request.method }).catch(() => undefined);
    if (request.method === 'DELETE') {
      this.deleted.push(session);
      this.#released(node);
      return [200, { value: null }];
    }
    return answer ? [answer.status, await answer.text()] : failure(500, 'unknown error', 'the node is lost');
  }

  async #create(request, body, failure) {
    const { alwaysMatch = {}, firstMatch = [{}] } = body.capabilities;
    const fits = firstMatch.find((one) => this.managedDownloads || !one['se:downloadsEnabled']);
    const node = fits && (await this.#slot(request, body.capabilities));
    if (!node) return failure(500, 'session not created', 'Could not start a new session. New session request timed out');
    if (request.socket.destroyed) {
      this.#released(node);
      return [500, {}];
    }
    await this.ready;
    const [status, answer] = await node.create({ ...alwaysMatch, ...fits });
    if (status !== 200) {
      this.#released(node);
      return [status, answer];
    }
    const session = answer.value.sessionId;
    this.created.push(session);
    answer.value.capabilities['se:cdp'] = `ws://${this.named}/session/${session}/se/cdp`;
    answer.value.capabilities['se:vnc'] = `ws://${this.named}/session/${session}/se/vnc`;
    return [200, answer];
  }

  /** Unpacks an uploaded archive, with Python's own reader. */
  async #takeFile(node, file) {
    const folder = path.join(node.folder, `upload-${randomUUID()}`);
    mkdirSync(folder);
    writeFileSync(path.join(node.folder, 'upload.zip'), Buffer.from(file, 'base64'));
    execFileSync('python3', ['-m', 'zipfile', '-e', path.join(node.folder, 'upload.zip'), folder]);
    const names = readdirSync(folder);
    if (names.length !== 1) throw new Error(`Expected there to be only 1 file. There were: ${names.length}`);
    return path.join(folder, names[0]);
  }

  #giveFile(node, name, failure) {
    if (!readdirSync(node.downloads).includes(name)) return failure(500, 'unknown error', `Cannot find file [${name}]`);
    const archive = path.join(node.folder, 'download.zip');
    execFileSync('python3', ['-m', 'zipfile', '-c', archive, path.join(node.downloads, name)]);
    // Java's encoder breaks lines.
    const contents = readFileSync(archive)
      .toString('base64')
      .replace(/(.{76})/g, '$1\r\n');
    return [200, { value: { filename: name, contents } }];
  }

  stop() {
    this.http.stop();
    for (const node of this.nodes ?? []) node.stop();
  }
}
