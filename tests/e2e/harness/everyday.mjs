/*
 * A browser that gstack did not start: a person's own, with the extension loaded and the host registered by
 * `gstack install-host`. The test holds its DevTools pipe, as nobody does in real life, only to load the extension.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DevTools } from './devtools.mjs';
import { EXTENSION_ID } from './home.mjs';
import { Panel } from './panel.mjs';
import { until, within } from './wait.mjs';

export class Everyday {
  /** Starts one beside the browser of `home`; both share the home's daemon. */
  static async start(home) {
    const everyday = new Everyday();
    const profile = path.join(home.folder, 'everyday');
    mkdirSync(path.join(profile, 'Default'), { recursive: true });
    writeFileSync(path.join(profile, 'Default/Preferences'), JSON.stringify({ extensions: { ui: { developer_mode: true } } }));
    await home.ok(['install-host', '--user-data-dir', profile]);
    everyday.child = spawn(home.environment.GSTACK_BROWSER_PATH, [
      '--headless=new', `--user-data-dir=${profile}`, '--remote-debugging-pipe', '--enable-unsafe-extension-debugging',
      ...(process.getuid() === 0 ? ['--no-sandbox'] : []), 'about:blank',
    ], { env: home.environment, stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
    await everyday.#load(path.join(home.home, 'extension'));
    const file = path.join(profile, 'DevToolsActivePort');
    await until(() => existsSync(file), 'the everyday browser has no DevTools port');
    const [port, address] = readFileSync(file, 'utf8').split('\n');
    everyday.client = await DevTools.connect(`ws://127.0.0.1:${port}${address}`);
    return everyday;
  }

  #load(folder) {
    const [, , , input, output] = this.child.stdio;
    input.on('error', () => {});
    input.write(`${JSON.stringify({ id: 1, method: 'Extensions.loadUnpacked', params: { path: folder } })}\0`);
    let text = '';
    const loaded = new Promise((resolve, reject) => output.on('data', (data) => {
      text += data;
      const answer = text.split('\0').slice(0, -1).map((one) => JSON.parse(one)).find((one) => one.id === 1);
      if (answer?.error) reject(new Error(answer.error.message));
      else if (answer) resolve(answer.result.id);
    }));
    return within(loaded, 'the extension was not loaded');
  }

  /** The panel's page in a tab of its own: Chrome opens the real panel only on a person's click. */
  async panel() {
    const { targetId } = await this.client.send('Target.createTarget', { url: `chrome-extension://${EXTENSION_ID}/sidepanel.html` });
    return new Panel(await this.client.attach(targetId));
  }

  stop() {
    this.client?.close();
    this.child.kill('SIGKILL');
  }
}
