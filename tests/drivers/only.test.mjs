/*
 * `gstack policy only` and CDP clients: what a client sends reaches no other site than those on the list, also if the list is set
 * or narrowed while the client is connected. The same commands without a list show that each of them leads there.
 */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { chromium } from 'playwright-core';
import { BY_ITSELF, CLICKS, Elsewhere, inside, LOOPBACK, WITHOUT_LIST } from '../e2e/harness/elsewhere.mjs';
import { TestHome } from '../e2e/harness/home.mjs';
import { until } from '../e2e/harness/wait.mjs';
import { Raw } from './raw.mjs';

/** A script and an image that ask for an address. */
const asks = (to) => `fetch('${to}', { mode: 'no-cors' }).catch(() => {}); 0`;
const image = (to) => `<img src="${to}">`;
/** The clicks that leave the page itself where it is. */
const OPENS_TAB = ['/blank', '/popup'];
const refusal = /the policy lets this browser reach only/;

/** The page of a raw CDP client. */
class Page {
  static async of(raw) {
    const page = new Page();
    Object.assign(page, { raw, ...(await raw.page()) });
    for (const domain of ['Page', 'Network', 'DOM', 'CSS']) await page.done(`${domain}.enable`);
    return page;
  }

  send(method, params = {}) {
    return this.raw.send(method, params, this.session);
  }

  /** Sends a command that must be carried out, and returns its result. */
  async done(method, params) {
    const { result, error } = await this.send(method, params);
    assert.ok(result, `${method}: ${error?.message}`);
    return result;
  }

  async evaluate(expression) {
    const done = await this.done('Runtime.evaluate', { expression, returnByValue: true, awaitPromise: true });
    assert.equal(done.exceptionDetails, undefined, expression);
    return done.result.value;
  }

  async opens(url) {
    await this.done('Page.navigate', { url });
    await until(async () => (await this.evaluate('location.href + document.readyState')) === `${url}complete`, `${url} is open`);
    this.frame = (await this.done('Page.getFrameTree')).frameTree.frame.id;
  }

  async node(selector) {
    const { root } = await this.done('DOM.getDocument');
    return (await this.done('DOM.querySelector', { nodeId: root.nodeId, selector })).nodeId;
  }

  /** Holds back a request of the page for this address, and returns its id. */
  async holds(url) {
    await this.done('Fetch.enable', { patterns: [{ urlPattern: url }] });
    const from = this.raw.events.length;
    await this.evaluate(asks(url));
    return (await this.event('Fetch.requestPaused', () => true, from)).requestId;
  }

  /** Waits for an event that fits, of those since `from`. */
  async event(name, fits, from = 0) {
    const found = ({ method, params, sessionId }) => method === name && sessionId === this.session && fits(params);
    return (await until(() => this.raw.events.slice(from).find(found), `${name} comes`)).params;
  }

  /** Waits until the browser reports that the page's request for this address has failed. */
  async failed(url) {
    const { requestId } = await this.event('Network.requestWillBeSent', ({ request }) => request.url === url);
    return this.event('Network.loadingFailed', (params) => params.requestId === requestId);
  }
}

/** What leads elsewhere by the command itself, by the path that arrives: sends it and returns the reply. */
const COMMANDS = {
  '/navigate': (page, to) => page.send('Page.navigate', { url: to }),
  '/navigate-frame': async (page, to) => {
    await page.evaluate(`document.body.innerHTML = '<iframe src="/quiet"></iframe>'; 0`);
    const frames = async () => (await page.done('Page.getFrameTree')).frameTree.childFrames;
    const [{ frame }] = await until(frames, 'the page has a frame');
    return page.send('Page.navigate', { url: to, frameId: frame.id });
  },
  '/create-target': (page, to) => page.raw.send('Target.createTarget', { url: to }),
  '/continue-request': async (page, to, own) => {
    const requestId = await page.holds(`${own}held`);
    const reply = await page.send('Fetch.continueRequest', { requestId, url: to });
    await page.done('Fetch.disable');
    return reply;
  },
};

