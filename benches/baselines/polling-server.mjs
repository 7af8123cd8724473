/*
 * Baseline: a simulated side panel without native messaging. NOT any real product's code.
 * Owns the loopback server: appends messages to a queue file; the panel's page polls for answers every 300 ms.
 *
 *   fork with QUEUE_FILE; sends { origin } and exits with its parent.
 */
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';

const PANEL_POLL_MS = 300;
const [queue] = process.argv.slice(2);
const answers = [];

const PANEL = `<!doctype html><meta charset="utf-8"><title>Polling panel</title><textarea></textarea><main></main><script>
  let seen = 0;
  document.querySelector('textarea').addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    fetch('/messages', { method: 'POST', body: event.target.value });
    event.target.value = '';
  });
  setInterval(async () => {
    for (const text of await (await fetch('/answers?after=' + seen)).json()) {
      seen += 1;
      const answer = document.createElement('p');
      answer.className = 'answer';
      answer.textContent = text;
      document.querySelector('main').append(answer);
    }
  }, ${PANEL_POLL_MS});
</script>`;

async function bodyOf(request) {
  const parts = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts).toString();
}

const server = createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://127.0.0.1');
  if (pathname === '/messages') appendFileSync(queue, `${JSON.stringify(await bodyOf(request))}\n`);
  if (pathname === '/answers' && request.method === 'POST') answers.push(await bodyOf(request));
  if (pathname === '/') response.setHeader('content-type', 'text/html');
  response.end(pathname === '/' ? PANEL : JSON.stringify(answers.slice(Number(searchParams.get('after') ?? answers.length))));
});
server.listen(0, '127.0.0.1', () => process.send({ origin: `http://127.0.0.1:${server.address().port}` }));
process.once('disconnect', () => process.exit(0));
