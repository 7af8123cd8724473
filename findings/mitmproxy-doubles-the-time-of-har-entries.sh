#!/usr/bin/env bash
# Packages: mitmproxy 11.0.2 (pip)
# Guess: Reading a HAR with mitmdump and writing it again (`-r in.har --set hardump=out.har`) keeps how long each request took.
# Seen: Each pass doubles `time`. The reader lets the request and the response both begin at the entry's start and both end at its end, so
#   the writer finds `send` and `receive` each as long as the entry, drops the negative `wait`, and sums: 120 ms become 240, then 480.
# Matters: A pipeline that cleans or filters HAR files by mitmproxy reports twice the latency, without an error. Take times from the
#   original, or write the file by other means.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

pip_install --no-binary=pyperclip mitmproxy==11.0.2
cat >in.har <<'EOF'
{"log": {"version": "1.2", "creator": {"name": "example", "version": "1"}, "pages": [], "entries": [{
  "startedDateTime": "2026-03-01T10:00:00.000Z", "time": 120, "cache": {}, "timings": {"send": 0, "wait": 100, "receive": 20},
  "request": {"method": "GET", "url": "http://127.0.0.1/a", "httpVersion": "HTTP/1.1", "cookies": [], "headers": [], "queryString": [],
    "headersSize": -1, "bodySize": 0},
  "response": {"status": 200, "statusText": "OK", "httpVersion": "HTTP/1.1", "cookies": [], "redirectURL": "", "headersSize": -1, "bodySize": 2,
    "headers": [{"name": "content-type", "value": "text/plain"}], "content": {"size": 2, "mimeType": "text/plain", "text": "hi"}}}]}}
EOF
pass() { mitmdump -q -n -r "$1" --set hardump="$work/$2" --set confdir="$work/conf" >"$2.log" 2>&1 || cannot "mitmdump: $(tail -n 2 "$2.log")"; }
entry() { python3 -c 'import json, sys; e = json.load(open(sys.argv[1]))["log"]["entries"]; print(len(e), round(e[0]["time"]), e[0]["response"]["content"]["text"])' "$1"; }
pass in.har once.har
pass once.har twice.har
expect "entries, time, body before" "1 120 hi" "$(entry in.har)"
expect "after one pass" "1 240 hi" "$(entry once.har)"
expect "after two passes" "1 480 hi" "$(entry twice.har)"
finish
