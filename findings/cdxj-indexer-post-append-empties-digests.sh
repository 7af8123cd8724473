#!/usr/bin/env bash
# Packages: cdxj-indexer 1.5.0 (PyPI)
# Guess: `cdxj-indexer --post-append` adds the body of POST requests to the keys of the index, and changes nothing else.
# Seen: If the records have no WARC-Payload-Digest, which is optional, each line of the index gets the digest of an empty body, so all captures
#   look identical. Without the option the indexer computes the right digests.
# Matters: A program that drops captures with equal digests, or writes "revisit" records from such an index, loses pages. Store digests when
#   you write the archive, or compute them in a step of their own.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

# surt is published as source only.
pip_install --no-binary=surt surt==0.3.1 cdxj-indexer==1.5.0
cat >write.py <<'PY'
import base64, gzip, hashlib, sys
def sha1(body): return 'sha1:' + base64.b32encode(hashlib.sha1(body).digest()).decode()
pages = {'/one': b'the first page', '/two': b'the second page'}
def archive(with_digest):
    for number, (path, body) in enumerate(pages.items()):
        block = b'HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\n' + body
        digest = f'WARC-Payload-Digest: {sha1(body)}\r\n' if with_digest else ''
        head = (f'WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-00000000000{number}>\r\n'
                f'WARC-Date: 2026-01-01T00:00:00Z\r\nWARC-Target-URI: http://site.test{path}\r\n{digest}'
                f'Content-Type: application/http; msgtype=response\r\nContent-Length: {len(block)}\r\n\r\n')
        yield gzip.compress(head.encode() + block + b'\r\n\r\n')
for name, with_digest in (('with', True), ('without', False)):
    open(f'{name}.warc.gz', 'wb').write(b''.join(archive(with_digest)))
print('content:', ' '.join(map(sha1, pages.values())))
print('empty:', sha1(b''))
PY
python write.py >seen.txt
content=$(seen content) empty=$(seen empty)
digests() { cdxj-indexer "$@" | grep -oE 'sha1:[A-Z0-9]+' | paste -sd ' ' | sed "s/^$content\$/of the content/; s/^$empty $empty\$/of nothing/"; }
expect "digests in the records, no option" "of the content" "$(digests with.warc.gz)"
expect "digests in the records, --post-append" "of the content" "$(digests --post-append with.warc.gz)"
expect "none in the records, no option" "of the content" "$(digests without.warc.gz)"
expect "none in the records, --post-append" "of nothing" "$(digests --post-append without.warc.gz)"
finish
