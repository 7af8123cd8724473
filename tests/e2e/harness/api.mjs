/* The HTTP API as a script uses it: on 127.0.0.1, with the token from the state file. */
import { readFileSync } from 'node:fs';
import path from 'node:path';

export class Api {
  /** Uses the API of the daemon in this home. */
  constructor(home) {
    const state = JSON.parse(readFileSync(path.join(home.home, 'browse.json'), 'utf8'));
    this.origin = `http://127.0.0.1:${state.port}`;
    this.headers = { authorization: `Bearer ${state.token}` };
  }

  /** Returns `{ status, body }` with the body as JSON. */
  async get(where) {
    const answer = await fetch(`${this.origin}${where}`, { headers: this.headers });
    return { status: answer.status, body: await answer.json() };
  }

  /** Runs a command; returns `{ status, ok, output, data, error, hint, outcome, fault }`. */
  async run(command, args = [], tabId = undefined, signal = undefined) {
    const answer = await fetch(`${this.origin}/command`, {
      method: 'POST',
      headers: { ...this.headers, 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ command, args, tabId }),
      signal,
    });
    return { status: answer.status, ...(await answer.json()) };
  }

  /** Runs a command and returns its output; fails unless it succeeded. */
  async ok(command, args = [], tabId = undefined) {
    const { ok, output, error, hint } = await this.run(command, args, tabId);
    if (!ok) throw new Error(`${command} ${args.join(' ')}: ${error}\n${hint}`);
    return output;
  }

  /** Opens a tab and returns its number. */
  async tab(url) {
    return Number(/^Opened tab (\d+)/.exec(await this.ok('newtab', [url]))[1]);
  }

  /** Streams server-sent events: `{ id, event, data }`; `close` ends the connection. */
  async events(where, headers = {}) {
    const ending = new AbortController();
    const answer = await fetch(`${this.origin}${where}`, { headers: { ...this.headers, ...headers }, signal: ending.signal });
    return { type: answer.headers.get('content-type'), list: read(answer.body), close: () => ending.abort() };
  }
}

async function* read(body) {
  let text = '';
  for await (const part of body.pipeThrough(new TextDecoderStream())) {
    text += part;
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const fields = Object.fromEntries(
        text
          .slice(0, end)
          .split('\n')
          .map((line) => line.split(/: ?(.*)/s)),
      );
      text = text.slice(end + 2);
      if (fields.data) yield { id: Number(fields.id), event: fields.event, data: JSON.parse(fields.data) };
    }
  }
}
