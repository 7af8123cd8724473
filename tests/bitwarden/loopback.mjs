/*
 * Loaded into each `bw` of the tests: records every connection that it opens, and refuses those that leave this machine.
 * Node.js opens all of them with this method, before it looks up a name.
 */
import { appendFileSync } from 'node:fs';
import { Socket } from 'node:net';

const { connect } = Socket.prototype;
/** A port on which nothing listens. */
const CLOSED = { host: '127.0.0.1', port: 1 };

Socket.prototype.connect = function (...given) {
  const [first, second] = Array.isArray(given[0]) ? given[0] : given;
  const { host = 'localhost', port, path } = typeof first === 'object' ? first : { port: first, host: second };
  appendFileSync(process.env.CONNECTIONS_OF_TEST, `${path ?? `${host}:${port}`}\n`);
  return host === '127.0.0.1' || path ? connect.apply(this, given) : connect.call(this, CLOSED);
};
