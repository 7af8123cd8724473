#!/usr/bin/env bash
# Packages: Chromium 156, ws 8.23.0 (npm)
# Guess: With `Browser.setDownloadBehavior { behavior: "allow" }` a second download of report.txt is saved as "report (1).txt", as Chromium
#   always does.
# Seen: It replaces the first file without a word: both downloads are reported as completed with the same `filePath`, and one file is left,
#   with the second content. "allowAndName", which names files by the download's id, keeps both.
# Matters: A client that collects the paths from `Browser.downloadProgress` and reads them later gets the last file under every path:
#   exports of two months under one name become one. Use "allowAndName" and rename, or move each file away when its download completes.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install ws@8.23.0
cat >downloads.mjs <<'EOF'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { basename, join, resolve } from 'node:path';
import WebSocket from 'ws';
const { webSocketDebuggerUrl } = await (await fetch(`${process.argv[2]}/json/version`)).json();
const socket = new WebSocket(webSocketDebuggerUrl);
const replies = new Map();
let id = 0, completed = () => {};
socket.on('message', (text) => {
  const { id, result, error, method, params } = JSON.parse(text);
  if (id) error ? replies.get(id).reject(new Error(error.message)) : replies.get(id).resolve(result);
  else if (method === 'Browser.downloadProgress' && params.state === 'completed') completed(params.filePath);
});
const send = (method, params = {}, sessionId) =>
  new Promise((resolve, reject) => {
    replies.set(++id, { resolve, reject });
    socket.send(JSON.stringify({ id, method, params, sessionId }));
  });
await new Promise((resolve) => socket.once('open', resolve));
let version = 0;
const site = createServer((request, response) => {
  if (request.url !== '/report') return response.setHeader('content-type', 'text/html').end('<!doctype html><a href="/report">Report</a>');
  response.setHeader('content-disposition', 'attachment; filename="report.txt"').end(`version ${++version}`);
});
await new Promise((resolve) => site.listen(0, '127.0.0.1', resolve));
for (const behavior of ['allow', 'allowAndName']) {
  const downloadPath = resolve(behavior);
  mkdirSync(downloadPath);
  version = 0;
  await send('Browser.setDownloadBehavior', { behavior, downloadPath, eventsEnabled: true });
  const { targetId } = await send('Target.createTarget', { url: `http://127.0.0.1:${site.address().port}/` });
  const { sessionId } = await send('Target.attachToTarget', { targetId, flatten: true });
  const paths = new Set();
  for (let n = 0; n < 2; n++) {
    const done = new Promise((resolve) => (completed = resolve));
    const expression = `new Promise((resolve) => { const find = () => document.links[0] ? resolve(document.links[0].click()) : setTimeout(find, 50); find(); })`;
    await send('Runtime.evaluate', { expression, awaitPromise: true, userGesture: true }, sessionId);
    paths.add(basename(await done));
  }
  const files = readdirSync(downloadPath);
  const contents = files.map((name) => readFileSync(join(downloadPath, name), 'utf8')).sort();
  console.log(`${behavior}: 2 completed, ${paths.size} paths, ${files.length} files: ${contents.join(', ')}`);
}
process.exit();
EOF
chromium_start
node downloads.mjs "$cdp" >seen.txt
expect allow "2 completed, 1 paths, 1 files: version 2" "$(sed -n 's/^allow: //p' seen.txt)"
expect allowAndName "2 completed, 2 paths, 2 files: version 1, version 2" "$(sed -n 's/^allowAndName: //p' seen.txt)"
finish
