/*
 * `gstack policy only`: a browser that reaches some sites and no other, whatever a page tries. The other site is a second
 * listener on loopback, for TCP and for UDP, at which nothing may arrive. The same page in a browser without the limit shows
 * that each way leads there.
 */
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { TestHome } from './harness/home.mjs';
import { until } from './harness/wait.mjs';

/** Listens on loopback and counts by what arrived. */
class Elsewhere {
  arrived = new Set();

  async start() {
    this.server = createServer((request, response) => {
      this.arrived.add(request.url);
      response.setHeader('access-control-allow-origin', '*');
      response.setHeader('content-type', 'text/html');
      response.end('<title>Elsewhere</title>');
    });
    this.server.on('connection', () => this.arrived.add('tcp'));
    this.server.on('upgrade', (request, socket) => {
      this.arrived.add(request.url);
      socket.destroy();
    });
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    this.port = this.server.address().port;
    this.udp = createSocket('udp4');
    this.udp.on('message', () => this.arrived.add('udp'));
    this.udp.bind(0, '127.0.0.1');
    await once(this.udp, 'listening');
    this.udpPort = this.udp.address().port;
    this.origin = `http://127.0.0.1:${this.port}`;
  }

  stop() {
    this.udp.close();
    this.server.closeAllConnections();
    this.server.close();
  }
}

/** Every way out of a page that we know. Each asks for a path of its own. */
const PATHS = ['/image', '/frame', '/redirected', '/fetch', '/beacon', '/socket', '/worker', '/worker-socket', '/number', '/short'];
const page = ({ origin, port, udpPort }) => `<!doctype html><title>Inside</title>
  <link rel="preconnect" href="${origin}"><link rel="dns-prefetch" href="${origin}"><link rel="prefetch" href="${origin}/prefetch">
  <script type="speculationrules">{"prerender": [{"urls": ["${origin}/prerender"]}]}</script>
  <img src="${origin}/image"><iframe src="${origin}/frame"></iframe><iframe src="/redirect"></iframe>
  <a id="link" href="${origin}/link">Elsewhere</a> <a id="blank" target="_blank" href="${origin}/blank">Elsewhere</a>
  <form id="form" method="post" action="${origin}/form"><button>Send</button></form>
  <script>
    const quiet = (act) => { try { Promise.resolve(act()).catch(() => {}); } catch {} };
    quiet(() => fetch('${origin}/fetch', { mode: 'no-cors' }));
    quiet(() => fetch('http://2130706433:${port}/number', { mode: 'no-cors' }));
    quiet(() => fetch('http://127.1:${port}/short', { mode: 'no-cors' }));
    quiet(() => navigator.sendBeacon('${origin}/beacon'));
    quiet(() => new WebSocket('ws://127.0.0.1:${port}/socket'));
    quiet(() => new EventSource('${origin}/events'));
    quiet(() => new Worker('/worker.js'));
    quiet(() => window.open('${origin}/popup'));
    quiet(() => new WebTransport('https://127.0.0.1:${udpPort}/transport').closed);
    quiet(async () => {
      const servers = [
        { urls: 'stun:127.0.0.1:${udpPort}' },
        { urls: 'turn:127.0.0.1:${port}?transport=tcp', username: 'u', credential: 'c' },
      ];
      const peer = new RTCPeerConnection({ iceServers: servers });
      peer.createDataChannel('data');
      peer.onicegatheringstatechange = () => { document.documentElement.dataset.ice = peer.iceGatheringState; };
      await peer.setLocalDescription(await peer.createOffer());
    });
  </script>`;

