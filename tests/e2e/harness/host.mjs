/* The native messaging host as Chrome starts it, with the test in Chrome's place; and a panel that uses it. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Frames, frame } from './frames.mjs';
import { EXTENSION_ID } from './home.mjs';
import { confirmed } from './panel-key.mjs';
import { within } from './wait.mjs';

export const ORIGIN = `chrome-extension://${EXTENSION_ID}/`;
export const HELLO = { jsonrpc: '2.0', id: 1, method: 'hello', params: { protocol: 2, version: '0.1.0', instanceId: 'test' } };

/** Starts the host as Chrome does. */
export function host(home, origin = ORIGIN) {
  const child = home.start([origin]);
  child.stdin.on('error', () => {});
  const errors = [];
  child.stderr.on('data', (data) => errors.push(data));
  return {
    child,
    frames: new Frames(child.stdout),
    said: () => Buffer.concat(errors).toString(),
    write: (...parts) => child.stdin.write(Buffer.concat(parts)),
    ended: once(child, 'close').then(([code]) => code),
  };
}

/** A panel without a page: sends hello on its own port and reads one conversation, if one is named. */
export class BarePanel {
  #next = 1;

  static async open(home, instanceId, conversationId) {
    const panel = new BarePanel();
    panel.client = `panel-${instanceId}`;
    panel.chrome = host(home);
    panel.chrome.write(frame({ ...HELLO, params: { ...HELLO.params, instanceId } }));
    const { result: welcome } = await panel.chrome.frames.next((message) => message.id === 1);
    panel.#next = 2;
    await confirmed(home, welcome, async (method, params) => (await panel.ask(method, params)).result);
    panel.notify('panel.opened', { windowId: 1 });
    if (conversationId) assert.equal((await panel.ask('chat.subscribe', { conversationId, after: 0 })).error, undefined);
    return panel;
  }

  notify(method, params) {
    this.chrome.write(frame({ jsonrpc: '2.0', client: this.client, method, params }));
  }

  /** Sends a request; messages pushed before its answer are kept in `pushed`. */
  ask(method, params) {
    const id = this.#next++;
    this.chrome.write(frame({ jsonrpc: '2.0', client: this.client, id, method, params }));
    return this.chrome.frames.next((message) => message.id === id || (this.pushed.push(message), false), `the answer to ${method}`);
  }

  /** Messages that were pushed. */
  pushed = [];

  /** Waits for the first event of that type, past or future. */
  async event(type) {
    const fits = (message) => message.method === 'chat.event' && message.params.event.type === type;
    const known = this.pushed.find(fits);
    const {
      params: { event },
    } = known ?? (await this.chrome.frames.next(fits, type));
    return event;
  }

  async close() {
    this.chrome.child.stdin.end();
    await within(this.chrome.ended, 'the host did not end');
  }
}