/** What makes the page ask for the address, by the path that arrives. */
const OF_PAGE = {
  '/evaluate': (page, to) => page.evaluate(asks(to)),
  '/isolated-world': async (page, to) => {
    const { executionContextId: contextId } = await page.done('Page.createIsolatedWorld', { frameId: page.frame });
    await page.done('Runtime.evaluate', { contextId, expression: asks(to) });
  },
  '/document-content': (page, to) => page.done('Page.setDocumentContent', { frameId: page.frame, html: image(to) }),
  '/outer-html': async (page, to) => page.done('DOM.setOuterHTML', { nodeId: await page.node('body'), outerHTML: image(to) }),
  '/attribute': async (page, to) => {
    await page.evaluate(`document.body.innerHTML = '<img>'; 0`);
    await page.done('DOM.setAttributeValue', { nodeId: await page.node('img'), name: 'src', value: to });
  },
  '/style-sheet': async (page, to) => {
    const { styleSheetId } = await page.done('CSS.createStyleSheet', { frameId: page.frame });
    await page.done('CSS.setStyleSheetText', { styleSheetId, text: `html { background: url(${to}) }` });
  },
  '/script-of-documents': async (page, to) => {
    const { identifier } = await page.done('Page.addScriptToEvaluateOnNewDocument', { source: asks(to) });
    await page.opens(`${await page.evaluate('location.href')}?again`);
    await page.done('Page.removeScriptToEvaluateOnNewDocument', { identifier });
  },
  '/script-of-reload': (page, to) => page.done('Page.reload', { scriptToEvaluateOnLoad: asks(to) }),
  '/manifest': async (page, to) => {
    await page.evaluate(`document.head.innerHTML = '<link rel="manifest" href="${to}">'; 0`);
    await page.done('Page.getAppManifest');
  },
  '/redirected': (page, to, own) => page.done('Page.navigate', { url: `${own}to?${new URL(to).pathname}` }),
  '/fulfilled': async (page, to, own) => {
    const requestId = await page.holds(`${own}held`);
    const responseHeaders = [{ name: 'location', value: to }];
    await page.done('Fetch.fulfillRequest', { requestId, responseCode: 302, responseHeaders });
    await page.done('Fetch.disable');
  },
};

