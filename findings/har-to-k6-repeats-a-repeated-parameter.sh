#!/usr/bin/env bash
# Packages: har-to-k6 0.14.16 (npm)
# Guess: A recorded GET of `/search?tag=a&tag=b` becomes a k6 request of the same address.
# Seen: the script asks for `?tag=a&tag=b&tag=b`: the address is taken whole, and what `queryString` has beyond the first of each name is
#   added again. With three of a name there are five. A parameter that occurs once stays one.
# Matters: A load test of lists in the query asks for something else than the person did: filters that count, caches that never hit. Remove
#   `queryString` from the HAR first (then the address is used as it is).
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install har-to-k6@0.14.16
cat >convert.mjs <<'JS'
import { liHARToK6Script } from 'har-to-k6';
const entry = (url, queryString) => ({
  startedDateTime: '2026-01-02T03:04:05.000Z', time: 1, cache: {}, timings: { send: 0, wait: 1, receive: 0 }, pageref: 'p',
  request: { method: 'GET', url, httpVersion: 'HTTP/1.1', cookies: [], headers: [], queryString, headersSize: -1, bodySize: 0 },
  response: {
    status: 200, statusText: 'OK', httpVersion: 'HTTP/1.1', cookies: [], headers: [], redirectURL: '', headersSize: -1, bodySize: 0,
    content: { size: 0, mimeType: 'text/plain', text: '' },
  },
});
const convert = async (query, parsed = true) => {
  const url = `http://localhost/?${query}`;
  const queryString = parsed ? [...new URL(url).searchParams].map(([name, value]) => ({ name, value })) : [];
  const pages = [{ id: 'p', title: 'p', startedDateTime: '2026-01-02T03:04:05.000Z', pageTimings: {} }];
  const har = { log: { version: '1.2', creator: { name: 'c', version: '1' }, pages, entries: [entry(url, queryString)] } };
  return (await liHARToK6Script(har)).main.match(/localhost\/\?(\S*?)['`]/)[1];
};
for (const query of ['tag=a', 'tag=a&tag=b', 'tag=a&tag=b&tag=c', 'tag=a&n=1&tag=b']) console.log(`${query}: ${await convert(query)}`);
console.log(`without: ${await convert('tag=a&tag=b', false)}`);
JS
node convert.mjs >seen.txt
seen() { sed -n "s/^$1: //p" seen.txt; }
expect "?tag=a" "tag=a" "$(seen "tag=a")"
expect "?tag=a&tag=b" "tag=a&tag=b&tag=b" "$(seen "tag=a&tag=b")"
expect "?tag=a&tag=b&tag=c" "tag=a&tag=b&tag=c&tag=b&tag=c" "$(seen "tag=a&tag=b&tag=c")"
expect "?tag=a&n=1&tag=b" "tag=a&n=1&tag=b&tag=b" "$(seen "tag=a&n=1&tag=b")"
expect "?tag=a&tag=b without queryString" "tag=a&tag=b" "$(seen without)"
finish
