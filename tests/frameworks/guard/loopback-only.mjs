/*
 * Preloaded into a program under test: connects to this machine only. Whatever it tries beyond is refused before
 * anything is sent, and written into the file $GUARD_REPORT.
 */
import dgram from 'node:dgram';
import dns from 'node:dns';
import { appendFileSync } from 'node:fs';
import net from 'node:net';

const report = (line) => appendFileSync(process.env.GUARD_REPORT, `${line}\n`);
const isHere = (host) => ['localhost', '::1', undefined, null].includes(host) || /^127\.\d+\.\d+\.\d+$/.test(host);
const refused = (host) => {
  report(`tried ${host}`);
  return Object.assign(new Error(`${host} is not on this machine`), { code: 'ECONNREFUSED' });
};

const connect = net.Socket.prototype.connect;
net.Socket.prototype.connect = function (...args) {
  // Node's own callers pass [options, callback] as one array.
  const [first, second] = Array.isArray(args[0]) ? args[0] : args;
  const { host, path } = typeof first === 'object' ? first : { host: typeof second === 'string' ? second : undefined };
  if (path || isHere(host)) return connect.apply(this, args);
  this.destroy(refused(host));
  return this;
};

for (const [owner, promised] of [
  [dns, false],
  [dns.promises, true],
]) {
  for (const name of Object.keys(owner).filter((name) => /^(lookup|resolve|reverse)/.test(name) && typeof owner[name] === 'function')) {
    const ask = owner[name];
    owner[name] = (host, ...rest) => {
      if (isHere(host)) return ask.call(owner, host, ...rest);
      const error = refused(host);
      if (promised) return Promise.reject(error);
      return process.nextTick(rest.at(-1), error);
    };
  }
}

// Nothing here needs datagrams.
dgram.Socket.prototype.connect = (_port, host) => {
  throw refused(host);
};
dgram.Socket.prototype.send = (...args) => {
  throw refused(args.find((one, at) => at > 0 && typeof one === 'string') ?? 'a datagram');
};

report('guarded');
