#!/usr/bin/env bash
# Packages: side-code-export and @seleniumhq/code-export-javascript-mocha 4.0.13, mocha 11.7.6, selenium-webdriver 4.49.0 (npm), Chromium 156
#   with ChromeDriver
# Guess: `run` (call another test of the project) is exported to JavaScript as a call that is awaited, as every other command is.
# Seen: it is the only one without `await`. What follows runs before the called test has done its work: a value that it types is not there yet.
#   The same commands written into one test pass.
# Matters: signing in is what people put into a test of its own. The exported tests begin before anybody is signed in, and how far
#   they get changes from run to run. Add the `await`.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

need chromedriver
npm_install side-code-export@4.0.13 @seleniumhq/code-export-javascript-mocha@4.0.13 mocha@11.7.6 selenium-webdriver@4.49.0
cat >site.mjs <<'JS'
import { writeFileSync } from 'node:fs';
import { serve } from './devtools.mjs';
writeFileSync('site', `http://127.0.0.1:${await serve('<title>Page</title><ul></ul><input id="name">')}`);
JS
# What the exported file leaves to the person: where the browser is.
cat >browser.cjs <<'JS'
const { Builder } = require('selenium-webdriver');
const { Options } = require('selenium-webdriver/chrome');
const { build } = Builder.prototype;
Builder.prototype.build = function () {
  const options = new Options().setBinaryPath(process.env.BROWSER).addArguments('--headless=new', ...process.env.FLAGS.split(' '));
  return build.call(this.setChromeOptions(options));
};
JS
background node site.mjs
chromedriver_start
until_true 30 test -s site
BROWSER=$(command -v chromium) || cannot "Chromium is missing (Debian: apt-get install chromium)"
"$BROWSER" --version 2>/dev/null
FLAGS="--no-first-run --disable-background-networking --disable-component-update --disable-sync"
[ "$(id -u)" -ne 0 ] || FLAGS="$FLAGS --no-sandbox"
export BROWSER FLAGS SELENIUM_REMOTE_URL=$driver
cp "$here/side.mjs" .
node side.mjs "$(cat site)" >flow.side <<'JSON'
{
  "fill": [["open", "/"], ["pause", "2000"], ["type", "id=name", "Ann"]],
  "calls": [["open", "/"], ["run", "fill"], ["assertValue", "id=name", "Ann"]],
  "alone": [["open", "/"], ["pause", "2000"], ["type", "id=name", "Ann"], ["assertValue", "id=name", "Ann"]]
}
JSON
mkdir code
node_modules/.bin/side-code-export "$work/node_modules/@seleniumhq/code-export-javascript-mocha" "$work/flow.side" "$work/code" >export.log
mv code/*.js all.cjs
for name in calls alone; do
  node_modules/.bin/mocha --require ./browser.cjs --grep " $name\$" all.cjs >"$name.txt" 2>&1 || true
  expect "the test that ${name/alone/has all commands}" "$([ "$name" = alone ] && echo 1 passing || echo 1 failing)" "$(grep -oE '1 (passing|failing)' "$name.txt" | tail -n 1)"
done
expect "what it finds in the field" "'' == 'Ann'" "$(grep -oE "'' == 'Ann'" calls.txt | head -n 1)"
finish
