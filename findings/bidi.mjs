/*
 * A bare WebDriver BiDi client, for findings about ChromeDriver. `chromedriver_start` of lib.sh starts that and copies this file to $work.
 * It needs `npm_install ws@8.23.0`.
 */

/**
 * Starts a session of a headless browser at `driver` (http://127.0.0.1:PORT), calls `work`, and ends the session. `work` gets `send`, the
 * `events` so far, the `context` of the only tab, `go(url)`, and `value(expression)`, which is what a page's expression returns, as JSON.
 */
export async function bidi(driver, work) {
  const { default: WebSocket } = await import('ws');
  const ask = async (method, path, body) => {
    const { value } = await (await fetch(`${driver}/session${path}`, { method, body: body && JSON.stringify(body) })).json();
    if (value?.error) throw new Error(value.message);
    return value;
  };
  const loopback = '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost';
  const args = ['--headless=new', '--disable-background-networking', '--disable-component-update', loopback];
  if (process.getuid() === 0) args.push('--no-sandbox');
  const alwaysMatch = { webSocketUrl: true, 'goog:chromeOptions': { args } };
  const { sessionId, capabilities } = await ask('POST', '', { capabilities: { alwaysMatch } });
  try {
    const socket = new WebSocket(capabilities.webSocketUrl);
    const replies = new Map();
    const events = [];
    let id = 0;
    socket.on('message', (text) => {
      const message = JSON.parse(text);
      if (message.type === 'event') return events.push(message);
      const { resolve, reject } = replies.get(message.id);
      message.type === 'error' ? reject(new Error(`${message.error}: ${message.message}`)) : resolve(message.result);
    });
    await new Promise((resolve) => socket.once('open', resolve));
    const send = (method, params = {}) =>
      new Promise((resolve, reject) => {
        replies.set(++id, { resolve, reject });
        socket.send(JSON.stringify({ id, method, params }));
      });
    const { context } = (await send('browsingContext.getTree')).contexts[0];
    const go = (url) => send('browsingContext.navigate', { context, url, wait: 'complete' });
    const value = async (expression) => {
      const how = { target: { context }, awaitPromise: true };
      const { result } = await send('script.evaluate', { expression: `(async () => JSON.stringify(await (${expression})))()`, ...how });
      return result.value === undefined ? undefined : JSON.parse(result.value);
    };
    await work({ send, events, context, go, value });
  } finally {
    await ask('DELETE', `/${sessionId}`);
  }
}
