/*
 * The environment of a measurement: a separate gstack, its browser, the pages, and the clients to compare.
 * Everything is on loopback and in temp folders, and is removed at the end.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { TestHome } from '../tests/e2e/harness/home.mjs';
import { StandIn } from '../tests/e2e/harness/stand-in.mjs';
import { CommandSocket } from './command-socket.mjs';
import { Pages } from './pages.mjs';

export class Stage {
  home = new TestHome();

  /** @param {'builtin' | 'claude'} agent  the agent that answers; `claude` is the tests' stand-in for Claude Code */
  async open(agent) {
    try {
      mkdirSync(this.home.home, { mode: 0o700 });
      if (agent === 'claude') this.standIn = await StandIn.install(this.home);
      // The stand-in has written the table already.
      const config = path.join(this.home.home, 'config.toml');
      const settings = existsSync(config) ? readFileSync(config, 'utf8') : '[agents]\n';
      writeFileSync(config, settings.replace('[agents]\n', `[agents]\ndefault = "${agent}"\n`), { mode: 0o600 });
      this.pages = await Pages.start();
      await this.home.connect(['--headless', `${this.pages.origin}/`]);
      this.client = await this.home.devtools();
      this.page = await this.home.page(this.client, this.pages.origin);
      this.panel = await this.home.panel(this.client);
      await this.panel.connected();
      this.gstack = new CommandSocket(this.home.home);
    } catch (error) {
      error.message += `\n${this.home.log()}`;
      throw error;
    }
  }

  /** The address where other DevTools clients reach the same browser. */
  get devtoolsAddress() {
    const [port, address] = readFileSync(path.join(this.home.home, 'chromium-profile/DevToolsActivePort'), 'utf8').split('\n');
    return `ws://127.0.0.1:${port}${address}`;
  }

  async close() {
    this.gstack?.close();
    this.standIn?.stop();
    const forced = await this.home.stop();
    await this.pages?.stop();
    for (const one of forced) console.error(`had to be ended by force: ${one.command.join(' ')}`);
  }
}
