/*
 * Reads the output of `strace -ttt -f` of the daemon: which command was asked for, what was sent to the browser for it, and
 * when it was answered. Pure.
 */

const LINE = /^\d+ +([\d.]+) (.*)$/;

/** Returns `[{ command, steps: [{ at, words }], answered }]`, times in ms since the request. @param {string} text */
export function exchanges(text) {
  const all = [];
  let now = null;
  for (const line of text.split('\n')) {
    const [, time, call] = LINE.exec(line) ?? [];
    if (!call) continue;
    const at = now ? Number(time) * 1000 - now.began : 0;
    const asked = /POST \/command.*\{\\"command\\":\\"([\w-]+)/.exec(call);
    if (asked) {
      now = { command: asked[1], began: Number(time) * 1000, steps: [] };
    } else if (now && /"HTTP\/1\.1 \d+/.test(call)) {
      all.push({ command: now.command, steps: now.steps, answered: at });
      now = null;
    } else if (now && /^(sendto|sendmsg|write|writev)\(/.test(call)) {
      const words = said(call);
      if (words) now.steps.push({ at, words });
    }
  }
  return all;
}

/** Returns the DevTools methods of one write, with the function of our script that each calls. */
function said(call) {
  const messages = [...call.matchAll(/\{\\"id\\":\d+,\\"method\\":\\"([\w.]+)\\"(.*?)(?=\{\\"id\\":\d+,\\"method|$)/g)];
  const named = messages.map(([, method, rest]) => {
    // `thenSettled` calls the function that it is given first.
    const inner = /__gstack\.(?:thenSettled\(\W+)?(\w+)/.exec(rest)?.[1];
    return inner ? `${method} (${inner})` : method;
  });
  const counted = [];
  for (const name of named) {
    if (counted.at(-1)?.name === name) counted.at(-1).count += 1;
    else counted.push({ name, count: 1 });
  }
  return counted.map(({ name, count }) => (count > 1 ? `${count} × ${name}` : name)).join(' · ');
}
