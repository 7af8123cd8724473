#!/usr/bin/env bash
# Packages: selenium-side-runner 4.0.13 (npm), Chromium 156 with chromedriver
# Guess: The `targets` that Selenium IDE records with every command are its self-healing: if `target` matches nothing, the player tries them
#   in turn.
# Seen: selenium-side-runner 4.0.13 reads `targets`, passes them down and never tries one. A click whose `target` is gone but whose second
#   entry in `targets` matches the button waits until its time is out and fails. With that entry as `target` the same click passes.
# Matters: An exporter of `.side` files that puts its best locator into `targets` and a short-lived id into `target`, as the recorder itself
#   does, loses the flow at the first changed id. The one locator that counts is `target`.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

need chromedriver
npm_install selenium-side-runner@4.0.13
cat >project.mjs <<'EOF'
import { writeFileSync } from 'node:fs';
const targets = [['id=before-the-update', 'id'], ['css=#save', 'css:finder']];
const command = (command, target, targets = []) => ({ id: `${command}-${target}`, comment: '', command, target, targets, value: '' });
const test = (name, target) => ({
  id: name,
  name,
  commands: [command('open', '/'), command('click', target, targets), command('assertTitle', 'saved')],
});
const tests = [test('fallback', 'id=before-the-update'), test('target', 'css=#save')];
const suites = [{ id: 'all', name: 'all', persistSession: false, parallel: false, timeout: 60, tests: tests.map(({ id }) => id) }];
const url = process.argv[2];
writeFileSync('flow.side', JSON.stringify({ id: 'p', version: '3.0', name: 'flow', url, urls: [url], plugins: [], suites, tests }));
EOF
cat >site.mjs <<'EOF'
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
const html = `<!doctype html><title>new</title><button id="save" onclick="document.title = 'saved'">Save</button>`;
createServer((_, response) => response.setHeader('content-type', 'text/html').end(html)).listen(0, '127.0.0.1', function () {
  writeFileSync('site', `http://127.0.0.1:${this.address().port}/`);
});
EOF
background node site.mjs
background chromedriver --port=0 >driver.log 2>&1
until_true 30 test -s site
until_true 30 grep -q 'started successfully on port' driver.log
program=$(command -v chromium) || cannot "Chromium is missing (Debian: apt-get install chromium)"
"$program" --version 2>/dev/null
sandbox=; [ "$(id -u)" -ne 0 ] || sandbox=,--no-sandbox
node project.mjs "$(cat site)"
mkdir results
node_modules/.bin/selenium-side-runner --server "http://127.0.0.1:$(grep -oE 'on port [0-9]+' driver.log | grep -oE '[0-9]+')" --timeout 5000 \
  --output-directory results -c "browserName=chrome goog:chromeOptions.binary=$program goog:chromeOptions.args=[--headless=new,--no-first-run,--disable-background-networking,--disable-component-update,--disable-sync,--disable-quic$sandbox]" \
  flow.side >run.log 2>&1 || true
status() { node -p 'JSON.parse(require("fs").readFileSync(process.argv[1])).testResults.flatMap((file) => file.assertionResults).find(({ title }) => title.endsWith(` ${process.argv[2]}`)).status' results/*.json "$1"; }
expect "the button is named in targets only" failed "$(status fallback)"
expect "the button is named in target" passed "$(status target)"
finish
