#!/usr/bin/env bash
# Packages: httpx 0.28.1, requests 2.34.2, aiohttp 3.14.5, ollama 0.6.3 (PyPI)
# Guess: `iter_lines()` of an HTTP client ends a line at a line feed (or CR LF), so that each line of a stream of JSON lines is one value.
# Seen: httpx also ends lines at U+0085, U+2028 and U+2029, which JSON text may contain as they are: one value becomes two halves. Ollama's
#   client, which reads its answers this way, raises a JSON error for a model's answer that contains one. requests and aiohttp keep the line.
# Matters: Text copied from web pages and documents contains these separators, so a chat ends with an error once in a while, for certain
#   texts. Read `iter_bytes()` or `iter_raw()` and split at b"\n".
set -euo pipefail
. "$(dirname "$0")/lib.sh"

pip_install httpx==0.28.1 requests==2.34.2 aiohttp==3.14.5 ollama==0.6.3
cat >lines.py <<'PY'
import asyncio, http.server, json, threading
import aiohttp, httpx, ollama, requests

PARTS = {'plain': 'a b', 'NEL': 'a\u0085b', 'LS': 'a\u2028b', 'PS': 'a\u2029b'}

class Server(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_POST(self):
        self.rfile.read(int(self.headers.get('content-length', 0)))
        said = {'model': 'm', 'message': {'role': 'assistant', 'content': PARTS[which]}, 'done': True}
        body = (json.dumps(said, ensure_ascii=False) + '\n').encode()
        self.send_response(200)
        self.send_header('content-type', 'application/x-ndjson')
        self.send_header('content-length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)

server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Server)
threading.Thread(target=server.serve_forever, daemon=True).start()
url = f'http://127.0.0.1:{server.server_port}'

async def with_aiohttp():
    async with aiohttp.ClientSession() as session, session.post(url) as response:
        return [line async for line in response.content]

def with_httpx():
    with httpx.Client(trust_env=False).stream('POST', url) as response:
        return list(response.iter_lines())

def with_ollama():
    client = ollama.Client(host=url, trust_env=False)
    try:
        return [part.message.content for part in client.chat(model='m', messages=[], stream=True)]
    except json.JSONDecodeError:
        return None

for which in PARTS:
    print(f'httpx {which}: {len(with_httpx())}')
    session = requests.Session()
    session.trust_env = False
    print(f'requests {which}: {len(list(session.post(url, stream=True).iter_lines()))}')
    print(f'aiohttp {which}: {len(asyncio.run(with_aiohttp()))}')
    print(f"ollama {which}: {'answered' if with_ollama() == [PARTS[which]] else 'JSON error'}")
PY
venv/bin/python lines.py >seen.txt
for which in plain NEL LS PS; do
  expect "lines in httpx, $which" "$([ "$which" = plain ] && echo 1 || echo 2)" "$(seen "httpx $which")"
  expect "lines in requests and aiohttp, $which" "1 1" "$(seen "requests $which") $(seen "aiohttp $which")"
  expect "Ollama's client, $which" "$([ "$which" = plain ] && echo answered || echo 'JSON error')" "$(seen "ollama $which")"
done
finish
