/*
 * A person's everyday browser, driven by way of the extension in it: no pipe and no port of gstack's.
 */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { Everyday } from './harness/everyday.mjs';
import { TestHome } from './harness/home.mjs';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Site } from './harness/site.mjs';
import { StandIn } from './harness/stand-in.mjs';
import { until } from './harness/wait.mjs';

const words = (result) => result.content.map((one) => one.text ?? '').join('\n');

/** A home without a browser of its own, and an everyday browser at a page of the test's site with its side panel open. */
class Scene {
  static async open({ at = '/form', settings = '[browser]\nlet-go-seconds = 1\n' } = {}) {
    const scene = new Scene();
    scene.home = new TestHome();
    try {
      mkdirSync(scene.home.home, { mode: 0o700 });
      writeFileSync(path.join(scene.home.home, 'config.toml'), settings, { mode: 0o600 });
      scene.site = await Site.start();
      scene.agent = await StandIn.install(scene.home);
      scene.browser = await Everyday.start(scene.home, { url: `${scene.site.origin}${at}` });
      scene.page = await scene.browser.page(scene.site.origin);
      scene.panel = await scene.browser.sidePanel();
      return scene;
    } catch (error) {
      error.message += `\n${scene.home.log()}`;
      await scene.close().catch(() => {});
      throw error;
    }
  }

  async ask(text) {
    await this.panel.say(text);
    const turn = await this.agent.prompt();
    assert.ok(turn.prompt.includes(text));
    return turn;
  }

  /** What the agent may do is asked once and allowed for the conversation. */
  async allowed(doing) {
    await this.panel.answer('conversation');
    return doing;
  }

  /** The tab's number as the terminal knows it. */
  async tab(url) {
    const tabs = JSON.parse(await this.home.ok(['tabs', '--json'])).data;
    return tabs.find((one) => one.url.startsWith(`${this.site.origin}${url}`)).id;
  }

  letGo() {
    return until(async () => (await this.browser.attached()).length === 0, 'the tab is let go of');
  }

  async close() {
    this.agent?.stop();
    this.browser?.stop();
    const forced = await this.home.stop();
    await this.site?.stop();
    assert.deepEqual(forced.map((one) => one.command.join(' ')), [], 'no process had to be ended by force');
  }
}

describe('a conversation in an everyday browser', () => {
  let scene;
  before(async () => { scene = await Scene.open(); });
  afterEach(async () => {
    scene.agent.settle();
    await scene.panel.gone('stop');
  });
  after(() => scene?.close());

  test('the agent reads, fills and clicks in that tab, asked as everywhere; nothing is attached before and soon after', async () => {
    const { panel, page, browser } = scene;
    assert.deepEqual(await browser.attached(), [], 'an open panel attaches to nothing');
    const turn = await scene.ask('Order for Ada');
    const seen = words(await turn.tool('snapshot', { interactive: true }));
    assert.match(seen, /\[textbox\] "Name"/);
    assert.equal((await browser.attached()).length, 1);
    const name = /@e\d+(?= \[textbox\] "Name")/.exec(seen)[0];
    const filling = turn.tool('fill', { selector: name, value: 'Ada' });
    await panel.seen('approval', 'Name');
    assert.equal(await page.evaluate('document.querySelector("#name").value'), '', 'nothing happens before the answer');
    assert.ok(!(await scene.allowed(filling)).isError);
    const button = /@e\d+(?= \[button\] "Order now")/.exec(seen)[0];
    assert.match(words(await turn.tool('click', { selector: button })), /Clicked/);
    assert.equal(await page.waitFor('document.querySelector("#said").textContent'), 'Ordered by Ada');
    assert.match(words(await turn.tool('text', {})), /Ordered by Ada/);
    const shot = await turn.tool('screenshot', {});
    assert.equal(shot.content.find((one) => one.type === 'image')?.mimeType, 'image/png', JSON.stringify(shot).slice(0, 300));
    const going = await turn.tool('goto', { url: `${scene.site.origin}/long` });
    assert.match(words(going), /Navigated to/);
    turn.end();
    await panel.gone('stop');
    await scene.letGo();
    await page.send('Page.navigate', { url: `${scene.site.origin}/form` });
  });

  test('a page that the agent opens is among its tabs, and reached by its number', async () => {
    const turn = await scene.ask('open another');
    await turn.tool('goto', { url: `${scene.site.origin}/opens` });
    await turn.tool('click', { selector: '#open' });
    const popup = await scene.browser.page(`${scene.site.origin}/form`);
    const number = await until(() => scene.tab('/form').catch(() => undefined), 'the popup is listed');
    const info = async () => JSON.parse(await scene.home.ok(['sessions', '--json']));
    await until(async () => JSON.stringify(await info()).includes(`"tabId":${number}`), 'the popup is in the set');
    await scene.home.ok(['fill', '#name', 'Bea', '--tab', String(number)]);
    assert.equal(await popup.evaluate('document.querySelector("#name").value'), 'Bea');
    turn.end();
    await scene.home.ok(['closetab', String(number), '--tab', String(number)]);
    await scene.browser.client.gone(popup.targetId, 'the popup');
  });

  test('a frame in a process of its own is part of the page', async () => {
    const turn = await scene.ask('count');
    await turn.tool('goto', { url: `${scene.site.origin}/framed` });
    await turn.tool('wait', { target: '--networkidle' });
    const seen = words(await turn.tool('snapshot', {}));
    const button = /@e\d+(?= \[button\] "Add one")/.exec(seen)?.[0];
    assert.ok(button, seen);
    assert.match(words(await turn.tool('click', { selector: button })), /Clicked/);
    assert.match(words(await turn.tool('snapshot', {})), /Add one[\s\S]*1/);
    turn.end();
  });
});
