/* A gstack with an agent, and its panel beside a page with a form. */
import { Site } from './site.mjs';
import { TestHome } from './home.mjs';

export class AgentPanel {
  /**
   * Starts it. `install(home)` makes an agent the default before gstack starts, and returns what `stop` ends with it. The home is
   * permanent, as Codex needs it.
   */
  static async start(install) {
    const started = new AgentPanel();
    started.home = new TestHome({ permanent: true });
    try {
      started.site = await Site.start();
      started.agent = await install(started.home);
      await started.home.connect(['--headless', `${started.site.origin}/form`]);
      started.client = await started.home.devtools();
      started.panel = await started.home.panel(started.client);
      await started.panel.connected();
    } catch (error) {
      await started.stop();
      throw error;
    }
    return started;
  }

  /** Ends everything; returns the commands of the processes that had to be ended by force. */
  async stop() {
    const left = await this.home.stop();
    await this.site?.stop();
    this.agent?.stop();
    return left.map((one) => one.command.join(' '));
  }
}
