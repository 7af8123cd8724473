/* Drivers that are not MCP clients: a shell with a name (`gstack --driver NAME`), and a tunnel to another machine. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { GSTACK } from '../e2e/harness/home.mjs';
import { until } from '../e2e/harness/wait.mjs';

/** A shell that runs every command under a name. */
export class Terminal {
  #said = '';
  #line = 0;

  constructor(home, name) {
    this.name = `terminal (${name})`;
    const env = { ...home.environment, GSTACK_DRIVER: name };
    this.child = spawn('bash', [], { cwd: home.person, env, stdio: ['pipe', 'pipe', 'inherit'] });
    this.child.stdin.on('error', () => {});
    this.child.stdout.on('data', (data) => {
      this.#said += data;
    });
    this.ended = new Promise((resolve) => this.child.once('close', resolve));
  }

  get pid() {
    return this.child.pid;
  }

  /** Runs gstack to completion; returns `{ code, said }` with both of its streams. */
  async run(words) {
    this.#line += 1;
    const mark = `-- ${this.#line} ended with `;
    this.child.stdin.write(`'${GSTACK}' ${words} 2>&1 </dev/null\necho "${mark}$?"\n`);
    const end = new RegExp(`${mark}(\\d+)\\n`);
    const [whole, code] = await until(
      () => end.exec(this.#said),
      () => `${words}: ${this.#said}`,
    );
    const at = this.#said.indexOf(whole);
    const said = this.#said.slice(0, at);
    this.#said = this.#said.slice(at + whole.length);
    return { code: Number(code), said };
  }

  /** Starts gstack and does not wait for it. */
  begin(words) {
    this.child.stdin.write(`'${GSTACK}' ${words} >/dev/null 2>&1 </dev/null\n`);
  }

  /** Runs gstack, which has to succeed, and returns what it prints. */
  async ok(words) {
    const { code, said } = await this.run(words);
    assert.equal(code, 0, `${words}: ${said}`);
    return said;
  }

  /** Runs gstack, which has to fail, and returns why. */
  async refused(words) {
    const { code, said } = await this.run(words);
    assert.notEqual(code, 0, `${words}: ${said}`);
    return said;
  }

  /** Ends the shell as the person does: it reads the end of its input. */
  end() {
    this.child.stdin.end();
    return this.ended;
  }
}

/** Opens a tunnel; returns `{ name, socket, pid, said(), end(), ended }`. Fails with what the command says if it does not open. */
export async function openTunnel(home, name, ...args) {
  const child = home.start(['tunnel', '--json', '--name', name, ...args]);
  let output = '';
  let said = '';
  child.stdout.on('data', (data) => {
    output += data;
  });
  child.stderr.on('data', (data) => {
    said += data;
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  await until(
    () => output.includes('\n') || child.exitCode !== null,
    () => `no tunnel: ${said}`,
  );
  assert.equal(child.exitCode, null, said);
  const { socket } = JSON.parse(output);
  const end = () => {
    child.kill('SIGTERM');
    return ended;
  };
  return { name: `tunnel (${name})`, socket, pid: child.pid, said: () => said, end, ended };
}