describe('CDP clients in a browser that reaches only some sites', () => {
  let elsewhere;
  let server;
  let own;
  let url;
  const done = new Set();

  before(async () => {
    elsewhere = new Elsewhere();
    await elsewhere.start();
    server = await inside(elsewhere, done);
    own = `localhost:${server.address().port}`;
    url = `http://${own}/`;
  });
  after(() => {
    server?.closeAllConnections();
    server?.close();
    elsewhere?.stop();
  });
  beforeEach(() => {
    elsewhere.arrived.clear();
    done.clear();
  });

  const paths = () => [...BY_ITSELF, ...(elsewhere.hasIpv6 ? ['/six'] : [])];
  const arrive = (wanted) =>
    until(
      () => wanted.every((path) => elsewhere.arrived.has(path)),
      () => `all of them arrive; missing: ${wanted.filter((path) => !elsewhere.arrived.has(path))}`,
    );
  const to = (path) => `${elsewhere.origin}${path}`;

  /** Runs `act` with a home whose browser is at the own site, and was started with these sites, if any. */
  async function browsing(sites, act) {
    const home = new TestHome();
    try {
      if (sites) await home.ok(['policy', 'only', ...sites]);
      await home.connect(['--headless', `${url}quiet`]);
      await act(home, async () => (await home.ok(['cdp'])).trim());
    } finally {
      assert.deepEqual(await home.stop(), [], 'nothing is left behind');
    }
  }

  /** Sends every command that leads elsewhere; each is refused, or what it makes the page ask for fails. */
  async function stopped(page) {
    for (const [path, way] of Object.entries(COMMANDS)) {
      await page.opens(`${url}quiet`);
      assert.match((await way(page, to(path), url)).error?.message ?? 'it was carried out', refusal, path);
    }
    for (const [path, way] of Object.entries(OF_PAGE)) {
      await page.opens(`${url}quiet`);
      const from = page.raw.events.length;
      await way(page, to(path), url);
      const asked = ({ request }) => request.url === to(path);
      const { requestId } = await page.event('Network.requestWillBeSent', asked, from);
      const failure = await page.event('Network.loadingFailed', (params) => params.requestId === requestId, from);
      assert.match(failure.errorText, /BLOCKED_BY_CLIENT|NAME_NOT_RESOLVED/, path);
    }
  }

  /** Does in Playwright what leads elsewhere, and returns the commands' errors. `tried` waits until the attempt of a path is over. */
  async function inPlaywright(address, tried) {
    const browser = await chromium.connectOverCDP(address);
    const [context] = browser.contexts();
    const [page] = context.pages();
    const errors = {};
    const attempt = async (name, act) => {
      errors[name] = await act().then(
        () => 'it was carried out',
        (error) => error.message,
      );
      await tried(name);
    };
    await page.goto(url);
    await tried('/', page);
    for (const [selector, path] of Object.entries(CLICKS)) {
      await page.goto(url);
      await page.click(selector);
      await tried(path);
      // It has left for there, or for the error page.
      if (!OPENS_TAB.includes(path)) await page.waitForURL((at) => at.href !== url, { waitUntil: 'commit' });
    }
    await page.goto(`${url}quiet`);
    await attempt('/goto', () => page.goto(to('/goto')));
    await attempt('/new-page', async () => (await context.newPage()).goto(to('/new-page')));
    await page.goto(`${url}quiet`);
    const routed = new Promise((resolve, reject) => {
      page.route('**/held', (route) => route.continue({ url: to('/routed') }).then(resolve, reject));
    });
    await page.evaluate(() => void fetch('/held', { mode: 'no-cors' }).catch(() => {}));
    // Playwright keeps the refusal of this one to itself.
    await attempt('/routed', () => routed);
    await browser.close();
    return errors;
  }

  test('without a list each command of a client leads elsewhere', () =>
    browsing(undefined, async (home, address) => {
      const page = await Page.of(await Raw.open(await address()));
      for (const [path, way] of Object.entries({ ...COMMANDS, ...OF_PAGE })) {
        await page.opens(`${url}quiet`);
        await way(page, to(path), url);
        await arrive([path]);
      }
      // A client may never send this one. The test's own connection shows where it would lead.
      const client = await home.devtools();
      const { targetId } = await client.target((one) => one.type === 'page' && one.url.startsWith(url), 'the page');
      const { sessionId } = await client.send('Target.attachToTarget', { targetId, flatten: true });
      const { frameTree } = await client.send('Page.getFrameTree', {}, sessionId);
      const options = { disableCache: true, includeCredentials: false };
      const resource = { frameId: frameTree.frame.id, url: to('/resource'), options };
      await client.send('Network.loadNetworkResource', resource, sessionId);
      await arrive(['/resource']);
      page.raw.socket.close();
    }));

  test('without a list a page reaches the other port in each of its ways when Playwright opens it, and so do its commands', () =>
    browsing(undefined, async (_, address) => {
      // A browser prefetches nothing for a page that a DevTools client watches.
      const all = [...paths(), ...WITHOUT_LIST].filter((path) => path !== '/speculated');
      const tried = (path) => arrive(path === '/' ? all : [path]);
      await inPlaywright(await address(), tried);
    }));

  test('with a list no command of a client leads elsewhere', () =>
    browsing([own], async (_, address) => {
      const page = await Page.of(await Raw.open(await address()));
      await stopped(page);
      await page.opens(`${url}quiet`);
      const resource = { frameId: page.frame, url: to('/resource'), options: { disableCache: true, includeCredentials: false } };
      assert.match((await page.send('Network.loadNetworkResource', resource)).error.message, /gstack does not offer/);
      assert.deepEqual([...elsewhere.arrived], []);
      page.raw.socket.close();
    }));

  /** Waits until the page's workers have tried their ways. */
  const hasTried = async (path) => {
    const all = ['worker', 'nested-worker', 'shared-worker', 'service-worker'];
    const isTried = () => path !== '/' || all.every((name) => done.has(name));
    await until(isTried, () => `the workers have tried: ${[...done]}`);
  };
  /** The same, and WebRTC, which a browser that was opened without a list does not stop. */
  const hasTriedAll = async (path, page) => {
    await hasTried(path);
    if (path === '/') await page.waitForFunction(() => document.documentElement.dataset.ice === 'complete');
  };

  test('with a list nothing arrives there when Playwright opens the page, clicks in it and navigates', () =>
    browsing([own], async (_, address) => {
      const errors = await inPlaywright(await address(), hasTriedAll);
      for (const path of ['/goto', '/new-page']) assert.match(errors[path], refusal, path);
      assert.deepEqual([...elsewhere.arrived], []);
    }));

  test('a list that is set while clients are connected stops at once what they send, and what their pages had begun', () =>
    browsing(undefined, async (home, address) => {
      const playwright = await address();
      const page = await Page.of(await Raw.open(await address()));
      await page.opens(to('/former'));
      await page.opens(`${url}ticking?page`);
      await page.evaluate(`
        const ticks = (name) => \`setInterval(() => fetch('${to('/tick-')}\${name}', { mode: 'no-cors' })
          .catch(() => fetch('${url}done?\${name}', { mode: 'no-cors' })), 100);\`;
        const work = (script) => \`new Worker(URL.createObjectURL(new Blob([\${JSON.stringify(script)}])));\`;
        eval(work(ticks('worker') + work(ticks('nested'))));
        const sources = ['/ticking?frame', 'http://${LOOPBACK}:${server.address().port}/ticking?foreign-frame'];
        document.body.innerHTML = sources.map((src) => '<iframe src="' + src + '"></iframe>').join(''); 0`);
      const begun = ['page', 'worker', 'nested', 'frame', 'foreign-frame'];
      await arrive(begun.map((name) => `/tick-${name}`));
      await home.ok(['policy', 'only', own, '--site', `${LOOPBACK}:${server.address().port}`]);
      const stops = async () => {
        done.clear();
        await until(
          () => begun.every((name) => done.has(name)),
          () => `all are stopped: ${[...done]}`,
        );
      };
      await stops();
      // What was on its way has arrived; each of them asks again.
      elsewhere.arrived.clear();
      await stops();
      assert.deepEqual([...elsewhere.arrived], []);
      // What a frame still asks for when it is left is another test.
      await page.evaluate(`for (const frame of document.querySelectorAll('iframe')) frame.contentWindow.postMessage(0, '*'); 0`);
      const ended = ['frame-ended', 'foreign-frame-ended'];
      await until(
        () => ended.every((name) => done.has(name)),
        () => `the frames have ended: ${[...done]}`,
      );
      const { entries } = await page.done('Page.getNavigationHistory');
      const former = entries.find((entry) => entry.url === to('/former'));
      assert.match((await page.send('Page.navigateToHistoryEntry', { entryId: former.id })).error.message, refusal);
      await stopped(page);
      assert.deepEqual([...elsewhere.arrived], []);
      done.clear();
      const errors = await inPlaywright(playwright, hasTried);
      for (const path of ['/goto', '/new-page']) assert.match(errors[path], refusal, path);
      assert.deepEqual([...elsewhere.arrived], []);
      page.raw.socket.close();
    }));

  test('a list that is narrowed holds for a connected client at once, and for all that its pages do after the next start', () =>
    browsing([own, elsewhere.origin.slice('http://'.length)], async (home, address) => {
      const client = await Raw.open(await address());
      const page = await Page.of(client);
      await page.opens(to('/on-the-list'));
      await page.opens(`${url}quiet`);
      await OF_PAGE['/evaluate'](page, to('/evaluate'));
      await arrive(['/evaluate']);
      const said = await home.ok(['policy', 'only', own]);
      assert.match(said, /^The browser reaches only localhost:\d+\. Connections/);
      elsewhere.arrived.clear();
      await stopped(page);
      assert.deepEqual([...elsewhere.arrived], []);
      await home.ok(['policy', 'only', own, '--site', elsewhere.origin.slice('http://'.length)]);
      await page.opens(`${url}quiet`);
      await OF_PAGE['/evaluate'](page, to('/evaluate'));
      await arrive(['/evaluate']);
      await home.ok(['policy', 'only', own]);
      await home.ok(['disconnect']);
      assert.match(await client.closed, /the browser ended/);
      await home.connect(['--headless', `${url}quiet`]);
      elsewhere.arrived.clear();
      await inPlaywright(await address(), hasTriedAll);
      assert.deepEqual([...elsewhere.arrived], []);
    }));

  test('a request that a client held back before the list was set does not go on, nor with what the client adds to it', () =>
    browsing(undefined, async (home, address) => {
      const page = await Page.of(await Raw.open(await address()));
      await page.opens(`${url}quiet`);
      const plain = await page.holds(to('/held'));
      const changed = await page.holds(to('/held-and-changed'));
      await home.ok(['policy', 'only', own]);
      await page.send('Fetch.continueRequest', { requestId: plain });
      const postData = Buffer.from('what was read since').toString('base64');
      await page.send('Fetch.continueRequest', { requestId: changed, method: 'POST', postData });
      for (const path of ['/held', '/held-and-changed']) {
        const { requestId } = await page.event('Network.requestWillBeSent', ({ request }) => request.url === to(path));
        const isOver = ({ method, params }) => /^Network\.loadingF(ailed|inished)$/.test(method) && params.requestId === requestId;
        await until(() => page.raw.events.some(isOver), `the request for ${path} is over`);
      }
      assert.deepEqual([...elsewhere.arrived], []);
      page.raw.socket.close();
    }));

  test('a page that a client brings back from memory asks for nothing', () =>
    browsing(undefined, async (home, address) => {
      const page = await Page.of(await Raw.open(await address()));
      await page.opens(to('/former'));
      await page.evaluate(`setInterval(() => fetch('/tick').catch(() => fetch('${url}done?former', { mode: 'no-cors' })), 100); 0`);
      await arrive(['/tick']);
      await page.opens(`${url}quiet`);
      await home.ok(['policy', 'only', own]);
      elsewhere.arrived.clear();
      await page.evaluate('history.back(); 0');
      const isOver = async () => {
        if (elsewhere.arrived.size > 0 || done.has('former')) return true;
        const { result } = await page.send('Runtime.evaluate', { expression: 'location.protocol' });
        return result?.result.value === 'chrome-error:';
      };
      await until(isOver, 'the page is stopped, or not opened');
      assert.deepEqual([...elsewhere.arrived], []);
      page.raw.socket.close();
    }));
});
