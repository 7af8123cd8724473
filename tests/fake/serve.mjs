/*
 * A fake API as a program: `node FAKE.mjs SCENARIO.json [--log REQUESTS.jsonl]`. Owns the HTTP server on loopback, its
 * log and its shutdown; never interprets a request.
 *
 * Prints {"port":N} once it listens and serves until its stdin ends (or it is killed), so that it never outlives its
 * test.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const HOST = '127.0.0.1';

let counter = 0;
export const nextId = (prefix) => `${prefix}_fake_${String(++counter).padStart(4, '0')}`;

/** Returns the request's JSON ({} if it is not JSON: some clients send that) and its length. */
export async function readJson(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const raw = Buffer.concat(chunks).toString('utf8');
  try {
    return { body: JSON.parse(raw), length: raw.length };
  } catch {
    return { body: {}, length: raw.length };
  }
}

export function sendJson(response, status, body, headers = {}) {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

/** `prepare(scenario)` returns the handler `(note, request, response)`; `note` writes an entry to the log. */
export function serve(name, prepare) {
  const [file, ...rest] = process.argv.slice(2);
  if (!file) {
    console.error(`usage: ${name} SCENARIO.json [--log REQUESTS.jsonl]`);
    process.exit(2);
  }
  const logFile = rest[0] === '--log' ? rest[1] : undefined;
  const note = (entry) => logFile && appendFileSync(logFile, `${JSON.stringify(entry)}\n`);
  const handle = prepare(JSON.parse(readFileSync(file, 'utf8')));
  const server = createServer((request, response) => {
    handle(note, request, response).catch((error) => {
      // A client that disconnects mid-stream is part of many tests.
      note({ error: String(error) });
      response.destroy();
    });
  });
  server.listen(0, HOST, () => console.log(JSON.stringify({ port: server.address().port })));
  process.stdin.resume().on('end', () => process.exit(0));
}
