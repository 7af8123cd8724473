#!/usr/bin/env bash
# Packages: selenium-side-runner 4.0.13 (npm), Chromium 156 with chromedriver
# Guess: `select | id=size | index=1` selects the second option, as Selenium's own `selectByIndex(1)` and the index in every WebDriver
#   binding do.
# Seen: The player turns it into `*:nth-child(1)` below the list: `index=1` selects the first option, and `index=0` waits for an element
#   that cannot exist and fails. `value=` and `label=` select what they name.
# Matters: A flow that is exported with zero-based indexes does not fail: it goes on with the option before the right one. Export `value=`
#   or `label=`, and never `index=`, which also counts an `optgroup` as a child.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

need chromedriver
npm_install selenium-side-runner@4.0.13
cat >project.mjs <<'EOF'
import { writeFileSync } from 'node:fs';
const command = (command, target, value = '') => ({ id: `${command}-${target}`, comment: '', command, target, targets: [], value });
const test = (name, option, selected) => ({
  id: name,
  name,
  commands: [command('open', '/'), command('select', 'id=size', option), command('assertSelectedValue', 'id=size', selected)],
});
const tests = [test('one-is-first', 'index=1', 's'), test('two-is-second', 'index=2', 'm'), test('zero', 'index=0', 's'), test('by-value', 'value=m', 'm')];
const suites = [{ id: 'all', name: 'all', persistSession: false, parallel: false, timeout: 60, tests: tests.map(({ id }) => id) }];
const url = process.argv[2];
writeFileSync('flow.side', JSON.stringify({ id: 'p', version: '3.0', name: 'flow', url, urls: [url], plugins: [], suites, tests }));
EOF
cat >site.mjs <<'EOF'
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
const html = '<!doctype html><select id="size"><option value="s">Small<option value="m">Medium<option value="l" selected>Large</select>';
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
expect "index=1 selects the first option" passed "$(status one-is-first)"
expect "index=2 selects the second option" passed "$(status two-is-second)"
expect "index=0 selects the first option" failed "$(status zero)"
expect "value=m selects the second option" passed "$(status by-value)"
finish
