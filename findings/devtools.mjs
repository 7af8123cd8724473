/*
 * A page server on loopback, and a bare DevTools client, for findings about Chromium. lib.sh copies this file to $work, so that a finding
 * imports './devtools.mjs'. The client needs `npm_install ws@8.23.0`.
 */
import { createServer } from 'node:http';

export const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Returns what `check` returns as soon as that is true, and fails after 10 s. */
export async function until(check) {
  for (let n = 0; n < 200; n++, await wait(50)) {
    const found = await check();
    if (found) return found;
  }
  throw new Error(`never: ${check}`);
}

/**
 * Serves a page, or for each address what `page(address, request, response)` returns; null if that function has answered. Returns the
 * port.
 */
export async function serve(page) {
  const server = createServer((request, response) => {
    const html = typeof page === 'function' ? page(new URL(request.url, 'http://localhost'), request, response) : page;
    if (html !== null) response.setHeader('content-type', 'text/html').end(`<!doctype html>${html}`);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server.address().port;
}

/** Connects to the browser at `cdp` (http://127.0.0.1:PORT). */
export async function connect(cdp) {
  const { default: WebSocket } = await import('ws');
  const { webSocketDebuggerUrl } = await (await fetch(`${cdp}/json/version`)).json();
  const socket = new WebSocket(webSocketDebuggerUrl);
  const replies = new Map();
  const events = [];
  let id = 0;
  socket.on('message', (text) => {
    const { id, result, error, ...event } = JSON.parse(text);
    if (!id) return events.push(event);
    const { resolve, reject } = replies.get(id);
    error ? reject(new Error(error.message)) : resolve(result);
  });
  await new Promise((resolve) => socket.once('open', resolve));
  const send = (method, params = {}, sessionId) =>
    new Promise((resolve, reject) => {
      replies.set(++id, { resolve, reject });
      socket.send(JSON.stringify({ id, method, params, sessionId }));
    });
  /**
   * Returns a session: a function that sends a command, with `id`, `value(expression)`, and `event(name)`, which waits for the first
   * one.
   */
  const attach = async (targetId) => {
    const { sessionId } = await send('Target.attachToTarget', { targetId, flatten: true });
    const session = (method, params) => send(method, params, sessionId);
    session.id = sessionId;
    session.value = async (expression) => {
      const how = { awaitPromise: true, returnByValue: true, userGesture: true };
      const { result, exceptionDetails } = await session('Runtime.evaluate', { expression, ...how });
      return exceptionDetails ? exceptionDetails.exception.description : result.value;
    };
    session.seen = (name) => events.find(({ method, sessionId: from }) => method === name && from === sessionId)?.params;
    session.event = (name) => until(() => session.seen(name));
    return session;
  };
  /** Opens a tab and waits until its page is there. */
  const open = async (url) => {
    const { targetId } = await send('Target.createTarget', { url });
    const page = Object.assign(await attach(targetId), { targetId });
    await until(async () => (await page.value('location.href + document.readyState')) === `${new URL(url).href}complete`);
    return page;
  };
  const targets = async (type) => (await send('Target.getTargets')).targetInfos.filter((target) => target.type === type);
  const leave = () => new Promise((resolve) => socket.once('close', resolve).close());
  return { send, events, attach, open, targets, leave };
}
