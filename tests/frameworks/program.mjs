/*
 * A program that drives a browser with one of the frameworks: takes one step at a time on its standard input and
 * answers each with a line. It reaches this machine only (guard/), and reports what else it tried.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));
const guard = path.join(here, 'guard');
/** The interpreter for which tests/run.sh has installed requirements.txt. */
export const PYTHON = path.join(here, '.venv/bin/python');

/** What each framework documents for those who want it to send nothing home. */
const QUIET = {
  ANONYMIZED_TELEMETRY: 'false',
  BROWSER_USE_CLOUD_SYNC: 'false',
  BROWSER_USE_VERSION_CHECK: 'false',
};

/** How each is started, with the guard in place before anything of its own runs. */
const KINDS = {
  node: (file) => [process.execPath, [file], { NODE_OPTIONS: `--import=${path.join(guard, 'loopback-only.mjs')}` }],
  python: (file) => [PYTHON, ['-B', file], { PYTHONPATH: guard }],
};

export class Program {
  #answers;
  #complaints = '';

  /**
   * @param {'node' | 'python'} kind
   * @param {string} file a file of this folder
   * @param {import('../e2e/harness/home.mjs').TestHome} home
   * @param {Record<string, string>} environment
   */
  constructor(kind, file, home, environment) {
    const [program, args, more] = KINDS[kind](path.join(here, file));
    this.report = path.join(home.folder, `${path.basename(file)}.report`);
    const env = { ...home.environment, ...QUIET, ...more, ...environment, GUARD_REPORT: this.report };
    this.process = spawn(program, args, { env, cwd: home.person, stdio: ['pipe', 'pipe', 'pipe'] });
    this.process.stderr.on('data', (data) => {
      this.#complaints += data;
    });
    this.ended = once(this.process, 'exit');
    // A program that has ended takes no step; `ask` says so.
    this.process.stdin.on('error', () => {});
    this.#answers = createInterface({ input: this.process.stdout })[Symbol.asyncIterator]();
  }

  /** Does a step and returns `{ value }` or `{ error }`. */
  async try(step) {
    this.process.stdin.write(`${step}\n`);
    for (;;) {
      const { value: line, done } = await this.#answers.next();
      assert.ok(!done, `the program ended at ${step}: ${this.#complaints.slice(-4000)}`);
      if (line.startsWith('answer ')) return JSON.parse(line.slice('answer '.length));
    }
  }

  /** Does a step, which must not fail, and returns its value. */
  async ask(step) {
    const { value, error } = await this.try(step);
    assert.equal(error, undefined, `${step}: ${error}\n${this.#complaints.slice(-4000)}`);
    return value;
  }

  /** Returns what the guard wrote: `guarded` for each process, and one line for each attempt. */
  reported() {
    return readFileSync(this.report, 'utf8').trim().split('\n');
  }

  async stop() {
    this.process.stdin.end();
    await this.ended;
  }
}
