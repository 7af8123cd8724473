/* The proxy of a browser under test, for everything beyond this machine: serves nothing, and keeps the hosts that were asked for. */
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Hosts of Chrome's own services: it asks them whatever drives it. */
const CHROMES_OWN = /(^|\.)(google|googleapis|googleusercontent|gstatic|gvt1|gvt2)\.com$/;

/** Starts it; returns `{ flag, asked, stop }`. Chrome asks no proxy for localhost. */
export async function startProxy() {
  const asked = new Set();
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', (data) => {
      // `CONNECT host:443 HTTP/1.1` or `GET http://host/path HTTP/1.1`
      const [, host] = /^\S+ (?:\w+:\/\/)?([^/: ]+)/.exec(data.toString('latin1')) ?? [undefined, 'no request'];
      if (!CHROMES_OWN.test(host)) asked.add(host);
      socket.destroy();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { flag: `--proxy-server=http://127.0.0.1:${server.address().port}`, asked, stop: () => server.close() };
}
