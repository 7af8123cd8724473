/* A person's everyday browser, driven through its extension, without a pipe or port of gstack's. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import { Everyday } from './harness/everyday.mjs';
import { TestHome } from './harness/home.mjs';
import { seen, visible } from './harness/marks.mjs';
import { Site } from './harness/site.mjs';
import { StandIn, words } from './harness/stand-in.mjs';
import { until } from './harness/wait.mjs';

/** A home without its own browser, and an everyday browser at a page of the test's site with its side panel open. */
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

  /** Approves the agent's action once for the whole conversation. */
  async allowed(doing) {
    await this.panel.answer('conversation');
    return doing;
  }

  /** Returns the tab's number as the terminal shows it. */
  async tab(url) {
    let found;
    await until(async () => {
      const tabs = JSON.parse(await this.home.ok(['tabs', '--json'])).data;
      found = tabs.find((one) => one.url.startsWith(`${this.site.origin}${url}`));
      return Boolean(found);
    }, `the tab of ${url} is listed`);
    return found.id;
  }

  /** Does what Chrome does when the person presses Cancel in its debugging bar. */
  async cancel() {
    await this.browser.inWorker(`(async () => {
      for (const { tabId, type } of await chrome.debugger.getTargets()) {
        if (type !== 'page' || tabId === undefined) continue;
        const ours = await chrome.debugger.detach({ tabId }).then(() => true, () => false);
        if (ours) chrome.debugger.onDetach.dispatch({ tabId }, 'canceled_by_user');
      }
    })()`);
  }

  /** Navigates as the person does. */
  async visit(where) {
    await this.page.send('Page.navigate', { url: `${this.site.origin}${where}` });
    const there = `location.pathname === ${JSON.stringify(where)} && document.readyState === 'complete'`;
    await until(() => this.page.evaluate(there).catch(() => false), `the page is at ${where}`);
  }

  letGo() {
    return until(async () => (await this.browser.attached()).length === 0, 'the tab is let go of');
  }

  async close() {
    this.agent?.stop();
    this.browser?.stop();
    const forced = await this.home.stop();
    await this.site?.stop();
    assert.deepEqual(
      forced.map((one) => one.command.join(' ')),
      [],
      'no process had to be ended by force',
    );
  }
}

describe('a conversation in an everyday browser', () => {
  let scene;
  before(async () => {
    scene = await Scene.open();
  });
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
    // Submitting the form is a scope of its own.
    const ordering = turn.tool('click', { selector: button });
    await scene.panel.answer('once');
    assert.match(words(await ordering), /Clicked/);
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

  test('its cursor and pill are in the page, and the refs that the debug drawer shows keep the tab for as long', async () => {
    const { panel, page, browser } = scene;
    const debug = '.statusbar [aria-label=Debug]';
    await panel.page.click(debug);
    await panel.page.click('#debug-tab-refs');
    await scene.letGo();
    assert.deepEqual(await browser.attached(), [], 'an open drawer attaches to nothing');
    await panel.page.click('#debug-refs .drawer__tools .button');
    await panel.page.waitFor(`${visible('.ref-row')}.some((row) => row.innerText.includes('Order now'))`);
    await panel.page.click('#debug-refs .switch');
    await seen(page, 'ref');
    assert.equal((await browser.attached()).length, 1, 'the refs are shown');
    // Sending a message closes the drawer, which removes the refs.
    const turn = await scene.ask('press it');
    await seen(page, 'pill', 'Claude Code');
    const ordering = turn.tool('click', { selector: 'text=Order now' });
    await scene.panel.answer('once');
    await ordering;
    await seen(page, 'cursor');
    turn.end();
    await panel.gone('stop');
    await scene.letGo();
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
    await turn.tool('wait', { networkidle: true });
    const seen = words(await turn.tool('snapshot', {}));
    const button = /@e\d+(?= \[button\] "Add one")/.exec(seen)?.[0];
    assert.ok(button, seen);
    assert.match(words(await turn.tool('click', { selector: button })), /Clicked/);
    assert.match(words(await turn.tool('snapshot', {})), /Add one[\s\S]*1/);
    turn.end();
  });
});