const inside = async (elsewhere) => {
  const server = createServer((request, response) => {
    if (request.url === '/redirect') {
      response.writeHead(302, { location: `${elsewhere.origin}/redirected` });
      return response.end();
    }
    if (request.url === '/worker.js') {
      response.setHeader('content-type', 'text/javascript');
      return response.end(`fetch('${elsewhere.origin}/worker', { mode: 'no-cors' }).catch(() => {});
        new WebSocket('ws://127.0.0.1:${elsewhere.port}/worker-socket').onerror = () => postMessage('done');`);
    }
    response.setHeader('content-type', 'text/html');
    response.end(page(elsewhere));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
};

describe('a browser that reaches only some sites', () => {
  let elsewhere;
  let server;
  let url;
  before(async () => {
    elsewhere = new Elsewhere();
    await elsewhere.start();
    server = await inside(elsewhere);
    url = `http://localhost:${server.address().port}/`;
  });
  after(() => {
    server?.closeAllConnections();
    server?.close();
    elsewhere?.stop();
  });

  test('without a list the page reaches the other site in each of these ways', async () => {
    const home = new TestHome({ port: false });
    try {
      await home.connect(['--headless', url]);
      await until(
        () => [...PATHS, 'udp', 'tcp'].every((path) => elsewhere.arrived.has(path)),
        () => `all of them: ${[...elsewhere.arrived]}`,
      );
    } finally {
      assert.deepEqual(await home.stop(), [], 'nothing is left behind');
    }
  });

  test('with a list nothing arrives there, by the page, by commands, after a restart of the daemon', async () => {
    elsewhere.arrived.clear();
    const home = new TestHome({ port: false });
    try {
      assert.match(await home.ok(['policy', 'only', 'localhost']), /next browser reaches only localhost/);
      await home.connect(['--headless', url]);
      assert.match(await home.ok(['policy', 'only']), /^The browser reaches only localhost\./);
      assert.match(await home.ok(['status']), /^Only: localhost$/m);
      assert.equal((await home.json('status')).onlySites, 'localhost');
      // The page has tried all of it once its slowest ways have ended.
      await home.ok(['wait', '--fn', "document.documentElement.dataset.ice === 'complete'", '--timeout', '60000']);
      for (const args of [
        ['goto', `${elsewhere.origin}/goto`],
        ['newtab', `${elsewhere.origin}/newtab`],
        ['diff', url, `${elsewhere.origin}/diff`],
      ]) {
        const refused = await home.run(args);
        assert.equal(refused.code, 1, args[0]);
        assert.match(refused.stderr, /may reach only localhost, not 127\.0\.0\.1/, args[0]);
      }
      const script = `fetch('${elsewhere.origin}/js').then(() => 'arrived', (error) => error.name)`;
      assert.equal((await home.ok(['js', script])).trim(), 'TypeError');
      await home.run(['download', `${elsewhere.origin}/download`, 'file']);
      for (const selector of ['#link', '#blank', '#form button']) {
        await home.ok(['goto', url]);
        await home.run(['click', selector]);
      }
      await home.kill(await home.only('daemon'));
      await home.ok(['goto', url]);
      assert.match(await home.ok(['status']), /^Only: localhost$/m, 'the browser is still limited, and known to be');
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

  test('arguments of the browser that would lift the limit are left out, and that is said', async () => {
    elsewhere.arrived.clear();
    const home = new TestHome({ port: false });
    try {
      await home.ok(['policy', 'only', 'localhost']);
      const lifting = [
        '--host-resolver-rules=EXCLUDE 127.0.0.1',
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
      ]) {
        const refused = await home.run(['policy', 'only', site]);
        assert.equal(refused.code, 2, site);
        assert.match(refused.stderr, said, site);
      }
      assert.match(await home.ok(['policy', 'only']), /^The browser reaches every site\./);
      const set = await home.ok(['policy', 'only', 'shop.example,*.shop.example']);
      assert.match(set, /next browser reaches only shop\.example, \*\.shop\.example\. The open one reaches every site/);
      assert.equal((await home.ok(['settings', 'get', 'browser.only-sites'])).trim(), 'shop.example, *.shop.example');
      assert.match(await home.ok(['policy', 'only', '--off']), /^The browser reaches every site\./);
    } finally {
      assert.deepEqual(await home.stop(), [], 'nothing is left behind');
    }
  });
});
