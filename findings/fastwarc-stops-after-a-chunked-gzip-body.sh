#!/usr/bin/env bash
# Packages: FastWARC 2.0.1, warcio 1.8.1 (PyPI)
# Guess: With `auto_decode="all"`, FastWARC's iterator decodes each body and goes on to the next record, as it does without.
# Seen: The iteration ends after a body that is both chunked and gzipped, without an error and whether or not the body was read. That body itself
#   is decoded correctly. After bodies that are only chunked or only gzipped the iteration goes on.
# Matters: Most servers send such responses, so a loop over a crawl stops early and still succeeds. Leave `auto_decode` off and decode each body
#   yourself, or compare the number of records with another reader's.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

pip_install fastwarc==2.0.1 warcio==1.8.1
cat >probe.py <<'PY'
import gzip, io
from fastwarc.warc import ArchiveIterator
from warcio.archiveiterator import ArchiveIterator as Warcio

text = b'Good morning. ' * 5
def chunks(body): return b''.join(b'%x\r\n%s\r\n' % (len(body[at:at + 16]), body[at:at + 16]) for at in range(0, len(body), 16)) + b'0\r\n\r\n'
bodies = {
    'plain': ('', text),
    'chunked': ('transfer-encoding: chunked\r\n', chunks(text)),
    'gzip': ('content-encoding: gzip\r\n', gzip.compress(text)),
    'both': ('transfer-encoding: chunked\r\ncontent-encoding: gzip\r\n', chunks(gzip.compress(text))),
}
def record(number, kind):
    headers, body = bodies[kind]
    block = f'HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n{headers}\r\n'.encode() + body
    return (f'WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-00000000000{number}>\r\n'
            f'WARC-Date: 2026-01-01T00:00:00Z\r\nWARC-Target-URI: http://site.test/{number}\r\n'
            f'Content-Type: application/http; msgtype=response\r\nContent-Length: {len(block)}\r\n\r\n').encode() + block + b'\r\n\r\n'

for kind in bodies:
    archive = b''.join(gzip.compress(record(number, kind if number == 2 else 'plain')) for number in (1, 2, 3, 4))
    for mode in ('none', 'all'):
        read = [record.reader.read() == text for record in ArchiveIterator(io.BytesIO(archive), auto_decode=mode)]
        unread = sum(1 for _ in ArchiveIterator(io.BytesIO(archive), auto_decode=mode))
        print(f'{kind} {mode}: {len(read)} records, {sum(read)} decoded; {unread} if none is read')
    read = [record.content_stream().read() == text for record in Warcio(io.BytesIO(archive))]
    print(f'{kind} warcio: {len(read)} records, {sum(read)} decoded')
PY
python probe.py >seen.txt
for kind in plain chunked gzip both; do expect "warcio, 4 records, the second is $kind" "4 records, 4 decoded" "$(seen "$kind warcio")"; done
for kind in plain chunked gzip; do
  expect "FastWARC with auto_decode, the second is $kind" "4 records, 4 decoded; 4 if none is read" "$(seen "$kind all")"
done
expect "FastWARC without auto_decode, the second is chunked and gzipped" "4 records, 3 decoded; 4 if none is read" "$(seen 'both none')"
expect "FastWARC with auto_decode, the second is chunked and gzipped" "2 records, 2 decoded; 2 if none is read" "$(seen 'both all')"
finish
