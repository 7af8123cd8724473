/*
 * Where a limited browser may not go, a page that tries every way there that we know, and the site of that page. The same page
 * in a browser without a list shows that each way leads there.
 */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';

export const LOOPBACK = '127.0.0.1';

/** Other ports of the page's host. Counts by what arrived. */
export class Elsewhere {
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
export const BY_ITSELF = [
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
export const WITHOUT_LIST = ['stun', 'turn'];
/** What runs in the page at `/running`, and asks elsewhere for `/NAME` and `/NAME-socket` again and again. */
export const RUNNING = ['running-page', 'running-worker', 'running-shared-worker', 'running-service-worker'];
/** Those that need a click: which element, and the path that its click asks for. */
export const CLICKS = { '#link': '/link', '#blank': '/blank', '#popup': '/popup', '#form button': '/form', '#redirect': '/top-redirected' };

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

/** The page's requests keep its service worker alive. */
const KEPT_ALIVE = `
  addEventListener('install', () => skipWaiting());
  addEventListener('activate', (event) => event.waitUntil(clients.claim()));
  addEventListener('fetch', () => {});`;

/** What runs in the page at `/running`. Each tells its server `NAME` after both of its requests have failed. */
const running = ({ origin, port }, name) => `
  ${name === 'running-service-worker' ? KEPT_ALIVE : ''}
  (async () => {
    for (;;) {
      const socket = new Promise((ended) => {
        const made = new WebSocket('ws://localhost:${port}/${name}-socket');
        made.onerror = made.onclose = ended;
      });
      const keepalive = ${name !== 'running-shared-worker'};
      const failed = await fetch('${origin}/${name}', { mode: 'no-cors', keepalive }).then(() => false, () => true);
      await socket;
      if (failed) await fetch('/done?${name}');
      await new Promise((passed) => setTimeout(passed, 100));
    }
  })();`;
const runningPage = (elsewhere) => `<!doctype html><title>Running</title><script>
  new Worker('/running-worker.js');
  new SharedWorker('/running-shared-worker.js');
  navigator.serviceWorker.register('/running-service-worker.js');
  ${running(elsewhere, 'running-page')}
</script>`;

/** A page that asks for `/tick-NAME` elsewhere again and again, and tells its server `NAME` when that is stopped. A message ends it. */
const ticking = ({ origin }, name) => `<!doctype html><title>Ticking</title><script>
  let goesOn = true;
  addEventListener('message', () => { goesOn = false; });
  (async () => {
    while (goesOn) {
      await fetch('${origin}/tick-${name}', { mode: 'no-cors' }).catch(() => fetch('/done?${name}'));
      await new Promise((passed) => setTimeout(passed, 50));
    }
    fetch('/done?${name}-ended');
  })();
</script>`;

/** A page that sends its last words elsewhere when it is left, and then tells its server `NAME`. */
const leaving = ({ origin }, name) => `<!doctype html><title>Leaving</title><script>
  addEventListener('pagehide', () => {
    navigator.sendBeacon('${origin}/beacon-of-${name}');
    fetch('${origin}/kept-alive-by-${name}', { mode: 'no-cors', keepalive: true });
    navigator.sendBeacon('/done?${name}');
  });
</script>`;

/**
 * The page's own site: the page at `/`, `/running`, `/ticking?NAME`, `/leaving?NAME`, and empty pages at other paths.
 * `done` has what its pages and workers have told: the workers whose requests have ended, what was stopped and what was left.
 */
export async function inside(elsewhere, done) {
  const server = createServer((request, response) => {
    const { pathname, search } = new URL(request.url, 'http://inside');
    if (pathname === '/to') {
      response.writeHead(302, { location: `${elsewhere.origin}${search.slice(1)}` });
      return response.end();
    }
    if (pathname === '/done') done.add(search.slice(1));
    const script = pathname.match(/^\/(.*)\.js$/)?.[1];
    response.setHeader('content-type', script ? 'text/javascript' : 'text/html');
    if (script) return response.end((RUNNING.includes(script) ? running : worker)(elsewhere, script));
    if (pathname === '/running') return response.end(runningPage(elsewhere));
    if (pathname === '/leaving') return response.end(leaving(elsewhere, search.slice(1)));
    if (pathname === '/ticking') return response.end(ticking(elsewhere, search.slice(1)));
    response.end(pathname === '/' ? page(elsewhere) : '');
  });
  await listening(server, 0, LOOPBACK);
  return server;
}
