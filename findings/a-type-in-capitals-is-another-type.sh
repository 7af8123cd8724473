#!/usr/bin/env bash
# Packages: happy-dom 21.0.4, node-html-parser 9.0.7, cheerio 1.2.0, linkedom 0.18.15, jsdom 29.1.1, ws 8.23.0 (npm), parsel 1.12.1, cssselect 1.6.0, lxml 6.1.3,
#   soupsieve 4.1.3, beautifulsoup4 4.15.0 (PyPI), Chromium 156
# Guess: The value in `[type=submit]` is compared letter by letter, as values are, unless an `i` stands behind it.
# Seen: Not in HTML: for `type` and 45 other attributes a browser ignores case, so that `[type=submit]` finds `type="SUBMIT"`, and so do cheerio, linkedom, jsdom
#   and soupsieve. parsel, cssselect, happy-dom and node-html-parser find nothing. `data-` attributes are compared letter by letter by all.
# Matters: A selector that was tried in the browser finds nothing on old and generated pages. Write `[type=submit i]`: of
#   these nine happy-dom alone refuses it.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install happy-dom@21.0.4 node-html-parser@9.0.7 cheerio@1.2.0 linkedom@0.18.15 jsdom@29.1.1 ws@8.23.0
pip_install parsel==1.12.1 cssselect==1.6.0 lxml==6.1.3 soupsieve==4.1.3 beautifulsoup4==4.15.0
echo '<!doctype html><html><body><input type="SUBMIT" data-kind="SUBMIT"></body></html>' >page.html
cat >find.mjs <<'JS'
import { readFileSync } from 'node:fs';
import * as cheerio from 'cheerio';
import { Window } from 'happy-dom';
import { JSDOM } from 'jsdom';
import { parseHTML } from 'linkedom';
import { parse } from 'node-html-parser';
import { connect, serve } from './devtools.mjs';
const html = readFileSync('page.html', 'utf8');
const browser = await connect(process.argv[2]);
const page = await browser.open(`http://127.0.0.1:${await serve(html)}/`);
const happy = new Window();
happy.document.write(html);
const engines = {
  Chromium: (css) => page.value(`document.querySelectorAll('${css}').length`), jsdom: (css) => new JSDOM(html).window.document.querySelectorAll(css).length,
  linkedom: (css) => parseHTML(html).document.querySelectorAll(css).length, cheerio: (css) => cheerio.load(html)(css).length,
  'node-html-parser': (css) => parse(html).querySelectorAll(css).length, 'happy-dom': (css) => happy.document.querySelectorAll(css).length,
};
for (const [name, find] of Object.entries(engines)) {
  for (const css of ['[type=submit]', '[type=submit i]', '[data-kind=submit]']) {
    let found;
    try { found = await find(css); } catch { found = 'refused'; }
    console.log(`${name} ${css.replace(/[[\]]/g, '')}: ${found}`);
  }
}
process.exit();
JS
cat >find.py <<'PY'
import bs4, cssselect, lxml.html, parsel, soupsieve
html = open("page.html").read()
engines = {
    "soupsieve": lambda css: soupsieve.select(css, bs4.BeautifulSoup(html, "html.parser")),
    "cssselect": lambda css: lxml.html.fromstring(html).xpath(cssselect.HTMLTranslator().css_to_xpath(css)),
    "parsel": lambda css: parsel.Selector(text=html).css(css),
}
for name, find in engines.items():
    for css in ("[type=submit]", "[type=submit i]", "[data-kind=submit]"):
        print(f"{name} {css.strip('[]')}:", len(find(css)))
PY
chromium_start
{ node find.mjs "$cdp"; python find.py; } >seen.txt
for name in Chromium jsdom linkedom cheerio soupsieve; do expect "$name, [type=submit]" 1 "$(seen "$name type=submit")"; done
for name in happy-dom node-html-parser cssselect parsel; do expect "$name, [type=submit]" 0 "$(seen "$name type=submit")"; done
for name in Chromium jsdom linkedom cheerio soupsieve node-html-parser cssselect parsel; do expect "$name, [type=submit i]" 1 "$(seen "$name type=submit i")"; done
for name in Chromium jsdom linkedom cheerio soupsieve node-html-parser cssselect parsel happy-dom; do expect "$name, [data-kind=submit]" 0 "$(seen "$name data-kind=submit")"; done
finish
