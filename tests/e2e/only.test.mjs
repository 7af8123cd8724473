/*
 * `gstack policy only`: a browser that reaches some sites and no other, whatever a page tries. The other site is a second
 * port of the same host, at which nothing may arrive. The same page in a browser that may go there shows that each way
 * leads there.
 */
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { Everyday } from './harness/everyday.mjs';
import { TestHome } from './harness/home.mjs';
import { until } from './harness/wait.mjs';

const LOOPBACK = '127.0.0.1';

/** Other ports of the page's host. Counts by what arrived. */
class Elsewhere {
  arrived = new Set();
  closing = [];

  async start() {
    this.port = await this.#web(0, LOOPBACK);
    // The same port for IPv6, where this machine has it.
    this.hasIpv6 = await this.#web(this.port, '::1').then(Boolean, () => false);
    this.turnPort = await this.#tcp('turn');
    this.preconnectPort = await this.#tcp('preconnect');
    this.stunPort = await this.#udp('stun');
    this.transportPort = await this.#udp('transport');
    this.origin = `http://localhost:${this.port}`;
  }

  async #web(port, host) {
    const server = createServer((request, response) => {
      this.arrived.add(request.url);
      response.setHeader('access-control-allow-origin', '*');
      response.setHeader('content-type', 'text/html');
      response.end('<title>Elsewhere</title>');
    });
    server.on('upgrade', (request, socket) => {
      this.arrived.add(request.url);
      socket.destroy();
    });
    await listening(server, port, host);
    this.closing.push(() => {
      server.closeAllConnections();
      server.close();
    });
    return server.address().port;
  }

  async #tcp(name) {
    const server = createTcpServer((socket) => {
      this.arrived.add(name);
      socket.destroy();
    });
    await listening(server, 0, LOOPBACK);
    this.closing.push(() => server.close());
    return server.address().port;
  }

  async #udp(name) {
    const socket = createSocket('udp4');
    socket.on('message', () => this.arrived.add(name));
    socket.bind(0, LOOPBACK);
    await once(socket, 'listening');
    this.closing.push(() => socket.close());
    return socket.address().port;
  }

  stop() {
    for (const close of this.closing) close();
  }
}

/** Waits until a server listens. Fails if it can't. */
function listening(server, port, host) {
  server.listen(port, host);
  return once(server, 'listening');
}

/** Every way out of a page by itself that we know. Each asks for a path of its own. */
const BY_ITSELF = [
  '/image',
  '/script',
  '/style',
  '/frame',
  '/frame-redirected',
  '/image-redirected',
  '/fetch',
  '/fetch-redirected',
  '/xhr',
  '/beacon',
  '/socket',
  '/events',
  '/worker',
  '/worker-socket',
  '/nested-worker',
  '/shared-worker',
  '/shared-worker-socket',
  '/service-worker',
  '/service-worker-socket',
  '/prefetch',
  '/speculated',
  '/number',
  '/short',
  'preconnect',
  'transport',
];
/** The ways that a browser with any list closes, so that only one without a list shows them. */
const WITHOUT_LIST = ['stun', 'turn'];
/** The ways that only resolver rules close: the browser can pause no such request. */
const WITHOUT_RULES = [
  ...WITHOUT_LIST,
  'preconnect',
  'transport',
  '/speculated',
  ...['/socket', '/worker-socket', '/nested-worker-socket'],
  ...['/shared-worker', '/shared-worker-socket', '/service-worker', '/service-worker-socket'],
];
/** Those that need a click. */
const CLICKS = { '#link': '/link', '#blank': '/blank', '#popup': '/popup', '#form button': '/form', '#redirect': '/top-redirected' };

