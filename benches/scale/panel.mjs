/*
 * A panel on a native host of its own, as Chrome starts it: frames on standard input and output. It acknowledges what
 * it reads, as a real panel does once in a frame.
 */
import { once } from 'node:events';
import { frame } from '../../tests/e2e/harness/frames.mjs';
import { host } from '../../tests/e2e/harness/host.mjs';
import { confirmed } from '../../tests/e2e/harness/panel-key.mjs';
import { within } from '../../tests/e2e/harness/wait.mjs';
import { Lines } from './lines.mjs';

export class Panel {
  #next = 0;
  #waiting = new Map();
  /** What the agent said since `fresh` was called. */
  lines = new Lines();

  static async open(home, name) {
    const panel = new Panel();
    panel.chrome = host(home);
    panel.chrome.frames.each((message) => panel.#take(message));
    const welcome = await panel.ask('hello', { protocol: 2, version: '0.0.0', instanceId: name });
    await confirmed(home, welcome, (method, params) => panel.ask(method, params));
    return panel;
  }

  #take(message) {
    if (message.method === 'chat.delta') {
      const { conversationId, seq, offset, text } = message.params;
      this.lines.take(text);
      this.#send({ method: 'chat.ack', params: { conversationId, seq, offset: offset + text.length } });
      return;
    }
    const answered = this.#waiting.get(message.id);
    if (!answered) return;
    this.#waiting.delete(message.id);
    if (message.error) answered.reject(new Error(JSON.stringify(message.error)));
    else answered.resolve(message.result);
  }

  #send(message) {
    this.chrome.write(frame({ jsonrpc: '2.0', client: 'p', ...message }));
  }

  /** Sends a request and returns its result. */
  ask(method, params) {
    this.#next += 1;
    const id = this.#next;
    const answer = new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    this.#send({ id, method, params });
    const ended = this.chrome.ended.then(() => Promise.reject(new Error(`the host ended: ${this.chrome.said()}`)));
    return within(Promise.race([answer, ended]), `no answer to ${method}`, 60_000);
  }

  subscribe(conversationId) {
    return this.ask('chat.subscribe', { conversationId, after: 0 });
  }

  /** Forgets what was said so far. */
  fresh() {
    this.lines = new Lines();
    return this.lines;
  }

  async close() {
    this.chrome.child.stdin.end();
    if (this.chrome.child.exitCode === null && this.chrome.child.signalCode === null) {
      await within(once(this.chrome.child, 'exit'), 'a host did not end').catch(() => {});
    }
  }
}
