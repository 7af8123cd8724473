#!/usr/bin/env bash
# Packages: warcio 1.8.1, FastWARC 2.0.1, brotli 1.2.1 (PyPI), warcio 2.4.11 (npm)
# Guess: The calls of WARC readers that decode a body (`content_stream()`, `contentText()`, `auto_decode`) decode brotli as they decode gzip,
#   or say that they cannot.
# Seen: FastWARC decodes brotli. warcio for JavaScript returns the compressed bytes as text. warcio for Python returns the compressed bytes if
#   the package brotli is missing, and raises an AttributeError if it is installed.
# Matters: Browsers ask for brotli, so archives that a browser recorded are full of it, and a full-text index of them contains noise. Check
#   `content-encoding` and decode brotli yourself, or make the crawler ask for gzip only.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install warcio@2.4.11
pip_install warcio==1.8.1
cat >write.mjs <<'JS'
import { writeFileSync } from 'node:fs';
import { brotliCompressSync, gzipSync } from 'node:zlib';
const bodies = { gzip: gzipSync('Good morning.'), br: brotliCompressSync('Good morning.') };
const records = Object.entries(bodies).map(([encoding, body], number) => {
  const block = Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-encoding: ${encoding}\r\n\r\n`), body]);
  const head = { 'WARC-Type': 'response', 'WARC-Record-ID': `<urn:uuid:00000000-0000-4000-8000-00000000000${number}>`,
    'WARC-Date': '2026-01-01T00:00:00Z', 'WARC-Target-URI': `http://site.test/${encoding}`,
    'Content-Type': 'application/http; msgtype=response', 'Content-Length': block.length };
  const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return gzipSync(Buffer.concat([Buffer.from(`WARC/1.1\r\n${lines}\r\n`), block, Buffer.from('\r\n\r\n')]));
});
writeFileSync('site.warc.gz', Buffer.concat(records));
JS
cat >read.mjs <<'JS'
import { createReadStream } from 'node:fs';
import { WARCParser } from 'warcio';
const seen = [];
for await (const record of new WARCParser(createReadStream('site.warc.gz')))
  seen.push((await record.contentText()) === 'Good morning.' ? 'decoded' : 'as it was');
console.log(seen.join(', '));
JS
cat >read.py <<'PY'
import sys
def tell(read):
    try: return 'decoded' if read() == b'Good morning.' else 'as it was'
    except AttributeError: return 'AttributeError'
with open('site.warc.gz', 'rb') as file:
    if sys.argv[1] == 'warcio':
        from warcio.archiveiterator import ArchiveIterator
        print(', '.join(tell(lambda: record.content_stream().read()) for record in ArchiveIterator(file)))
    else:
        from fastwarc.warc import ArchiveIterator
        print(', '.join(tell(record.reader.read) for record in ArchiveIterator(file, auto_decode='all')))
PY
node write.mjs
expect "warcio for JavaScript, gzip and brotli" "decoded, as it was" "$(node read.mjs)"
expect "warcio for Python" "decoded, as it was" "$(python read.py warcio)"
pip_install fastwarc==2.0.1 brotli==1.2.1
expect "warcio for Python, brotli installed" "decoded, AttributeError" "$(python read.py warcio)"
expect "FastWARC, gzip and brotli" "decoded, decoded" "$(python read.py fastwarc)"
finish
