/*
 * The gstack of a scale measurement: a temporary home with a browser without a window, its pages and a client. Knows
 * its processes; removes everything at its end.
 */
import { request } from 'node:http';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { TestHome } from '../../tests/e2e/harness/home.mjs';
import { CommandSocket } from '../command-socket.mjs';
import { Pages } from '../pages.mjs';
import { memoryOfAll } from './measuring.mjs';

const agent = fileURLToPath(new URL('agent.mjs', import.meta.url));
/** The agents: how long a round is, in ms. One that works takes a snapshot and says a line in each, one that talks a line. */
const AGENTS = { working: ['3000'], talking: ['50', '--only-talk'] };

/** How long a turn may say nothing: on a full disk, gstack does not keep its text. */
const SILENCE_MS = 20_000;

export class World {
  home = new TestHome({ port: false });
  #streams = new Set();

  /** @param {{ agents?: number }} [options]  how many agents run at once */
  async open({ agents = 1 } = {}) {
    mkdirSync(this.home.home, { recursive: true, mode: 0o700 });
    const own = Object.entries(AGENTS).map(
      ([name, words]) => `[agents.own.${name}]\ncommand = ${JSON.stringify([process.execPath, agent, ...words])}\n`,
    );
    const config = `[agents]\ndefault = "working"\nat-once = ${agents}\n${own.join('')}`;
    writeFileSync(path.join(this.home.home, 'config.toml'), config, { mode: 0o600 });
    this.pages = await Pages.start();
    // Many tabs, few processes: what is measured is gstack, and the browser's part is the same for each point.
    await this.home.connect(['--headless', `${this.pages.origin}/`, '--', '--renderer-process-limit=4']);
    this.gstack = new CommandSocket(this.home.home);
    this.daemon = this.#only('daemon');
    this.keeper = this.#only('browser-keeper');
  }

  #only(role) {
    const [one] = this.home.processes(role);
    if (!one) throw new Error(`no ${role} runs\n${this.home.log()}`);
    return one.pid;
  }

  /** Opens a tab with a page of this many elements, or the small one; returns its number. */
  async tab(elements = 0) {
    const output = await this.gstack.run('newtab', elements ? `${this.pages.origin}/elements/${elements}` : `${this.pages.origin}/`);
    return Number(/^Opened tab (\d+)/.exec(output)[1]);
  }

  /**
   * Sends a message in a tab and follows the answer: `{ conversationId, isSilent, ended, close() }` at its first words, or, if
   * none came `SILENCE_MS` after the turn's start, as a silent one. `ended` resolves when the turn has. Each part of the answer is
   * given to `said`. No other turn may run in the conversation.
   */
  chat(tabId, name, message, said = () => {}) {
    const body = JSON.stringify({ clientId: crypto.randomUUID(), message, tabId, agent: name });
    const headers = { host: 'localhost', 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const socketPath = this.gstack.socketPath;
    return new Promise((resolve, reject) => {
      const asked = request({ socketPath, method: 'POST', path: '/chat', headers, agent: false }, (response) => {
        let conversationId;
        let end;
        const ended = new Promise((settle) => (end = settle));
        const closed = () => {
          reject(new Error('the turn did not begin'));
          end();
        };
        createInterface({ input: response })
          .on('error', closed)
          .on('close', closed)
          .on('line', (line) => {
            const told = JSON.parse(line);
            if (told.failed) reject(new Error(`${told.failed.code}: ${told.failed.message}`));
            if (told.conversation) conversationId = told.conversation.conversationId;
            if (told.event?.type === 'turn-done' && told.event.outcome === 'failed') reject(new Error(JSON.stringify(told.event)));
            if (told.event?.type === 'turn-done') end();
            const begun = (isSilent) => resolve({ conversationId, isSilent, ended, close: () => asked.destroy() });
            if (told.event?.type === 'turn-started') setTimeout(begun, SILENCE_MS, true).unref();
            if (told.delta) {
              begun(false);
              said(told.delta.text);
            }
          });
      });
      this.#streams.add(asked);
      asked.on('error', reject);
      asked.end(body);
    });
  }

  /** Returns the memory of gstack's processes, in MiB. The browser's and the agents' own are not in it. */
  memory() {
    const round = (value) => Number(value.toFixed(2));
    const of = (role) => memoryOfAll(this.home.processes(role).map(({ pid }) => pid));
    const hosts = of('host');
    const minders = of('agent-minder');
    return {
      daemon: round(memoryOfAll([this.daemon]).sum),
      keeper: round(memoryOfAll([this.keeper]).sum),
      hosts: round(hosts.sum),
      hostCount: hosts.count,
      ...(minders.count > 0 ? { minders: round(minders.sum) } : {}),
    };
  }

  /** Ends everything; returns the processes that had to be ended by force. */
  async close() {
    for (const stream of this.#streams) stream.destroy();
    this.gstack?.close();
    const forced = await this.home.stop();
    await this.pages?.stop();
    return forced;
  }
}
