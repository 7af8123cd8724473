/*
 * A browser that gstack did not start: a person's own, with the extension loaded and the host registered by `gstack
 * install-host`. The test holds its CDP pipe, which no real setup has, to load the extension and to click its button;
 * gstack never sees that pipe.
 */
import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DevTools } from './devtools.mjs';
import { EXTENSION_ID, granting, isPanel, UNSEEN } from './home.mjs';
import { Panel } from './panel.mjs';
import { until, within } from './wait.mjs';

export class Everyday {
  #next = 1;
  #waiting = new Map();

  /** Starts one beside the browser of `home`; all share the home's daemon. Each name is a profile. */
  static async start(home, { name = 'everyday', url = 'about:blank', display = undefined, confirm = true, permissions = [] } = {}) {
    const everyday = new Everyday();
    const profile = path.join(home.folder, name);
    mkdirSync(path.join(profile, 'Default'), { recursive: true });
    const extensions = { ui: { developer_mode: true }, ...(permissions.length > 0 && { settings: granting(permissions) }) };
    writeFileSync(path.join(profile, 'Default/Preferences'), JSON.stringify({ extensions }));
    await home.ok(['install-host', '--user-data-dir', profile]);
    everyday.child = spawn(
      home.environment.GSTACK_BROWSER_PATH,
      [
        ...(display ? ['--no-first-run', '--window-position=0,0', '--window-size=1280,800'] : ['--headless=new']),
        ...UNSEEN,
        `--user-data-dir=${profile}`,
        '--remote-debugging-pipe',
        '--enable-unsafe-extension-debugging',
        ...(process.getuid() === 0 ? ['--no-sandbox'] : []),
        url,
      ],
      { env: { ...home.environment, ...(display && { DISPLAY: display.name }) }, stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] },
    );
    everyday.#listen();
    await everyday.#send('Extensions.loadUnpacked', { path: path.join(home.home, 'extension') });
    const file = path.join(profile, 'DevToolsActivePort');
    await until(() => existsSync(file), 'the everyday browser has no DevTools port');
    const [port, address] = readFileSync(file, 'utf8').split('\n');
    everyday.client = await DevTools.connect(`ws://127.0.0.1:${port}${address}`);
    if (confirm) await everyday.confirm(home);
    return everyday;
  }

  /** Loads another extension beside ours; it acts in pages that load from then on. */
  load(folder) {
    return this.#send('Extensions.loadUnpacked', { path: folder });
  }

  /** Confirms this browser as the person, as its side panel asks; the panel that was opened for it is closed again. */
  async confirm(home) {
    const { targetId } = await this.client.send('Target.createTarget', {
      url: `chrome-extension://${EXTENSION_ID}/sidepanel.html`,
      background: true,
    });
    const page = await this.client.attach(targetId);
    const code = await until(
      () => page.evaluate(`document.body?.innerText.match(/gstack panels confirm ([A-Z]{6})/)?.[1]`).catch(() => undefined),
      'the panel shows no code',
    );
    await this.client.send('Target.closeTarget', { targetId });
    await home.ok(['panels', 'confirm', code]);
  }

  #listen() {
    const [, , , input, output] = this.child.stdio;
    input.on('error', () => {});
    let text = '';
    output.on('data', (data) => {
      text += data;
      const parts = text.split('\0');
      text = parts.pop();
      for (const answer of parts.map((one) => JSON.parse(one))) {
        const { resolve, reject } = this.#waiting.get(answer.id) ?? {};
        this.#waiting.delete(answer.id);
        if (answer.error) reject?.(new Error(answer.error.message));
        else resolve?.(answer.result);
      }
    });
  }

  #send(method, params) {
    const id = this.#next++;
    const answered = new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    this.child.stdio[3].write(`${JSON.stringify({ id, method, params })}\0`);
    return within(answered, `${method} was not answered`);
  }

  /** Opens the panel's page in its own tab: Chrome opens the real panel only on a person's click. */
  async panel() {
    const { targetId } = await this.client.send('Target.createTarget', { url: `chrome-extension://${EXTENSION_ID}/sidepanel.html` });
    return new Panel(await this.client.attach(targetId));
  }

  /** Opens the real side panel by a click on the extension's button; it shows the tab in view. */
  async sidePanel() {
    await this.inWorker('true');
    const { targetInfos } = await this.#send('Target.getTargets', { filter: [{ type: 'tab' }] });
    await this.#send('Extensions.triggerAction', { id: EXTENSION_ID, targetId: targetInfos[0].targetId });
    const target = await this.client.target(isPanel, 'the side panel');
    const panel = new Panel(await this.client.attach(target.targetId));
    await panel.connected();
    return panel;
  }

  /** Opens a page in a visible tab. */
  async open(url) {
    const { targetId } = await this.client.send('Target.createTarget', { url });
    const page = await this.client.attach(targetId);
    await until(
      () => page.evaluate('location.href !== "about:blank" && document.readyState === "complete"').catch(() => false),
      `${url} is not loaded`,
    );
    return page;
  }

  /** Finds the page whose URL starts with this text. */
  async page(url) {
    const target = await this.client.target((one) => one.type === 'page' && one.url.startsWith(url), `a page ${url}`);
    return this.client.attach(target.targetId);
  }

  /**
   * Returns the value of an expression in the extension's worker, once its script has run. Detaches afterwards, because
   * an attached client would keep the worker alive.
   */
  async inWorker(expression) {
    const target = await this.client.target((one) => one.type === 'service_worker' && one.url.includes(EXTENSION_ID), 'the worker');
    const worker = await this.client.attach(target.targetId);
    await until(() => worker.evaluate('typeof chrome === "object" && Boolean(chrome.tabs)'), 'the worker has no script');
    const value = await worker.evaluate(expression);
    await this.client.send('Target.detachFromTarget', { sessionId: worker.sessionId });
    return value;
  }

  /** Returns the URLs of the tabs that the extension is attached to. */
  async attached() {
    // The tests' own client is attached too, and Chrome does not distinguish them. The extension can send commands only
    // to its own tabs.
    return this.inWorker(`(async () => {
      const found = [];
      for (const { tabId, type, url } of await chrome.debugger.getTargets()) {
        if (type !== 'page' || tabId === undefined) continue;
        const ours = await chrome.debugger.sendCommand({ tabId }, 'Runtime.getIsolateId').then(() => true, () => false);
        if (ours) found.push(url);
      }
      return found;
    })()`);
  }

  async stop() {
    this.client?.close();
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await ended;
  }
}
