/* Tries to leave this machine in each way that the guard has to refuse. 192.0.2.1 is nobody's address (RFC 5737). */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';

async function refuses(work) {
  try {
    await work();
    return 'let through';
  } catch (error) {
    return (error.cause ?? error).code === 'ECONNREFUSED' ? 'refused' : String(error);
  }
}

for await (const _ of createInterface({ input: process.stdin })) {
  const socket = createSocket('udp4');
  const value = [
    await refuses(() => fetch('http://example.invalid/')),
    await refuses(() => once(connect(9, '192.0.2.1'), 'connect')),
    await refuses(() => socket.send('x', 9, '192.0.2.1')),
  ];
  socket.close();
  process.stdout.write(`answer ${JSON.stringify({ value })}\n`);
}
