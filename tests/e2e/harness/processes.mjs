/*
 * The processes that belong to a test: found by the GSTACK_HOME in their environment, by their parents, by their ports.
 * Reads /proc, so Linux only. Never ends a process that it did not find in one of these ways.
 */
import { readFileSync, readdirSync, readlinkSync } from 'node:fs';

/** Reads a file of /proc; empty if the process has ended. */
function read(path) {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

/** Lists every process: pid, parent, command line and environment. */
function all() {
  const found = [];
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = read(`/proc/${name}/stat`);
    const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // A zombie has ended; its parent has only not reaped it yet.
    if (!stat || state === 'Z') continue;
    found.push({
      pid: Number(name),
      parent: Number(parent),
      command: read(`/proc/${name}/cmdline`).split('\0').filter(Boolean),
      environment: read(`/proc/${name}/environ`).split('\0'),
    });
  }
  return found;
}

/** Returns the processes of one gstack home and all their descendants. */
export function processesOf(home) {
  const everything = all();
  const own = new Set();
  for (const one of everything) {
    const named = one.environment.includes(`GSTACK_HOME=${home}`) || one.command.some((part) => part.includes(home));
    if (named && one.pid !== process.pid) own.add(one.pid);
  }
  for (let grew = true; grew; ) {
    grew = false;
    for (const one of everything) {
      if (own.has(one.parent) && !own.has(one.pid)) grew = Boolean(own.add(one.pid));
    }
  }
  return everything.filter((one) => own.has(one.pid));
}

/** Returns a process's role: `daemon`, `browser-keeper`, `agent-minder`, `host`, `browser`. */
export function roleOf(one) {
  const [program = '', first = ''] = one.command;
  if (['daemon', 'browser-keeper', 'agent-minder'].includes(first)) return first;
  if (first.startsWith('chrome-extension://') && /gstack[^/]*$/.test(program)) return 'host';
  const isBrowser = one.command.some((part) => part.startsWith('--user-data-dir='));
  if (isBrowser && !one.command.some((part) => /(^| )--type=/.test(part))) return 'browser';
  // A renderer rewrites its arguments as one text with spaces.
  const line = one.command.join(' ');
  const type = / --type=(\S+)/.exec(line)?.[1];
  if (type) return line.includes(' --extension-process') ? 'extension-renderer' : type;
  return 'other';
}

/** Returns the TCP sockets of a set of processes in one state, as /proc writes it: `{ pid, local, remote }`. */
function socketsOf(processes, wanted) {
  const sockets = new Map();
  const end = (text) => {
    const [address, port] = text.split(':');
    return { address, port: Number.parseInt(port, 16) };
  };
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    for (const line of read(table).split('\n').slice(1)) {
      const [, local, remote, state, , , , , , inode] = line.trim().split(/\s+/);
      if (state === wanted) sockets.set(inode, { local: end(local), remote: end(remote) });
    }
  }
  const found = [];
  for (const { pid } of processes) {
    let names = [];
    try {
      names = readdirSync(`/proc/${pid}/fd`);
    } catch {
      continue;
    }
    for (const name of names) {
      let target = '';
      try {
        target = readlinkSync(`/proc/${pid}/fd/${name}`);
      } catch {
        continue;
      }
      const inode = /^socket:\[(\d+)\]$/.exec(target)?.[1];
      if (inode && sockets.has(inode)) found.push({ pid, ...sockets.get(inode) });
    }
  }
  return found;
}

/** Returns the TCP ports that a set of processes listens on: `{ pid, address, port }`. */
export function listeners(processes) {
  return socketsOf(processes, '0A').map(({ pid, local }) => ({ pid, ...local }));
}

/** Returns the other ends of the TCP connections of a set of processes: `{ pid, address, port }`. */
export function connections(processes) {
  return socketsOf(processes, '01').map(({ pid, remote }) => ({ pid, ...remote }));
}

/** Returns whether a process is alive (a zombie is not). */
export function isAlive(pid) {
  const stat = read(`/proc/${pid}/stat`);
  if (!stat) return false;
  // The first thread may be a zombie while others still hold the process's sockets open.
  return !stat.slice(stat.lastIndexOf(')')).startsWith(') Z') || threads(pid) > 1;
}

function threads(pid) {
  try {
    return readdirSync(`/proc/${pid}/task`).length;
  } catch {
    return 0;
  }
}