const page = (elsewhere) => {
  const { origin, port } = elsewhere;
  return `<!doctype html><title>Inside</title>
  <link rel="preconnect" href="http://localhost:${elsewhere.preconnectPort}"><link rel="dns-prefetch" href="${origin}">
  <link rel="prefetch" href="${origin}/prefetch"><link rel="stylesheet" href="${origin}/style">
  <script type="speculationrules">{"prefetch": [{"urls": ["${origin}/speculated"], "eagerness": "immediate"}]}</script>
  <img src="${origin}/image"><img src="/to?/image-redirected">
  <iframe src="${origin}/frame"></iframe><iframe src="/to?/frame-redirected"></iframe>
  <a id="link" href="${origin}/link">Elsewhere</a> <a id="blank" target="_blank" href="${origin}/blank">Elsewhere</a>
  <a id="redirect" href="/to?/top-redirected">Elsewhere</a> <button id="popup" onclick="window.open('${origin}/popup')">Elsewhere</button>
  <form id="form" method="post" action="${origin}/form"><button>Send</button></form>
  <script src="${origin}/script" async></script>
  <script>
    const quiet = (act) => { try { Promise.resolve(act()).catch(() => {}); } catch {} };
    const noCors = { mode: 'no-cors' };
    quiet(() => fetch('${origin}/fetch', noCors));
    quiet(() => fetch('/to?/fetch-redirected', noCors));
    quiet(() => fetch('http://2130706433:${port}/number', noCors));
    quiet(() => fetch('http://127.1:${port}/short', noCors));
    quiet(() => fetch('http://[::1]:${port}/six', noCors));
    quiet(() => { const request = new XMLHttpRequest(); request.open('GET', '${origin}/xhr'); request.send(); });
    quiet(() => navigator.sendBeacon('${origin}/beacon'));
    quiet(() => new WebSocket('ws://localhost:${port}/socket'));
    quiet(() => new EventSource('${origin}/events'));
    quiet(() => new Worker('/worker.js'));
    quiet(() => new SharedWorker('/shared-worker.js'));
    quiet(() => navigator.serviceWorker.register('/service-worker.js'));
    quiet(() => new WebTransport('https://${LOOPBACK}:${elsewhere.transportPort}/').closed);
    quiet(async () => {
      const servers = [
        { urls: 'stun:${LOOPBACK}:${elsewhere.stunPort}' },
        { urls: 'turn:${LOOPBACK}:${elsewhere.turnPort}?transport=tcp', username: 'u', credential: 'c' },
      ];
      const peer = new RTCPeerConnection({ iceServers: servers });
      peer.createDataChannel('data');
      peer.onicegatheringstatechange = () => { document.documentElement.dataset.ice = peer.iceGatheringState; };
      await peer.setLocalDescription(await peer.createOffer());
    });
  </script>`;
};

/** What the page's workers run. Each is done when both of its requests have ended, which it tells its server. */
const worker = ({ origin, port }, name) => `
  const socket = new Promise((ended) => { new WebSocket('ws://localhost:${port}/${name}-socket').onerror = ended; });
  const fetched = fetch('${origin}/${name}', { mode: 'no-cors' }).catch(() => {});
  ${name === 'worker' ? "new Worker('/nested-worker.js');" : ''}
  Promise.all([socket, fetched]).then(() => fetch('/done?${name}'));`;

/** The page's own site. `done` has the workers whose requests have ended. */
async function inside(elsewhere, done) {
  const server = createServer((request, response) => {
    const { pathname, search } = new URL(request.url, 'http://inside');
    if (pathname === '/to') {
      response.writeHead(302, { location: `${elsewhere.origin}${search.slice(1)}` });
      return response.end();
    }
    if (pathname === '/done') done.add(search.slice(1));
    const script = pathname.match(/^\/(.*)\.js$/)?.[1];
    response.setHeader('content-type', script ? 'text/javascript' : 'text/html');
    response.end(script ? worker(elsewhere, script) : pathname === '/' ? page(elsewhere) : '');
  });
  await listening(server, 0, LOOPBACK);
  return server;
}

