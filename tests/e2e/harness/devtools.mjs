/*
 * The tests' own small CDP client, so that an independent client checks what the product reports about its browser.
 * Owns one websocket; attaches to any target, including the side panel and the service worker.
 */
import { WebSocket } from 'ws';
import { within } from './wait.mjs';

export class DevTools {
  #socket;
  #next = 1;
  #waiting = new Map();
  #listeners = new Set();
  /** Every live target, by id. */
  targets = new Map();
  /** How the other targets ended, by id. */
  ends = new Map();

  constructor(socket) {
    this.#socket = socket;
    socket.on('message', (data) => this.#receive(JSON.parse(String(data))));
    // A killed browser resets the connection; `close` follows and notifies everyone who waits.
    socket.on('error', () => {});
    socket.on('close', () => {
      for (const { reject, method } of this.#waiting.values()) reject(new Error(`the browser went away during ${method}`));
      this.#waiting.clear();
    });
  }

  /** Connects to a browser by its websocket address and starts to follow its targets. */
  static async connect(address) {
    const socket = new WebSocket(address, { perMessageDeflate: false, maxPayload: 256 * 1024 * 1024 });
    await within(new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject)), `no DevTools at ${address}`);
    const client = new DevTools(socket);
    client.on((event) => {
      const { targetInfo, targetId } = event.params ?? {};
      if (event.method === 'Target.targetCreated' || event.method === 'Target.targetInfoChanged') {
        client.targets.set(targetInfo.targetId, targetInfo);
      }
      if (event.method === 'Target.targetDestroyed') {
        client.targets.delete(targetId);
        if (!client.ends.has(targetId)) client.ends.set(targetId, 'closed');
      }
      if (event.method === 'Target.targetCrashed') {
        client.ends.set(targetId, `crashed: ${event.params.status} ${event.params.errorCode}`);
      }
    });
    await client.send('Target.setDiscoverTargets', { discover: true, filter: [{}] });
    return client;
  }

  #receive(message) {
    const waiting = this.#waiting.get(message.id);
    if (waiting) {
      this.#waiting.delete(message.id);
      if (message.error) waiting.reject(new Error(`${waiting.method}: ${message.error.message}`));
      else waiting.resolve(message.result);
      return;
    }
    for (const listener of [...this.#listeners]) listener(message);
  }

  /** Calls `listener` with each event; returns a function that removes it. */
  on(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Sends a command and waits for its answer, however long that takes. */
  call(method, params = {}, sessionId = undefined) {
    const id = this.#next++;
    const answer = new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject, method }));
    this.#socket.send(JSON.stringify({ id, method, params, sessionId }));
    return answer;
  }

  /** Like `call`, for commands that answer at once. */
  send(method, params = {}, sessionId = undefined) {
    return within(this.call(method, params, sessionId), `${method} was not answered`);
  }

  /** Waits for the first matching target. */
  async target(fits, words) {
    const find = () => [...this.targets.values()].find(fits);
    let stop;
    const come = new Promise((resolve) => {
      const look = () => {
        const found = find();
        if (found) resolve(found);
      };
      stop = this.on(look);
      look();
    });
    const known = () => [...this.targets.values()].map((one) => `  ${one.type} ${one.url}`).join('\n');
    try {
      return await within(come, () => `no target: ${words}. There are:\n${known()}`);
    } finally {
      stop();
    }
  }

  /** Resolves when a target is gone. */
  async gone(targetId, words) {
    let stop;
    const left = new Promise((resolve) => {
      const look = () => this.targets.has(targetId) || resolve();
      stop = this.on(look);
      look();
    });
    try {
      await within(left, `still there: ${words}`);
    } finally {
      stop();
    }
  }

  async attach(targetId) {
    const { sessionId } = await this.send('Target.attachToTarget', { targetId, flatten: true });
    return new Page(this, sessionId, targetId);
  }

  close() {
    this.#socket.terminate();
  }
}

