/*
 * One gstack with a browser, and MCP clients that use it one after the other, each with a fake of its model. Owns sending a message
 * to a client, and what came of it: the approvals, and what the model was sent.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { Api } from '../e2e/harness/api.mjs';
import { GSTACK, TestHome } from '../e2e/harness/home.mjs';
import { Site } from '../e2e/harness/site.mjs';
import { until, within } from '../e2e/harness/wait.mjs';
import { startProxy } from './proxy.mjs';
import { scenario, startFake } from './trial.mjs';

/** A client starts for each message. */
const LONGEST_RUN = 240_000;

export class ClientTrial {
  #fakes = new Map();

  /** Starts gstack, its browser and the fakes, and adds gstack to each client. */
  static async start(clients) {
    const trial = new ClientTrial();
    trial.home = new TestHome({ permanent: true });
    trial.folder = path.join(trial.home.person, 'project');
    mkdirSync(trial.folder);
    trial.site = await Site.start();
    trial.proxy = await startProxy();
    await trial.home.ok(['connect', '--headless', `${trial.site.origin}/form`], { cwd: trial.folder, limit: 240_000 });
    trial.api = new Api(trial.home);
    trial.tab = await trial.api.tab(`${trial.site.origin}/form`);
    for (const client of clients) {
      const script = path.join(trial.home.folder, `${client.name}.json`);
      writeFileSync(script, JSON.stringify(scenario(client, trial.folder)));
      const fake = await startFake(client, script, trial.#log(client));
      trial.#fakes.set(client.name, fake);
      await client.prepare?.(trial.home, fake.address);
      if (client.install) await trial.home.ok(['mcp', 'install', client.install, '--current-tab']);
    }
    return trial;
  }

  /** A program that starts `gstack mcp` for this home: a client may pass on no variables. */
  get #server() {
    const file = path.join(this.home.folder, 'gstack');
    const script = `#!/bin/sh\nGSTACK_HOME='${this.home.home}' exec '${GSTACK}' mcp --current-tab\n`;
    if (!existsSync(file)) writeFileSync(file, script, { mode: 0o755 });
    return file;
  }

  #log(client) {
    return path.join(this.home.folder, `${client.name}.jsonl`);
  }

  /** Returns the requests that a client's model got, as text, oldest first. */
  requests(client) {
    const file = this.#log(client);
    return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  }

  /** Returns the names of the tools that `gstack mcp` lists. */
  async tools() {
    const child = spawn(GSTACK, ['mcp'], { env: this.home.environment, stdio: ['pipe', 'pipe', 'ignore'] });
    const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    const clientInfo = { name: 'matrix', version: '1' };
    send({ id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo } });
    for await (const line of createInterface({ input: child.stdout })) {
      const { id, result } = JSON.parse(line);
      if (id === 1) {
        send({ method: 'notifications/initialized' });
        send({ id: 2, method: 'tools/list' });
      }
      if (id !== 2) continue;
      child.stdin.end();
      return result.tools.map(({ name }) => name);
    }
    throw new Error('gstack mcp lists no tools');
  }

  /** Opens another page in the tab. */
  open(where) {
    return this.api.ok('goto', [`${this.site.origin}${where}`], this.tab);
  }

  /** Returns what a script in the page returns. */
  evaluate(script) {
    return this.api.ok('js', [script], this.tab);
  }

  /**
   * Sends a message and waits until the client ends. Each approval that opens is allowed. Returns `{ code, said, approvals, sent }`:
   * `sent` is what its model was sent.
   */
  async say(client, message) {
    const [program, ...args] = client.command(message, this.#server);
    const before = this.requests(client).length;
    const { address } = this.proxy;
    const env = {
      ...this.home.environment,
      ...client.variables(this.#fakes.get(client.name).address),
      HTTPS_PROXY: address,
      HTTP_PROXY: address,
      NO_PROXY: '127.0.0.1,localhost',
    };
    const child = spawn(program, args, { cwd: this.folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (data) => {
        said += data;
      });
    let code;
    const ended = new Promise((resolve, reject) =>
      child.once('error', reject).once('close', (ending) => {
        code = ending ?? 'a signal';
        resolve();
      }),
    );
    const approvals = [];
    const allowing = until(
      async () => {
        if (code !== undefined) return true;
        const { approvals: open } = JSON.parse(await this.home.ok(['approvals', '--json']));
        for (const approval of open) {
          approvals.push(approval);
          await this.home.run(['approvals', 'allow', approval.approvalId]);
        }
        return false;
      },
      () => `${client.name} did not end:\n${said}`,
      LONGEST_RUN,
    );
    try {
      await within(Promise.all([ended, allowing]), () => `${client.name} did not end:\n${said}`, LONGEST_RUN);
    } finally {
      if (code === undefined) child.kill('SIGKILL');
    }
    return { code, said, approvals, sent: this.requests(client).slice(before) };
  }

  /** Ends gstack, its browser and the fakes; returns the processes that had to be ended by force. */
  async stop() {
    for (const fake of this.#fakes.values()) await fake.stop();
    const left = await this.home.stop();
    await this.site.stop();
    this.proxy.stop();
    return left;
  }
}