describe('what may come between', () => {
  let scene;
  before(async () => {
    scene = await Scene.open({ settings: '' });
  });
  afterEach(async () => {
    scene.agent.settle();
    await scene.panel.gone('stop');
    await scene.visit('/form');
  });
  after(() => scene?.close());

  /** Opens the page, starts a click that does not settle by itself, and waits until it has arrived. */
  async function heldClick() {
    await scene.visit('/held-click');
    const turn = await scene.ask('press Go');
    const clicking = turn.tool('click', { selector: '#go' });
    await scene.panel.answer('once');
    await until(() => scene.site.asked.includes('GET /held'), 'the click has arrived');
    scene.site.asked.length = 0;
    return { turn, clicking };
  }

  test('Cancel in the bar ends the turn in words; nothing is attached again before the person acts', async () => {
    const { panel, browser } = scene;
    const { turn, clicking } = await heldClick();
    await scene.cancel();
    await turn.interrupted();
    assert.match(words(await clicking), /unknown whether/);
    await panel.gone('stop');
    await panel.page.waitFor(`document.body.innerText.includes('Cancel was pressed')`, 'the reason');
    const refused = await scene.home.run(['text', '--tab', String(await scene.tab('/held-click'))]);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /Cancel was pressed/);
    assert.deepEqual(await browser.attached(), []);
    const again = await scene.ask('read it');
    assert.match(words(await again.tool('text', {})), /Go/);
    again.end();
  });

  test("a tab that goes to a page of the browser's own is left, and is acted on again when it comes back", async () => {
    const turn = await scene.ask('wait for it');
    const waiting = turn.tool('wait', { selector: '#never' });
    await until(async () => (await scene.browser.attached()).length === 1, 'the tab is attached to');
    await scene.page.send('Page.navigate', { url: 'chrome://version/' });
    assert.match(words(await waiting), /can.t access/);
    assert.match(words(await turn.tool('snapshot', {})), /can.t access/);
    const going = turn.tool('goto', { url: `${scene.site.origin}/counter` });
    await scene.panel.answer('once');
    assert.match(words(await going), /Navigated to/);
    assert.match(words(await turn.tool('text', {})), /Counter/);
    turn.end();
  });

  test('a tab that is closed in mid-command ends it at once, with what is not known', async () => {
    const { browser, site, home } = scene;
    const other = await browser.open(`${site.origin}/held-click`);
    const number = await until(() => scene.tab('/held-click').catch(() => undefined), 'the tab is listed');
    const clicking = home.run(['click', '#never', '--timeout', '60000', '--tab', String(number), '--json']);
    await until(async () => (await browser.attached()).some((url) => url.endsWith('/held-click')), 'the click waits for its element');
    await browser.client.send('Target.closeTarget', { targetId: other.targetId });
    const { code, stdout, stderr } = await clicking;
    assert.equal(code, 3, stdout + stderr);
    assert.match(stdout + stderr, /unknown whether/);
  });

  test('the worker is stopped in mid-command: unknown, then everything goes on with the same tab', async () => {
    const { browser, panel, home, site } = scene;
    await scene.visit('/counter');
    const number = await scene.tab('/counter');
    const worker = await browser.client.target((one) => one.type === 'service_worker', 'the worker');
    await panel.page.send('ServiceWorker.enable');
    const turn = await scene.ask('count the requests');
    const counting = turn.tool('js', { expression: `await fetch('/held')` });
    await panel.answer('once');
    // It has arrived, and lasts as long as the request.
    await until(() => site.asked.includes('GET /held'), 'the script runs in the page');
    site.asked.length = 0;
    await panel.page.send('ServiceWorker.stopAllWorkers');
    await browser.client.gone(worker.targetId, 'the worker');
    const cut = await counting;
    assert.match(words(cut), /unknown whether/, JSON.stringify(cut));
    await panel.connected();
    assert.equal(await scene.tab('/counter'), number);
    assert.match(words(await turn.tool('text', {})), /Counter/, 'the same turn reads again');
    turn.end();
    assert.match(await home.ok(['text', '--tab', String(number)]), /Counter/);
  });

  test('the host is killed: what was attached is let go of, and the next command attaches again', async () => {
    const { browser, panel, home } = scene;
    const number = await scene.tab('/form');
    await home.ok(['text', '--tab', String(number)]);
    assert.equal((await browser.attached()).length, 1, 'a terminal thinks between its commands');
    await home.kill(await home.only('host'));
    await until(async () => (await browser.attached()).length === 0, 'it is let go of');
    // A command during the break waited for it, instead of using another browser.
    assert.equal(await scene.tab('/form'), number);
    assert.match(await home.ok(['text', '--tab', String(number)]), /Order/);
    await panel.connected();
    assert.deepEqual(home.processes('browser-keeper'), []);
  });

  test('quick actions work on the tab in view, also after Cancel', async () => {
    const { panel, home } = scene;
    const reading = ['text', '--tab', String(await scene.tab('/form'))];
    await home.ok(reading);
    await scene.cancel();
    await until(async () => /Cancel was pressed/.test((await home.run(reading)).stderr), 'gstack keeps out');
    const clicked = await panel.page.evaluate(`(() => {
      const button = [...document.querySelectorAll('button')].find((one) => one.textContent.includes('Clean up'));
      button.click();
      return button.textContent;
    })()`);
    assert.match(clicked, /Clean up/);
    await panel.page.waitFor(`/Nothing to clean up|Cleaned up/.test(document.body.innerText)`, 'what was cleaned up');
  });
});

