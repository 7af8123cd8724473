#!/usr/bin/env bash
# Packages: @microsoft/fetch-event-source 2.0.1, eventsource-parser 4.1.3, eventsource 5.1.5 (npm)
# Guess: In an event stream a comment line (": keep-alive"), which servers send so that proxies keep the connection, is dropped by every
#   reader, and so is an event that has an id and no data.
# Seen: `fetchEventSource` calls `onmessage` for each of them with `data` "". The other two call nothing, as the standard says.
# Matters: `JSON.parse(message.data)` throws at the first heartbeat, seconds after the stream began, and that error makes the library connect
#   again. Skip messages whose `data` is empty.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install @microsoft/fetch-event-source@2.0.1 eventsource-parser@4.1.3 eventsource@5.1.5
cat >read.mjs <<'JS'
import { createServer } from 'node:http';
import fetchEvents from '@microsoft/fetch-event-source';
import { EventSource } from 'eventsource';
import { createParser } from 'eventsource-parser';
const STREAM = ': keep-alive\n\ndata: one\n\nid: 7\n\ndata: two\n\n';
// Only the first request of each reader gets the stream: a second one ends it.
const served = new Set();
const server = createServer((request, response) => {
  if (served.has(request.url)) return response.writeHead(204).end();
  served.add(request.url);
  return response.writeHead(200, { 'content-type': 'text/event-stream' }).end(STREAM);
}).listen(0, '127.0.0.1');
await new Promise((resolve) => server.once('listening', resolve));
const url = (name) => `http://127.0.0.1:${server.address().port}/${name}`;
// The library is written for pages.
globalThis.window = { setTimeout, clearTimeout };
globalThis.document = { hidden: false, addEventListener() {}, removeEventListener() {} };
const say = (name, messages) => console.log(`${name}: ${messages.map((data) => `[${data}]`).join(' ')}`);
const first = [];
await fetchEvents.fetchEventSource(url('first'), { fetch, openWhenHidden: true, onmessage: ({ data }) => first.push(data) });
say('fetch-event-source', first);
const second = [];
await new Promise((resolve) => {
  const source = new EventSource(url('second'));
  source.onmessage = ({ data }) => second.push(data);
  source.onerror = () => resolve(source.close());
});
say('eventsource', second);
const third = [];
createParser({ onEvent: ({ data }) => third.push(data) }).feed(STREAM);
say('eventsource-parser', third);
process.exit();
JS
node read.mjs >seen.txt
expect "fetch-event-source" "[] [one] [] [two]" "$(seen fetch-event-source)"
expect "eventsource" "[one] [two]" "$(seen eventsource)"
expect "eventsource-parser" "[one] [two]" "$(seen eventsource-parser)"
finish
