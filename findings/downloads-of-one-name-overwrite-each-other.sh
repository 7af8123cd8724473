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
import { basename, join, resolve } from 'node:path';
import { connect, serve, until } from './devtools.mjs';
const browser = await connect(process.argv[2]);
let version = 0;
const port = await serve(({ pathname }, _, response) => {
  if (pathname !== '/report') return '<a href="/report">Report</a>';
  response.setHeader('content-disposition', 'attachment; filename="report.txt"').end(`version ${++version}`);
  return null;
});
for (const behavior of ['allow', 'allowAndName']) {
  const downloadPath = resolve(behavior);
  mkdirSync(downloadPath);
  version = 0;
  await browser.send('Browser.setDownloadBehavior', { behavior, downloadPath, eventsEnabled: true });
  const page = await browser.open(`http://127.0.0.1:${port}/`);
  const paths = new Set();
  for (let n = 0; n < 2; n++) {
    browser.events.length = 0;
    await page.value('document.links[0].click()');
    const done = ({ method, params }) => method === 'Browser.downloadProgress' && params.state === 'completed';
    paths.add(basename((await until(() => browser.events.find(done))).params.filePath));
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
