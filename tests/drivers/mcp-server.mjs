/* A program that is an MCP server on its standard streams. Owns its process and the calls that wait for an answer. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export class McpServer {
  #waiting = new Map();
  #id = 0;

  static async start(program, args, options) {
    const server = new McpServer();
    server.process = spawn(program, args, { ...options, stdio: ['pipe', 'pipe', 'ignore'] });
    server.ended = once(server.process, 'exit');
    createInterface({ input: server.process.stdout }).on('line', (line) => {
      const message = JSON.parse(line);
      server.#waiting.get(message.id)?.(message);
      server.#waiting.delete(message.id);
    });
    await server.#ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'drivers', version: '1' } });
    server.#write({ method: 'notifications/initialized' });
    return server;
  }

  #write(message) {
    this.process.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  #ask(method, params) {
    const id = ++this.#id;
    const ended = this.ended.then(([code]) => assert.fail(`${method}: the server ended with ${code}`));
    const answered = new Promise((resolve) => this.#waiting.set(id, resolve));
    this.#write({ id, method, params });
    return Promise.race([answered, ended]);
  }

  /** Calls a tool, which must not fail, and returns its words. */
  async call(tool, values = {}) {
    const { result, error } = await this.#ask('tools/call', { name: tool, arguments: values });
    const words = (result?.content ?? []).map((part) => part.text ?? '').join('\n');
    assert.ok(result && !result.isError, `${tool}: ${words}${error?.message ?? ''}`);
    return words;
  }

  /** Ends the program by closing its standard input. */
  async stop() {
    this.process.stdin.end();
    await this.ended;
  }
}