describe('from a terminal', () => {
  let scene;
  before(async () => {
    scene = await Scene.open();
  });
  after(() => scene?.close());

  test('connect --everyday takes it into use; disconnect lets go and closes nothing', async () => {
    const { home, browser, site } = scene;
    assert.match(await home.ok(['connect', '--everyday']), /browser in use[\s\S]*your own browser, with your logins/);
    assert.equal((await home.status()).mode, 'everyday');
    assert.match(await home.ok(['snapshot', '-i']), /\[textbox\] "Name"/);
    assert.match(await home.ok(['newtab', `${site.origin}/counter`]), /Opened tab/);
    await home.ok(['click', 'text=Add one']);
    assert.match(await home.ok(['text']), /Counter[\s\S]*1/);
    await home.ok(['closetab']);
    await home.kill(await home.only('host'));
    assert.match(await home.ok(['text']), /Order/, 'it is in use again when its extension is back');
    await home.kill(await home.only('daemon'));
    assert.match(await home.ok(['text']), /Order/, 'a daemon that starts again goes on with it');
    assert.equal((await home.status()).mode, 'everyday');
    assert.deepEqual(home.processes('browser-keeper'), []);
    assert.match(await home.ok(['disconnect']), /still|open|goes on|let go/i);
    await scene.letGo();
    await browser.page(site.origin);
    const again = await home.run(['connect', '--everyday', '--headless']);
    assert.equal(again.code, 2);
  });

  test('what can not be done there is said before anything is attached', async () => {
    const tab = String(await scene.tab('/form'));
    for (const args of [
      ['cookies'],
      ['cookie', 'a=b'],
      ['state', 'save', 'x'],
      ['memory'],
      ['workers'],
      ['workers', 'stop'],
      ['cdp', 'Browser.getVersion'],
      ['cdp', 'ServiceWorker.enable'],
    ]) {
      const { code, stderr } = await scene.home.run([...args, '--tab', tab]);
      assert.equal(code, 1, args.join(' '));
      assert.match(stderr, /does not work in an everyday browser/, args.join(' '));
    }
    assert.deepEqual(await scene.browser.attached(), []);
  });

  test('a file that a click saves is named, in the folder of the person; another folder is refused in words', async () => {
    const tab = String(await scene.tab('/form'));
    await scene.home.ok([
      'js',
      `document.body.insertAdjacentHTML('beforeend', '<a id="save" download="note.txt" href="data:text/plain,hello">Save</a>'); 0`,
      '--tab',
      tab,
    ]);
    assert.match(await scene.home.ok(['click', '#save', '--tab', tab]), /Downloaded: note\.txt \(5 B\)/);
    assert.match(await scene.home.ok(['downloads', '--tab', tab]), /note\.txt \(5 B\)/);
    const { code, stderr } = await scene.home.run(['click', '#save', '--download-dir', '.', '--tab', tab]);
    assert.equal(code, 1);
    assert.match(stderr, /saves files in its own download folder/);
  });

  test('requests are listed, shown and answered here; the tab is taken off the network and brought back', async () => {
    const tab = String(await scene.tab('/form'));
    const inTab = (...args) => scene.home.ok([...args, '--tab', tab]);
    assert.match(await inTab('route', '**/made-up', '--status', '201', '--body', 'ours'), /Routed \*\*\/made-up → 201/);
    const asking = "fetch('/made-up').then(async (a) => a.status + ' ' + (await a.text())).catch(() => 'failed')";
    assert.match(await inTab('js', asking), /201 ours/);
    const [request] = JSON.parse(await inTab('network', 'list', '--filter', 'made-up', '--json')).data;
    assert.equal(request.status, 201);
    assert.match(await inTab('network', 'show', String(request.id)), /Response body:\nours/);
    await inTab('unroute');
    assert.match(await inTab('js', asking), /404/);
    await inTab('headers', 'set', '--site', new URL(scene.site.origin).host, 'X-Of-Ada: 1');
    assert.match(await inTab('headers', 'list'), /X-Of-Ada/);
    await inTab('headers', 'clear');
    await inTab('offline', 'on');
    assert.match(await inTab('js', asking), /failed/);
    await inTab('offline', 'off');
    await inTab('throttle', 'cpu', '2');
    await inTab('throttle', 'off');
    assert.match(await inTab('js', asking), /404/);
    await scene.home.ok(['connect', '--everyday']);
    await scene.home.ok(['disconnect']);
    await scene.letGo();
  });

  test('what a page is told is set here too, and what Chrome keeps from extensions is named', async () => {
    const tab = String(await scene.tab('/form'));
    const inTab = (...args) => scene.home.ok([...args, '--tab', tab]);
    for (const [what, ...value] of [
      ['timezone', 'Asia/Tokyo'],
      ['locale', 'de-DE'],
      ['color-scheme', 'dark'],
      ['geolocation', '52.5,13.4'],
      ['device', 'Pixel 7'],
    ]) {
      assert.match(await inTab('emulate', what, ...value), new RegExp(`^${what}: `), what);
    }
    const told = await inTab(
      'js',
      `[Intl.DateTimeFormat().resolvedOptions().timeZone, navigator.language,
        matchMedia('(prefers-color-scheme: dark)').matches, screen.width].join(' ')`,
    );
    assert.match(told, /Asia\/Tokyo de-DE true 412/);
    const { code, stderr } = await scene.home.run(['emulate', 'permissions', 'grant', 'geolocation', '--tab', tab]);
    assert.equal(code, 1);
    assert.match(stderr, /does not work in an everyday browser: Chrome does not let extensions set a site's permissions/);
    assert.match(await inTab('emulate', 'reset'), /Emulation is off/);
    assert.match(await inTab('emulate', 'list'), /nothing is emulated/);
    assert.match(await inTab('har', 'start', '--bodies'), /Recording requests/);
    await inTab('js', "fetch('/form').then((answer) => answer.text())");
    const { path: file, bodies } = JSON.parse(await inTab('har', 'stop', '--json')).data;
    assert.match(await inTab('init-script', 'add', 'window.early = 1'), /Added script 1/);
    await inTab('reload');
    assert.match(await inTab('js', 'window.early'), /1/);
    await inTab('init-script', 'remove');
    assert.match(await inTab('cache', 'off'), /Cache off/);
    await inTab('cache', 'on');
    const cleared = await scene.home.run(['cache', 'clear', '--tab', tab]);
    assert.match(cleared.stderr, /does not work in an everyday browser: gstack does not touch the cache of the person's own profile/);
    assert.match(await inTab('workers', 'bypass', 'on'), /Bypassing service workers on/);
    assert.match(await inTab('workers', 'bypass', 'off'), /Bypassing service workers off/);
    // axe-core comes in parts through the extension's port.
    const { passed, unfinished, engine } = JSON.parse(await inTab('audit-a11y', '--json')).data;
    assert.match(engine, /^axe-core 4\./);
    assert.deepEqual([unfinished, passed.includes('html-has-lang') || passed.includes('document-title')], [[], true]);
    assert.match(await inTab('mhtml'), /MHTML saved/);
    let played;
    // A busy machine shows it later.
    for (const pause of [700, 3000, 10_000]) {
      assert.match(await inTab('video', 'start', '--size', '96x64'), /Recording a video/);
      await inTab('js', `document.body.style.background = 'red'; new Promise((shown) => setTimeout(shown, ${pause}, 'shown'))`);
      const film = JSON.parse(await inTab('video', 'stop', '--json')).data;
      played = await inTab(
        'js',
        `(async () => {
          const video = document.createElement('video');
          const heard = (event) => new Promise((done, failed) => {
            video.addEventListener(event, done, { once: true });
            video.addEventListener('error', () => failed(new Error(video.error.message)), { once: true });
          });
          const loaded = heard('loadeddata');
          video.src = 'data:video/webm;base64,${readFileSync(film.path).toString('base64')}';
          await loaded;
          const sought = heard('seeked');
          video.currentTime = video.duration - 0.2;
          await sought;
          const brush = new OffscreenCanvas(96, 64).getContext('2d');
          brush.drawImage(video, 0, 0);
          const [red, green] = brush.getImageData(48, 30, 1, 1).data;
          const isLong = Math.abs(video.duration - ${film.seconds}) < 0.5 && video.duration > 0.6;
          return [video.videoWidth, video.videoHeight, isLong, red > 180 && green < 80].join(' ');
        })()`,
      );
      if (/ true true/.test(played)) break;
    }
    assert.match(played, /96 64 true true/);
    assert.ok(bodies >= 1 && JSON.parse(readFileSync(file, 'utf8')).log.entries.length >= 1);
  });

  test('what measures and compares a page runs here too, or names what Chrome keeps from extensions', async () => {
    const tab = String(await scene.tab('/form'));
    const inTab = (...args) => scene.home.ok([...args, '--tab', tab]);
    const refused = async (why, ...args) => {
      const { code, stderr } = await scene.home.run([...args, '--tab', tab]);
      assert.equal(code, 1, args.join(' '));
      assert.match(stderr, why, args.join(' '));
    };
    await refused(/does not work in an everyday browser/, 'trace', 'start');
    assert.match(await inTab('vitals'), /LCP[\s\S]*TTFB/);
    assert.match(await inTab('coverage', 'css', 'start'), /Recording which css is used/);
    await inTab('coverage', 'css', 'stop');
    await refused(/does not work in an everyday browser/, 'coverage', 'js', 'start');
    assert.match(await inTab('heap', 'usage'), /JavaScript: /);
    await refused(/does not work in an everyday browser/, 'heap', 'snapshot', 'a.heapsnapshot');
    await inTab('screenshot', 'before.png', '--viewport');
    await inTab('js', "document.body.style.background = 'lime'; 0");
    const { data } = JSON.parse(await inTab('diff-image', 'before.png', '--viewport', '--json'));
    assert.ok(data.different > 0 || data.pixels > 0, JSON.stringify(data));
    await refused(/React/, 'react-tree');
    await refused(/React/, 'react-component', '#name');
    await refused(/chrome:\/\/flags/, 'webmcp-list');
  });

  test('two everyday browsers and the one of connect keep apart', async () => {
    const { home, site, browser } = scene;
    await home.connect(['--headless', `${site.origin}/long`]);
    const second = await Everyday.start(home, { name: 'second', url: `${site.origin}/counter` });
    try {
      const counter = await until(() => scene.tab('/counter').catch(() => undefined), 'the second browser is listed');
      const form = await scene.tab('/form');
      const listed = await home.ok(['tabs']);
      assert.equal(listed.match(/Everyday browser/g).length, 2, listed);
      await Promise.all(Array.from({ length: 5 }, () => home.ok(['click', 'text=Add one', '--tab', String(counter)])));
      const [one, two, three] = await Promise.all([
        home.ok(['text', '--tab', String(form)]),
        home.ok(['text', '--tab', String(counter)]),
        home.ok(['text']),
      ]);
      assert.match(one, /Order/);
      assert.match(two, /Counter[\s\S]*5/);
      assert.match(three, /Long/);
      assert.equal((await second.attached()).length, 1);
      assert.equal((await browser.attached()).length, 1);
      assert.match((await home.run(['connect', '--everyday'])).stderr, /already driving another browser/);
    } finally {
      second.stop();
    }
    await until(async () => !(await home.ok(['tabs'])).includes('/counter'), 'its tabs are gone');
    assert.match(await home.ok(['text', '--tab', String(await scene.tab('/form'))]), /Order/);
  });
});

describe('what Chrome and other extensions do to tabs', () => {
  let scene;
  before(async () => {
    scene = await Scene.open();
    await scene.browser.load(path.resolve(import.meta.dirname, '../fixtures/other-extension'));
    await scene.home.ok(['connect', '--everyday']);
  });
  after(() => scene?.close());

  /** Detaches at once: a terminal's tab stays attached for minutes. */
  const letGo = async () => {
    await scene.home.ok(['disconnect']);
    await scene.letGo();
    await scene.home.ok(['connect', '--everyday']);
  };
  const frames = () => scene.page.evaluate('document.querySelectorAll("iframe").length');
  const visits = async (where) => {
    await scene.page.send('Page.navigate', { url: `${scene.site.origin}${where}` });
    const there = `location.href.endsWith(${JSON.stringify(where)}) && document.readyState === 'complete'`;
    await until(() => scene.page.evaluate(there).catch(() => false), `the page is at ${where}`);
  };

  test("a page with another extension's frame is read, and acted on if the person lets gstack set the frame aside", async () => {
    const { home, page } = scene;
    await visits('/form?frame-at-once');
    await until(async () => (await frames()) === 1, "the other extension's frame is there");
    assert.match(await home.ok(['text']), /Order[\s\S]*Another extension has put a frame/);
    for (const command of [
      ['fill', '#name', 'Ada'],
      ['snapshot', '-i'],
      ['screenshot', 'beside.png'],
      ['js', '1'],
    ]) {
      const refused = await home.run(command);
      assert.equal(refused.code, 1, refused.stdout);
      assert.match(refused.stderr, /another extension has put a frame into this page[\s\S]*set-frames-aside true/, command[0]);
    }
    assert.equal(await frames(), 1, 'the frame is left alone');
    // Named elements of the page must not hide its text or the frame.
    await page.evaluate(`document.body.insertAdjacentHTML('beforeend', '<img name=body><form name=querySelectorAll></form>')`);
    assert.match(await home.ok(['text']), /Order/);
    await home.ok(['settings', 'set', 'browser.set-frames-aside', 'true']);
    await home.ok(['fill', '#name', 'Ada']);
    await home.ok(['click', 'text=Order now']);
    assert.equal(await page.evaluate('said.textContent'), 'Ordered by Ada');
    // Neither the page nor a script of ours gets hold of the frame, and no command reaches its document.
    assert.match(await home.ok(['js', '[typeof gstackAside, frames.length].join()']), /^undefined,0$/m);
    assert.equal(await page.evaluate('typeof gstackAside'), 'undefined');
    assert.equal((await home.run(['frame', '--url', '^chrome-extension:'])).code, 1);
    await page.evaluate('document.forms.querySelectorAll.remove()');
    await letGo();
    await until(async () => (await frames()) === 1, 'the frame is back');
  });

  test('a press that brings such a frame is finished', async () => {
    const { home, page } = scene;
    await visits('/form?frame-on-focus');
    await page.evaluate(`globalThis.seen = []; for (const type of ['mousedown', 'mouseup', 'click'])
      document.querySelector('#name').addEventListener(type, () => seen.push(type))`);
    const clicked = await home.run(['click', '#name']);
    assert.ok(clicked.code === 0 || /unknown whether it took effect/.test(clicked.stderr), clicked.stderr);
    await until(async () => (await page.evaluate('seen.join()')) === 'mousedown,mouseup,click', 'the press is finished');
    await home.ok(['fill', '#name', 'Bea']);
    assert.equal(await page.evaluate('document.querySelector("#name").value'), 'Bea');
  });

  test('a command that only reads goes on when the host is killed; of one that acts the outcome is unknown', async () => {
    const { browser, home, page } = scene;
    await visits('/form');
    const number = String(await scene.tab('/form'));
    const cutOff = async (...args) => {
      await letGo();
      const running = home.run([...args, '--tab', number]);
      await until(async () => (await browser.attached()).length === 1, 'it runs');
      await home.kill(await home.only('host'));
      return { running };
    };
    const acting = await (await cutOff('js', 'await new Promise(() => {})')).running;
    assert.match(acting.stderr, /unknown whether/);
    assert.notEqual(acting.code, 0);
    await scene.tab('/form');
    const { running } = await cutOff('wait', '#late');
    await until(async () => (await home.status()).mode === 'everyday' && (await browser.attached()).length === 1, 'it runs again');
    await page.evaluate(`document.body.insertAdjacentHTML('beforeend', '<p id=late>late')`);
    const { code, stderr } = await running;
    assert.equal(code, 0, stderr);
  });

  test('a tab that Chrome discards keeps its number, and what is set for it', async () => {
    const { home, browser, site } = scene;
    await visits('/long');
    const number = String(await scene.tab('/long'));
    await home.ok(['useragent', 'Everyday/1', '--tab', number]);
    await browser.open(`${site.origin}/counter`);
    await letGo();
    const isOther = await browser.inWorker(`(async () => {
      const [tab] = await chrome.tabs.query({ url: '*://*/long' });
      const discarded = await chrome.tabs.discard(tab.id);
      return discarded.id !== tab.id;
    })()`);
    assert.ok(isOther, 'Chrome gives it another id');
    assert.equal(String(await scene.tab('/long')), number);
    await home.ok(['reload', '--tab', number]);
    assert.match(await home.ok(['js', 'navigator.userAgent', '--tab', number]), /Everyday\/1/);
  });

  test('an alert that is open already is said at once', async () => {
    const { home, browser, site } = scene;
    const page = await browser.open(`${site.origin}/cart`);
    const number = String(await scene.tab('/cart'));
    await letGo();
    // Only a client that has this on can answer.
    await page.send('Page.enable');
    await page.evaluate('setTimeout(() => alert("Hello"))');
    const { code, stderr } = await home.run(['text', '--tab', number]);
    assert.equal(code, 1);
    assert.match(stderr, /does not answer: it seems to show a dialog[\s\S]*Answer the dialog/);
    await page.send('Page.handleJavaScriptDialog', { accept: true });
    assert.match(await home.ok(['text', '--tab', number]), /Empty/);
  });
});

describe('an everyday browser that is in use and was closed', () => {
  let scene;
  before(async () => {
    scene = await Scene.open();
  });
  after(() => scene?.close());

  test('it is said to be away, and nothing is opened in its place before it is left', async () => {
    const { home, browser } = scene;
    await home.ok(['connect', '--everyday']);
    browser.stop();
    await until(async () => /Status: your everyday browser is not connected/.test(await home.ok(['status'])), 'it is away');
    const refused = await home.run(['text']);
    assert.equal(refused.code, 1, refused.stderr);
    assert.match(refused.stderr, /selected, but its extension is not connected[\s\S]*gstack disconnect/);
    assert.deepEqual(home.processes('browser-keeper'), []);
    await home.ok(['disconnect']);
    assert.match(await home.ok(['status']), /Status: no browser/);
  });
});
