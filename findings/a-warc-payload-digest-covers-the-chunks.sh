#!/usr/bin/env bash
# Packages: warcio 1.8.1, FastWARC 2.0.1 (PyPI), GNU Wget (Debian)
# Guess: The WARC-Payload-Digest of a response is the digest of its body, so that two captures of an unchanged page have the same.
# Seen: Wget computes it over the chunked body, including the chunk sizes, and warcio and FastWARC accept only that: they report the digest
#   of the body itself as wrong. The same body in other chunks has another digest.
# Matters: A server that streams sends other chunks each time, so archives store unchanged pages again, and a program that compares the digest
#   with the text that a reader returns finds every chunked record damaged. Compare a digest of the decoded body that you compute yourself.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

need wget
echo "Wget: $(wget --version | sed -n '1s/[^0-9]*\([0-9.]*\).*/\1/p')"
pip_install warcio==1.8.1 fastwarc==2.0.1
cat >probe.py <<'PY'
import base64, gzip, hashlib, http.server, io, subprocess, threading
from fastwarc.warc import ArchiveIterator as FastWarc
from warcio.archiveiterator import ArchiveIterator

text = b'Good morning. ' * 4
def chunks(size): return b''.join(b'%x\r\n%s\r\n' % (len(text[at:at + size]), text[at:at + size]) for at in range(0, len(text), size)) + b'0\r\n\r\n'
def sha1(body): return 'sha1:' + base64.b32encode(hashlib.sha1(body).digest()).decode()
class Site(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'
    def do_GET(self):
        body = chunks(int(self.path[1:]))
        self.wfile.write(b'HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ntransfer-encoding: chunked\r\n\r\n' + body)
    def log_message(self, *_): pass
site = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Site)
threading.Thread(target=site.serve_forever, daemon=True).start()

def verdicts(archive):
    warcio = next(record for record in ArchiveIterator(io.BytesIO(archive), check_digests=True) if record.rec_type == 'response')
    body = warcio.content_stream().read() == text
    fast = next(record for record in FastWarc(io.BytesIO(archive)) if record.headers['WARC-Type'] == 'response')
    return f'body {body}, warcio {warcio.digest_checker.passed}, FastWARC {fast.verify_payload_digest()}'

digests = {}
for size in (7, 20):
    address = f'http://127.0.0.1:{site.server_port}/{size}'
    subprocess.run(['wget', '--no-proxy', '--quiet', f'--warc-file=by-{size}', '--output-document=page', address], check=True)
    archive = open(f'by-{size}.warc.gz', 'rb').read()
    record = next(record for record in ArchiveIterator(io.BytesIO(archive)) if record.rec_type == 'response')
    digests[size] = record.rec_headers.get_header('WARC-Payload-Digest')
    print(f'wget {size}:', {sha1(text): 'of the body', sha1(chunks(size)): 'of the chunks'}.get(digests[size]))
    print(f'checked {size}:', verdicts(archive))
print('same:', digests[7] == digests[20])
print('changed:', verdicts(gzip.decompress(archive).replace(digests[20].encode(), sha1(text).encode())))
PY
python probe.py >seen.txt
for size in 7 20; do
  expect "Wget's digest, chunks of $size bytes" "of the chunks" "$(seen "wget $size")"
  expect "that record in two readers" "body True, warcio True, FastWARC True" "$(seen "checked $size")"
done
expect "is it the same digest?" "False" "$(seen same)"
expect "a record with the digest of its body" "body True, warcio False, FastWARC False" "$(seen changed)"
finish
