/*
 * A complete scene: its own gstack with an agent that the test plays, a site, a browser, its page and its side panel.
 */
import assert from 'node:assert/strict';
import { TestHome } from './home.mjs';
import { Site } from './site.mjs';
import { StandIn } from './stand-in.mjs';
import { until } from './wait.mjs';

export class Scene {
  /**
   * Opens a browser at `path` of the test's site, on a display if one is given; resolves when the panel is connected.
   */
  static async open({ at = '/form', agent = true, home: options = {}, display = undefined } = {}) {
    const scene = new Scene();
    scene.home = new TestHome(display ? { ...options, environment: { ...options.environment, DISPLAY: display.name } } : options);
    try {
      scene.site = await Site.start();
      if (agent) scene.agent = await StandIn.install(scene.home);
      scene.connected = await scene.home.connect([
        display ? '--headed' : '--headless',
        `${scene.site.origin}${at}`,
        ...(display ? ['--', '--window-position=0,0', '--window-size=1280,800'] : []),
      ]);
      scene.client = await scene.home.devtools();
      scene.page = await scene.home.page(scene.client, scene.site.origin);
      scene.panel = await scene.home.panel(scene.client);
      await scene.panel.connected();
      return scene;
    } catch (error) {
      error.message += `\n${scene.home.log()}`;
      await scene.close().catch(() => {});
      throw error;
    }
  }

  /** Finds the current panel after the previous one closed. */
  async panelAgain() {
    await this.client.gone(this.panel.page.targetId, 'the side panel');
    this.panel = await this.home.panel(this.client);
    await this.panel.connected();
    return this.panel;
  }

  /** Closes the test's own CDP connection. */
  async lookAway() {
    this.looked = this.panel.page.targetId;
    await this.client.close();
  }

  /** Connects again, and waits for a panel other than the previous one. */
  async lookAgain() {
    this.client = await this.home.devtools();
    this.page = await this.home.page(this.client, this.site.origin);
    await this.client.gone(this.looked, 'the side panel');
    this.panel = await this.home.panel(this.client);
    await this.panel.connected();
  }

  /** Sends a message and returns the turn that it starts. */
  async ask(text) {
    await this.panel.say(text);
    const turn = await this.agent.prompt().catch(async (error) => {
      error.message += `\nThe panel reads:\n${await this.panel.page.evaluate('document.body.innerText')}\n${this.home.log()}`;
      throw error;
    });
    assert.ok(turn.prompt.includes(text), 'the agent is given the words');
    return turn;
  }

  /** Runs a complete turn: a message and its answer. */
  async talk(text, answer) {
    const turn = await this.ask(text);
    turn.say(answer);
    turn.end();
    await this.panel.seen('answer', answer);
    await this.panel.gone('stop');
  }

  /** Returns the only waiting approval. */
  approval() {
    return until(async () => {
      const { approvals } = await this.home.json('approvals');
      return approvals.length === 1 && approvals[0];
    }, 'one approval waits');
  }

  async close() {
    this.agent?.stop();
    const forced = await this.home.stop();
    await this.site?.stop();
    assert.deepEqual(
      forced.map((one) => one.command.join(' ')),
      [],
      'no process had to be ended by force',
    );
  }
}
