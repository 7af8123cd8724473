#!/usr/bin/env bash
# Packages: cheerio 1.2.0, linkedom 0.18.15, node-html-parser 9.0.7, jsdom 29.1.1, ws 8.23.0 (npm), soupsieve 4.1.3, beautifulsoup4 4.15.0, cssselect 1.6.0, lxml 6.1.3
#   (PyPI), Chromium 156
# Guess: `:disabled` and `:enabled` are standard, so that engines outside a browser match what a browser does, also within `<fieldset disabled>`.
# Seen: cheerio, linkedom and node-html-parser, which use css-select, look at the field's own attribute alone: a field of a disabled fieldset is
#   `:enabled`, and not `:disabled`. Chromium, jsdom, soupsieve and cssselect know the fieldset, and that its first legend is excepted.
# Matters: A scraper or test that lists `input:enabled` lists fields that nobody can fill. Test with `:not(fieldset[disabled] *)` as well, and mind the legend.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install cheerio@1.2.0 linkedom@0.18.15 node-html-parser@9.0.7 jsdom@29.1.1 ws@8.23.0
pip_install soupsieve==4.1.3 beautifulsoup4==4.15.0 cssselect==1.6.0 lxml==6.1.3
cat >page.html <<'HTML'
<!doctype html><html><body><form><fieldset disabled><legend><input id="legend"></legend><input id="inside"></fieldset><input id="own" disabled><input id="free"></form></body></html>
HTML
cat >find.mjs <<'JS'
import { readFileSync } from 'node:fs';
import * as cheerio from 'cheerio';
import { JSDOM } from 'jsdom';
import { parseHTML } from 'linkedom';
import { parse } from 'node-html-parser';
import { connect, serve } from './devtools.mjs';
const html = readFileSync('page.html', 'utf8');
const browser = await connect(process.argv[2]);
const page = await browser.open(`http://127.0.0.1:${await serve(html)}/`);
const ids = (elements) => [...elements].map(({ id }) => id);
const engines = {
  Chromium: (css) => page.value(`[...document.querySelectorAll('${css}')].map(({ id }) => id)`), jsdom: (css) => ids(new JSDOM(html).window.document.querySelectorAll(css)),
  cheerio: (css) => cheerio.load(html)(css).toArray().map(({ attribs }) => attribs.id),
  linkedom: (css) => ids(parseHTML(html).document.querySelectorAll(css)), 'node-html-parser': (css) => ids(parse(html).querySelectorAll(css)),
};
for (const [name, find] of Object.entries(engines)) {
  for (const css of ['input:disabled', 'input:enabled']) console.log(`${name} ${css}: ${(await find(css)).join(' ')}`);
}
process.exit();
JS
cat >find.py <<'PY'
import bs4, cssselect, lxml.html, soupsieve
html = open("page.html").read()
for css in ("input:disabled", "input:enabled"):
    print(f"soupsieve {css}:", *(e["id"] for e in soupsieve.select(css, bs4.BeautifulSoup(html, "html.parser"))))
    print(f"cssselect {css}:", *(e.get("id") for e in lxml.html.fromstring(html).xpath(cssselect.HTMLTranslator().css_to_xpath(css))))
PY
chromium_start
{ node find.mjs "$cdp"; python find.py; } >seen.txt
for name in Chromium jsdom soupsieve cssselect; do
  expect "$name, input:disabled" "inside own" "$(seen "$name input:disabled")"
  expect "$name, input:enabled" "legend free" "$(seen "$name input:enabled")"
done
for name in cheerio linkedom node-html-parser; do
  expect "$name, input:disabled" "own" "$(seen "$name input:disabled")"
  expect "$name, input:enabled" "legend inside free" "$(seen "$name input:enabled")"
done
finish
