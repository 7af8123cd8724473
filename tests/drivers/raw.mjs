/* A DevTools client that sends what it is told. */
import { once } from 'node:events';
import WebSocket from 'ws';

export class Raw {
  #waiting = new Map();
  #id = 0;
  events = [];

  static async open(url) {
    const raw = new Raw();
    raw.socket = new WebSocket(url, { maxPayload: 0 });
    raw.closed = once(raw.socket, 'close').then(([code, reason]) => `${code} ${reason}`);
    raw.socket.on('message', (data) => {
      const message = JSON.parse(data);
      if (message.id === undefined) raw.events.push(message);
      else raw.#waiting.get(message.id)?.(message);
    });
    await once(raw.socket, 'open');
    return raw;
  }

  send(method, params = {}, sessionId = undefined) {
    const id = ++this.#id;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.socket.send(JSON.stringify({ id, method, params, sessionId }));
    });
  }

  async page() {
    const { result } = await this.send('Target.getTargets');
    const [{ targetId }] = result.targetInfos;
    const attached = await this.send('Target.attachToTarget', { targetId, flatten: true });
    return { targetId, session: attached.result.sessionId };
  }
}
