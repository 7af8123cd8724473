// Parses strace output: which program connected or sent to which address.

const CALL = /^(\d+) +(?:<\.\.\. )?(execve|clone3?|v?fork|connect|sendto|sendmsg|sendmmsg)\b(.*)$/;

/**
 * `strace -f -e trace=execve,clone,clone3,fork,vfork,connect,sendto,sendmsg,sendmmsg -o FILE`: returns one entry per
 * address.
 */
export function connections(trace) {
  const lines = trace
    .split('\n')
    .map((line) => line.match(CALL))
    .filter(Boolean);
  // Per process: which program it runs from which line on, and which process created it at which line.
  const runs = new Map();
  const made = new Map();
  lines.forEach(([, pid, call, rest], at) => {
    if (call === 'execve') {
      const path = rest.match(/^\("([^"]*)"/)?.[1];
      const known = runs.get(pid) ?? [];
      // A call without a result on its line failed or succeeded later. The process's next call shows that it runs the
      // program.
      if (path && !/= -1/.test(rest)) runs.set(pid, [...known, { at, path }]);
    } else if (call !== 'connect' && !call.startsWith('send')) {
      // In its own namespace a child has another pid; strace adds the pid that it uses itself.
      const child = rest.match(/= (?:\d+ \/\* )?(\d+)(?: in strace's PID NS \*\/)?$/)?.[1];
      if (child) made.set(child, { parent: pid, at });
    }
  });
  const program = (pid, at) => {
    // Chromium's processes start each other by that name: the program stays the same.
    const own = (runs.get(pid) ?? []).findLast((run) => run.at <= at && run.path !== '/proc/self/exe');
    if (own) return own.path;
    const maker = made.get(pid);
    return maker ? program(maker.parent, maker.at) : '?';
  };
  return lines.flatMap(([, pid, call, rest], at) => {
    if (!(call === 'connect' || call.startsWith('send'))) return [];
    const found = [
      ...rest.matchAll(
        /sa_family=(AF_\w+)(?:, [^}]*?inet_(?:addr|pton)\((?:AF_INET6, )?"([^"]+)")?[^}]*?(?:inet_pton\(AF_INET6, "([^"]+)")?/g,
      ),
    ];
    return found.map(([, family, address, address6]) => ({ program: program(pid, at), family, address: address ?? address6 ?? null }));
  });
}

/** Returns whether an address is local to this machine. */
export function isLocal({ family, address }) {
  if (family === 'AF_INET') return /^127\./.test(address ?? '');
  if (family === 'AF_INET6') return address === '::1';
  return ['AF_UNIX', 'AF_NETLINK', 'AF_UNSPEC'].includes(family);
}