/** Watches the document until an expression is true, through a MutationObserver instead of a timer. */
const WATCH = `(condition) => new Promise((resolve) => {
  const look = () => {
    let found;
    try { found = condition(); } catch { return; }
    if (!found) return;
    observer.disconnect();
    for (const name of events) document.removeEventListener(name, look, true);
    resolve(found === true ? true : JSON.parse(JSON.stringify(found)));
  };
  const events = ['input', 'load', 'focusin', 'scroll'];
  const observer = new MutationObserver(look);
  observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  for (const name of events) document.addEventListener(name, look, true);
  look();
})`;

/** One attached target. */
export class Page {
  constructor(client, sessionId, targetId) {
    this.client = client;
    this.sessionId = sessionId;
    this.targetId = targetId;
  }

  send(method, params = {}) {
    return this.client.send(method, params, this.sessionId);
  }

  /** Returns the value of an expression; awaits a promise, and rejects on an exception. */
  async evaluate(expression) {
    const { result, exceptionDetails } = await this.send('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
      userGesture: true,
    });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  /**
   * Resolves with the first truthy value of an expression: now, after a change of the document, or in the next
   * document.
   */
  waitFor(expression, words = expression) {
    const params = { expression: `(${WATCH})(() => (${expression}))`, awaitPromise: true, returnByValue: true };
    const gone = () => `(gone: ${this.client.ends.get(this.targetId) ?? 'it does not answer'})`;
    const watch = async () => {
      for (;;) {
        try {
          return (await this.client.call('Runtime.evaluate', params, this.sessionId)).result.value;
        } catch (error) {
          // The page navigated to another document while it was watched.
          if (/context was destroyed|Cannot find (default execution )?context|navigated or closed/.test(error.message)) continue;
          error.message += ` ${gone()}`;
          throw error;
        }
      }
    };
    const told = async () => `not seen: ${words}. The page reads:\n${await this.text().catch(gone)}`;
    return within(watch(), told);
  }

  text() {
    return this.evaluate('document.body.innerText');
  }

  /**
   * Clicks the middle of an element with real input events once it stands still and nothing covers it; clicks again if
   * it moved away before the press.
   */
  async click(selector) {
    const find = `document.querySelector(${JSON.stringify(selector)})`;
    for (let tries = 1; ; tries += 1) {
      await this.waitFor(`${find}?.checkVisibility()`, `an element ${selector}`);
      const { x, y } = await this.evaluate(`new Promise((resolve) => {
        let last = '';
        let looks = 0;
        const look = () => {
          looks += 1;
          const element = ${find};
          element?.scrollIntoView({ block: 'center', behavior: 'instant' });
          const box = element?.getBoundingClientRect();
          const at = box ? { x: box.x + box.width / 2, y: box.y + box.height / 2 } : { x: 0, y: 0 };
          const hit = element?.getRootNode().elementFromPoint(at.x, at.y);
          const place = JSON.stringify(at);
          // One that moves on or that another covers is pressed in the end: that may be what a test is about.
          if (box?.width && place === last && element.contains(hit) || looks > 60) {
            globalThis.pressed = undefined;
            // The page may have drawn the same thing again meanwhile.
            const note = (event) => { globalThis.pressed = [element, ${find}].some((one) => event.composedPath().includes(one)); };
            document.addEventListener('pointerdown', note, { capture: true, once: true });
            resolve(at);
          } else {
            last = place;
            setTimeout(look, 16);
          }
        };
        look();
      })`);
      for (const type of ['mousePressed', 'mouseReleased']) {
        await this.send('Input.dispatchMouseEvent', { type, x, y, button: 'left', clickCount: 1 });
      }
      if (tries === 3 || (await this.evaluate('globalThis.pressed !== false').catch(() => true))) return;
    }
  }

  insert(text) {
    return this.send('Input.insertText', { text });
  }

  async press(key, { code = key, text = undefined, keyCode = 0 } = {}) {
    const about = { key, code, windowsVirtualKeyCode: keyCode, nativeVirtualKeyCode: keyCode };
    await this.send('Input.dispatchKeyEvent', { type: text ? 'keyDown' : 'rawKeyDown', text, ...about });
    await this.send('Input.dispatchKeyEvent', { type: 'keyUp', ...about });
  }

  enter() {
    return this.press('Enter', { text: '\r', keyCode: 13 });
  }
}
