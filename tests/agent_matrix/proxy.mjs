/* The proxy of the agents under test: passes on what is for this machine, refuses the rest, and keeps the hosts that were asked for. */
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { connect } from 'node:net';

const isHere = (host) => host === '127.0.0.1' || host === 'localhost';

/** Starts it; returns `{ address, asked, stop }`. */
export async function startProxy() {
  const asked = new Set();
  const server = createServer((incoming, outgoing) => {
    const to = URL.canParse(incoming.url) ? new URL(incoming.url) : undefined;
    if (!to || !isHere(to.hostname)) {
      asked.add(to?.hostname ?? 'no address');
      outgoing.writeHead(403).end();
      return;
    }
    const passed = request(to, { method: incoming.method, headers: incoming.headers }, (answer) => {
      outgoing.writeHead(answer.statusCode, answer.headers);
      answer.pipe(outgoing);
    });
    passed.on('error', () => outgoing.destroy());
    outgoing.on('close', () => passed.destroy());
    incoming.pipe(passed);
  });
  server.on('connect', (incoming, socket, head) => {
    const [host, port] = incoming.url.split(':');
    socket.on('error', () => {});
    if (!isHere(host)) {
      asked.add(host);
      socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
      return;
    }
    const passed = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      passed.write(head);
      passed.pipe(socket).pipe(passed);
    });
    passed.on('error', () => socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `http://127.0.0.1:${server.address().port}`,
    asked,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
