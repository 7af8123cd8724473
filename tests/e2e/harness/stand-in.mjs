/* The test's side of fake/claude.mjs: an agent whose every word and action the test decides. */
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { within } from './wait.mjs';

const program = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../fake/claude.mjs');

/** Returns the text of a tool's result. */
export const words = (result) => result.content.map((one) => one.text ?? '').join('\n');

export class StandIn {
  #prompts = [];
  #wanted = [];
  #turns = new Set();
  #server;

  /** Installs the stand-in as the `claude` of a home, where the person's login shell finds it. */
  static async install(home) {
    const standIn = new StandIn();
    // It talks to the test over a unix socket, which a sandbox would block, so it runs unsandboxed and the other checks
    // stop what it tries. tests/attacks covers the sandbox itself, and real agents run in it. Set in the file, because
    // a daemon that the browser's host starts inherits no variables from the test.
    mkdirSync(home.home, { recursive: true, mode: 0o700 });
    const config = path.join(home.home, 'config.toml');
    const settings = existsSync(config) ? readFileSync(config, 'utf8') : '';
    writeFileSync(config, `${settings}\n[agents]\nsandbox = "off"\n`, { mode: 0o600 });
    const socket = path.join(home.folder, 'stand-in');
    const folder = path.join(home.person, '.local/bin');
    mkdirSync(folder, { recursive: true });
    const file = path.join(folder, 'claude');
    writeFileSync(file, `#!/bin/sh\nSTAND_IN='${socket}' exec '${process.execPath}' '${program}' "$@"\n`);
    chmodSync(file, 0o755);
    standIn.#server = createServer((connection) => standIn.#take(connection));
    await new Promise((resolve) => standIn.#server.listen(socket, resolve));
    standIn.#server.unref();
    return standIn;
  }

  #take(connection) {
    let turn;
    connection.on('error', () => {});
    connection.once('close', () => turn?.over());
    // A killed agent resets the connection, and the reader of its lines reports that as well.
    createInterface({ input: connection })
      .on('error', () => {})
      .on('line', (text) => {
        const line = JSON.parse(text);
        if ('prompt' in line) {
          turn = new Turn(connection, line.prompt);
          this.#turns.add(turn);
          const wanted = this.#wanted.shift();
          if (wanted) wanted(turn);
          else this.#prompts.push(turn);
        } else {
          turn?.take(line);
        }
      });
  }

  /** Waits for the next message that an agent of this home receives. */
  prompt() {
    const next =
      this.#prompts.length > 0
        ? Promise.resolve(this.#prompts.shift())
        : new Promise((resolve) => {
            this.#wanted.push(resolve);
          });
    return within(next, 'the agent was given no message');
  }

  /** Ends what a failed test left unfinished, so that the next one starts clean. */
  settle() {
    for (const turn of this.#turns) turn.settle();
    this.#turns.clear();
    this.#prompts = [];
    this.#wanted = [];
  }

  stop() {
    this.#server.close();
  }
}

/** One turn of the stand-in. */
class Turn {
  #results = [];
  #interrupted;
  #interrupt;
  #over;
  #gone;
  #ended = false;

  constructor(connection, prompt) {
    this.connection = connection;
    /** The agent's prompt, with everything that gstack added to the person's text. */
    this.prompt = prompt;
    this.#interrupted = new Promise((resolve) => {
      this.#interrupt = resolve;
    });
    this.#gone = new Promise((resolve) => {
      this.#over = resolve;
    });
  }

  take(line) {
    if ('result' in line) this.#results.shift()?.(line.result);
    if ('interrupt' in line) {
      this.#ended = true;
      this.#interrupt();
    }
  }

  over() {
    this.#over();
  }

  #order(order) {
    this.connection.write(`${JSON.stringify(order)}\n`);
  }

  #ask(order, words) {
    const answer = new Promise((resolve) => this.#results.push(resolve));
    this.#order(order);
    // A process that is gone answers nothing more.
    const gone = this.#gone.then(() => {
      throw new Error(`${words}: the agent's process is gone`);
    });
    return within(Promise.race([answer, gone]), words, 60_000);
  }

  say(text) {
    this.#order({ say: text });
  }
  think(text) {
    this.#order({ think: text });
  }
  /** Runs one of gstack's tools; returns MCP's result. */
  tool(tool, input) {
    return this.#ask({ tool, input }, `${tool} gave no result`);
  }
  tools() {
    return this.#ask({ list: true }, 'no list of tools');
  }
  /** Uses one of the agent's own tools without a permission request; refuses without `data`. */
  own(tool, input, data) {
    this.#order({ own: tool, input, data });
  }
  /** Requests permission for one of the agent's own tools; returns the answer. */
  ask(tool, input) {
    return this.#ask({ ask: tool, input }, `nobody answered about ${tool}`);
  }
  /** Runs a shell line as a process of the agent's; returns `{ code, stdout, stderr }`. */
  shell(line) {
    return this.#ask({ shell: line }, `the shell did not end: ${line}`);
  }
  /** Returns the agent's MCP endpoint: `{ url, headers }`. */
  mcp() {
    return this.#ask({ mcp: true }, 'no MCP configuration');
  }
  end() {
    this.#ended = true;
    this.#order({ end: true });
  }
  settle() {
    if (!this.#ended && this.connection.writable) this.end();
  }
  crash() {
    this.#order({ crash: true });
  }
  interrupted() {
    return within(this.#interrupted, 'the agent was not interrupted');
  }
  /** Resolves when the agent's process is gone. */
  gone() {
    return within(this.#gone, 'the agent lives on');
  }
}