describe('a browser that reaches only some sites', () => {
  let elsewhere;
  let server;
  let url;
  let own;
  const done = new Set();
  before(async () => {
    elsewhere = new Elsewhere();
    await elsewhere.start();
    server = await inside(elsewhere, done);
    own = server.address().port;
    url = `http://localhost:${own}/`;
  });
  after(() => {
    server?.closeAllConnections();
    server?.close();
    elsewhere?.stop();
  });

  const paths = () => [...BY_ITSELF, ...(elsewhere.hasIpv6 ? ['/six'] : [])];
  const arrive = (wanted) =>
    until(
      () => wanted.every((path) => elsewhere.arrived.has(path)),
      () => `all of them arrive; missing: ${wanted.filter((path) => !elsewhere.arrived.has(path))}`,
    );

  /** Tries every way that needs a click. Each click is carried out, wherever it leads. */
  async function clickAll(home, clicked) {
    for (const [selector, path] of Object.entries(CLICKS)) {
      await home.ok(['goto', url]);
      assert.match(await home.ok(['click', selector]), /^Clicked/, selector);
      await clicked(path);
    }
  }

  test('without a list the page reaches the other port in each of these ways', async () => {
    const home = new TestHome({ port: false });
    try {
      await home.connect(['--headless', url]);
      await arrive([...paths(), ...WITHOUT_LIST]);
      await clickAll(home, (path) => arrive([path]));
    } finally {
      assert.deepEqual(await home.stop(), [], 'nothing is left behind');
    }
  });

  test('with the other port on the list the page reaches it in each way but WebRTC', async () => {
    elsewhere.arrived.clear();
    const home = new TestHome({ port: false });
    try {
      const { port, preconnectPort, transportPort } = elsewhere;
      const local = [own, port, preconnectPort].map((one) => `localhost:${one}`);
      const numeric = [`${LOOPBACK}:${port}`, `[::1]:${port}`, `${LOOPBACK}:${transportPort}`];
      await home.ok(['policy', 'only', ...[...local, ...numeric].flatMap((site) => ['--site', site])]);
      await home.connect(['--headless', url]);
      await arrive(paths());
      await clickAll(home, (path) => arrive([path]));
      await home.ok(['goto', `${elsewhere.origin}/goto`]);
      await arrive(['/goto']);
    } finally {
      assert.deepEqual(await home.stop(), [], 'nothing is left behind');
    }
  });

  test('with a list nothing arrives there, by the page, by commands, after a restart of the daemon', async () => {
    elsewhere.arrived.clear();
    const home = new TestHome({ port: false });
    const only = `localhost:${own}`;
    try {
      assert.match(await home.ok(['policy', 'only', only]), new RegExp(`next browser reaches only ${only}\\.`));
      done.clear();
      await home.connect(['--headless', url]);
      assert.match(await home.ok(['policy', 'only']), new RegExp(`^The browser reaches only ${only}\\.`));
      assert.match(await home.ok(['status']), new RegExp(`^Only: ${only}$`, 'm'));
      assert.equal((await home.json('status')).onlySites, only);
      // The page has tried all of it once its slowest ways have ended.
      await home.ok(['wait', '--fn', "document.documentElement.dataset.ice === 'complete'", '--timeout', '60000']);
      await until(
        () => done.size === 4,
        () => `the workers have tried: ${[...done]}`,
      );
      for (const args of [
        ['goto', `${elsewhere.origin}/goto`],
        ['newtab', `${elsewhere.origin}/newtab`],
        ['diff', url, `${elsewhere.origin}/diff`],
      ]) {
        const refused = await home.run(args);
        assert.equal(refused.code, 1, args[0]);
        assert.match(refused.stderr, new RegExp(`may reach only ${only}, not localhost:${elsewhere.port}`), args[0]);
      }
      const script = `fetch('${elsewhere.origin}/js').then(() => 'arrived', (error) => error.name)`;
      assert.equal((await home.ok(['js', script])).trim(), 'TypeError');
      assert.notEqual((await home.run(['download', `${elsewhere.origin}/download`, 'file'])).code, 0);
      await clickAll(home, async () => {});
      await home.kill(await home.only('daemon'));
      await home.ok(['goto', url]);
      assert.match(await home.ok(['status']), new RegExp(`^Only: ${only}$`, 'm'), 'the browser is still limited, and known to be');
      assert.equal((await home.run(['goto', elsewhere.origin])).code, 1);
      await home.ok(['disconnect']);
      for (const args of [['--everyday'], ['--attach', 'http://127.0.0.1:9']]) {
        const refused = await home.run(['connect', ...args]);
        assert.match(refused.stderr, /only gstack's own browser can be limited/, args[0]);
      }
      await home.ok(['connect', '--headless']);
      assert.match(await home.ok(['status']), /^URL: about:blank$/m, 'the welcome page is not among the sites');
      assert.deepEqual([...elsewhere.arrived], []);
    } finally {
      assert.deepEqual(await home.stop(), [], 'nothing is left behind');
    }
  });

  test('a list that is set while the browser is open stops at once what its pages request', async () => {
    const home = new TestHome({ port: false });
    try {
      await home.connect(['--headless', `${url}quiet`]);
      await home.ok(['text']);
      const script = `fetch('${elsewhere.origin}/js', { mode: 'no-cors' }).then(() => 'arrived', (error) => error.name)`;
      assert.equal((await home.ok(['js', script])).trim(), 'arrived');
      const tick = `fetch('${elsewhere.origin}/tick', { mode: 'no-cors' }).catch(() => fetch('/done?stopped'))`;
      await home.ok(['js', `setInterval(() => ${tick}, 200); 0`]);
      await until(() => elsewhere.arrived.has('/tick'), 'the page asks by itself');
      const said = await home.ok(['policy', 'only', `localhost:${own}`]);
      await until(() => done.has('stopped'), 'the page is stopped before any command');
      assert.match(said, /pages that gstack uses, open only addresses on both lists from now on/);
      elsewhere.arrived.clear();
      done.clear();
      assert.equal((await home.ok(['js', script])).trim(), 'TypeError');
      await home.ok(['goto', url]);
      await until(
        () => done.size === 4,
        () => `the workers have tried: ${[...done]}`,
      );
      assert.match((await home.run(['download', `${elsewhere.origin}/download`, 'file'])).stderr, /may reach only/);
      assert.match((await home.run(['download', `${url}to?/downloaded`, 'file'])).stderr, /gstack does not open/);
      await clickAll(home, async () => {});
      assert.deepEqual(
        [...elsewhere.arrived].filter((path) => !WITHOUT_RULES.includes(path)),
        [],
      );
      await home.ok(['policy', 'only', `localhost:${own}`, '--site', `localhost:${elsewhere.port}`]);
      await home.ok(['goto', `${url}quiet`]);
      assert.equal((await home.ok(['js', script])).trim(), 'arrived', 'the list was widened');
      await home.ok(['policy', 'only', '--off']);
      await home.ok(['goto', `${elsewhere.origin}/goto`]);
      assert.equal((await home.ok(['js', script])).trim(), 'arrived', 'the list was removed');
    } finally {
      assert.deepEqual(await home.stop(), [], 'nothing is left behind');
    }
  });

  test('an everyday browser cannot be limited, so nothing acts in it while a list is set', async () => {
    const home = new TestHome();
    let everyday;
    try {
      everyday = await Everyday.start(home);
      await home.ok(['connect', '--everyday']);
      await home.ok(['newtab', `${url}quiet`]);
      await home.ok(['text']);
      await home.ok(['policy', 'only', `localhost:${own}`]);
      for (const args of [
        ['goto', `${url}quiet`],
        ['newtab', `${url}quiet`],
        ['js', '1'],
        ['click', 'a'],
        ['cdp', '--everyday'],
      ]) {
        const refused = await home.run(args);
        assert.notEqual(refused.code, 0, args[0]);
        assert.match(refused.stderr, /only gstack's own browser can be limited/, args[0]);
        assert.match(refused.stderr, /gstack policy only --off/, args[0]);
      }
      assert.match(await home.ok(['status']), /^Only: every site in the open browser; the configuration says localhost:/m);
      assert.match((await home.run(['doctor'])).stdout, /cannot be held, so nothing acts in it/);
      await home.ok(['policy', 'only', '--off']);
      await home.ok(['goto', `${url}quiet`]);
    } finally {
      await everyday?.stop();
      assert.deepEqual(await home.stop(), [], 'nothing is left behind');
    }
  });

  test('arguments of the browser that would lift the limit are left out, and that is said', async () => {
    elsewhere.arrived.clear();
    const home = new TestHome({ port: false });
    try {
      await home.ok(['policy', 'only', `localhost:${own}`]);
      const lifting = [
        '--host-resolver-rules=EXCLUDE localhost',
        '-host-resolver-rules=MAP other.test 127.0.0.1',
        `--proxy-server=http://127.0.0.1:${elsewhere.port}`,
        '--',
      ];
      const said = await home.connect(['--headless', url, '--', ...lifting]);
      assert.match(said, /Ignored these browser arguments.*--host-resolver-rules, -host-resolver-rules, --proxy-server, --\./);
      for (const address of [`${elsewhere.origin}/js`, `http://other.test:${elsewhere.port}/js`]) {
        const script = `fetch('${address}').then(() => 'arrived', (error) => error.name)`;
        assert.equal((await home.ok(['js', script])).trim(), 'TypeError', address);
      }
      assert.deepEqual([...elsewhere.arrived], []);
    } finally {
      assert.deepEqual(await home.stop(), [], 'nothing is left behind');
    }
  });

  test('a list is checked when it is set, and says when it applies', async () => {
    const home = new TestHome({ port: false });
    try {
      await home.connect(['--headless', url]);
      for (const [site, said] of [
        ['https://shop.example/', /is not a site/],
        ['*', /is not a site/],
        ['*.internal', /metadata service/],
        ['*.shop.example:443', /limits the ports of many hosts/],
        ['shop.example:0', /is not a site/],
      ]) {
        const refused = await home.run(['policy', 'only', site]);
        assert.equal(refused.code, 2, site);
        assert.match(refused.stderr, said, site);
      }
      assert.match(await home.ok(['policy', 'only']), /^The browser reaches every site\./);
      const set = await home.ok(['policy', 'only', 'shop.example,*.shop.example']);
      assert.match(set, /next browser reaches only shop\.example, \*\.shop\.example\. The open one reaches every site until/);
      assert.match(await home.ok(['status']), /^Only: every site in the open browser; the configuration says shop\.example,/m);
      assert.match((await home.run(['doctor'])).stdout, /the open browser main reaches every site, but the configuration says only shop/);
      assert.match((await home.run(['goto', url])).stderr, /may reach only shop\.example, \*\.shop\.example, not localhost/);
      const asked = ['policy', 'explain', 'look', '--site'];
      const explained = async (site) => JSON.parse(await home.ok([...asked, site, '--json']));
      assert.equal((await explained('www.shop.example')).verdict, 'runs');
      const refused = await explained('other.example');
      assert.deepEqual([refused.verdict, refused.onlySites], ['refused', 'shop.example, *.shop.example']);
      assert.match(await home.ok([...asked, 'other.example']), /Refused\. The allow-list leaves this site out/);
      const all = JSON.parse(await home.ok(['policy', 'explain', '--site', 'other.example', '--json']));
      const verdicts = Object.fromEntries(all.map(({ action, explained }) => [action, explained.verdict]));
      assert.deepEqual([verdicts.click, verdicts.look, verdicts.shell, verdicts.cookies], ['refused', 'refused', 'asks', 'not-offered']);
      assert.equal((await home.ok(['settings', 'get', 'browser.only-sites'])).trim(), 'shop.example, *.shop.example');
      assert.match(await home.ok(['policy', 'only', '--off']), /^The browser reaches every site\./);
    } finally {
      assert.deepEqual(await home.stop(), [], 'nothing is left behind');
    }
  });
});
