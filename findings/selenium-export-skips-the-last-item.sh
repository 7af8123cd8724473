#!/usr/bin/env bash
# Packages: side-code-export, @seleniumhq/code-export-javascript-mocha, -java-junit, -ruby-rspec and -csharp-xunit 4.0.13, mocha 11.7.6,
#   selenium-webdriver 4.49.0 (npm), Chromium 156 with ChromeDriver
# Guess: a flow with `forEach` that is exported as code visits every item of the list.
# Seen: the JavaScript code runs to `length - 1`, the Java code to `size() - 1`: of three items the last is never visited, and the test passes.
#   The code in Ruby and C# has no such bound.
# Matters: an exported test that checks each row leaves one out and stays green; with one row it checks nothing. Correct the bound by hand.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

need chromedriver
export_to=(javascript-mocha java-junit ruby-rspec csharp-xunit)
packages=("${export_to[@]/#/@seleniumhq/code-export-}")
npm_install side-code-export@4.0.13 "${packages[@]/%/@4.0.13}" mocha@11.7.6 selenium-webdriver@4.49.0
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
{"visits": [
  ["open", "/"],
  ["executeScript", "return ['one', 'two', 'three']", "list"],
  ["forEach", "list", "item"],
  ["executeScript", "document.querySelector('ul').append(arguments[0] ?? '', ' '); return ${item}", "last"],
  ["end"],
  ["echo", "${last}"]
]}
JSON
mkdir code
for format in "${export_to[@]}"; do node_modules/.bin/side-code-export "$work/node_modules/@seleniumhq/code-export-$format" "$work/flow.side" "$work/code" >>export.log; done
mv code/*.js visits.cjs
node_modules/.bin/mocha --require ./browser.cjs visits.cjs >seen.txt 2>&1 || true
expect "the last item that JavaScript's test visits" two "$(sed -n '/^one$\|^two$\|^three$/p' seen.txt | tail -n 1)"
expect "JavaScript's test" "1 passing" "$(grep -oE '[0-9]+ (passing|failing)' seen.txt | tr '\n' ' ' | sed 's/ $//')"
expect "the bound in JavaScript" "length - 1" "$(grep -oE 'length - 1' visits.cjs)"
expect "the bound in Java" "size() - 1" "$(grep -oE 'size\(\) - 1' code/*.java)"
expect "the loop in Ruby" "collection.each do" "$(grep -oE 'collection.each do' code/*.rb)"
expect "the loop in C#" "MoveNext()" "$(grep -oE 'MoveNext\(\)' code/*.cs)"
finish
