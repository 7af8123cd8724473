/*
 * Sends commands to gstack's daemon over its own socket, on a single connection, like a long-running program.
 */
import { Agent, request } from 'node:http';
import path from 'node:path';

/** Returns what a refusal says, without its hint. */
function messageOf(text) {
  try {
    return JSON.parse(text).error ?? text;
  } catch {
    return text;
  }
}

export class CommandSocket {
  #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  /** @param {string} home  a GSTACK_HOME with a running daemon */
  constructor(home) {
    this.socketPath = path.join(home, 'http.sock');
  }

  /** Runs one command and returns its output. */
  run(command, ...args) {
    return this.runIn(undefined, command, ...args);
  }

  /** Runs one command in the tab with that number. */
  runIn(tabId, command, ...args) {
    const body = JSON.stringify({ command, args, tabId });
    const headers = {
      host: 'localhost',
      accept: 'application/json',
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    };
    return new Promise((resolve, reject) => {
      const asked = request({ socketPath: this.socketPath, agent: this.#agent, method: 'POST', path: '/command', headers }, (response) => {
        const parts = [];
        response
          .on('data', (data) => parts.push(data))
          .on('error', reject)
          .on('end', () => {
            const text = Buffer.concat(parts).toString();
            if (response.statusCode === 200) resolve(JSON.parse(text).output);
            else reject(new Error(`gstack ${command}: ${response.statusCode} ${messageOf(text)}`));
          });
      });
      asked.on('error', reject);
      asked.end(body);
    });
  }

  close() {
    this.#agent.destroy();
  }
}
