#!/usr/bin/env bash
# Packages: cdxj-indexer 1.5.0 (PyPI), warcio 2.4.11 (npm)
# Guess: A CDXJ index of a web archive has one key for each address, and the Python indexer and the JavaScript indexer of the same authors write
#   the same keys.
# Seen: Both give /Page and /page, ?id=aB and ?id=Ab, and http and https one key. Python also removes a slash at the end, double slashes, session
#   ids and needless percent escapes; JavaScript keeps them.
# Matters: A look-up by key and time can return another page than the one asked for, for example if ids differ in capitals only: compare the
#   `url` of the line. Compute keys for a look-up with the library that wrote the index.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install warcio@2.4.11
# surt is published as source only.
pip_install --no-binary=surt surt==0.3.1 cdxj-indexer==1.5.0
cat >write.py <<'PY'
import gzip
session = '0123456789abcdef' * 2
pairs = {'capitals': ('/Page', '/page'), 'id': ('/?id=aB', '/?id=Ab'), 'scheme': ('/', 'https://site.test/'), 'slash': ('/t/', '/t'),
         'doubled': ('/d//e', '/d/e'), 'session': (f'/s?sid={session}&a=1', '/s?a=1'), 'percent': ('/%41b', '/ab'),
         'order': ('/?b=2&a=1', '/?a=1&b=2'), 'different': ('/one', '/two')}
number = 0
for name, paths in pairs.items():
    records = []
    for path in paths:
        number += 1
        address = path if path.startswith('http') else f'http://site.test{path}'
        block = b'HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\nbody'
        head = (f'WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-{number:012d}>\r\n'
                f'WARC-Date: 2026-01-01T00:00:00Z\r\nWARC-Target-URI: {address}\r\n'
                f'Content-Type: application/http; msgtype=response\r\nContent-Length: {len(block)}\r\n\r\n')
        records.append(gzip.compress(head.encode() + block + b'\r\n\r\n'))
    open(f'{name}.warc.gz', 'wb').write(b''.join(records))
PY
python write.py
keys() { cut -d ' ' -f 1 | sort -u | wc -l; }
# both NAME: prints how many keys the two addresses have in each index.
both() { echo "Python $(cdxj-indexer "$1.warc.gz" | keys), JavaScript $(node_modules/.bin/warcio cdx-index --format cdxj "$1.warc.gz" | keys)"; }
expect "keys of /one and /two" "Python 2, JavaScript 2" "$(both different)"
expect "keys of ?b=2&a=1 and ?a=1&b=2" "Python 1, JavaScript 1" "$(both order)"
expect "keys of /Page and /page" "Python 1, JavaScript 1" "$(both capitals)"
expect "keys of ?id=aB and ?id=Ab" "Python 1, JavaScript 1" "$(both id)"
expect "keys of http and https" "Python 1, JavaScript 1" "$(both scheme)"
expect "keys of /t/ and /t" "Python 1, JavaScript 2" "$(both slash)"
expect "keys of /d//e and /d/e" "Python 1, JavaScript 2" "$(both doubled)"
expect "keys with and without a session id" "Python 1, JavaScript 2" "$(both session)"
expect "keys of /%41b and /ab" "Python 1, JavaScript 2" "$(both percent)"
finish
