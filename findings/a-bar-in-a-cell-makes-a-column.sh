#!/usr/bin/env bash
# Packages: turndown 7.2.5, turndown-plugin-gfm 1.0.2, @joplin/turndown-plugin-gfm 1.0.68, marked 18.2.1 (npm), markdownify 1.2.3, html2text 2025.4.15 (PyPI)
# Guess: A converter that writes Markdown tables escapes a bar in a cell, as it escapes `*` and `_` in text: a bar is what divides the cells.
# Seen: turndown's usual plugin, markdownify and html2text write the bar as it is. The cell "read|write" becomes two, what stood right of it moves a
#   column on, and the last cell is lost. A `<br>` in a cell makes the plugin and html2text begin a new line, which is a new row. Joplin's copy of the plugin
#   escapes both.
# Matters: A model that reads a page's table as Markdown sees values under the wrong headings, such as the types of an API's parameters. Replace bars
#   and breaks in cells before the conversion, or choose a converter that escapes them.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install turndown@7.2.5 turndown-plugin-gfm@1.0.2 @joplin/turndown-plugin-gfm@1.0.68 marked@18.2.1
pip_install markdownify==1.2.3 html2text==2025.4.15
cat >convert.py <<'PY'
import sys, html2text, markdownify
html = sys.stdin.read()
h2t = html2text.HTML2Text()
h2t.body_width = 0
print(h2t.handle(html) if sys.argv[1] == "html2text" else markdownify.markdownify(html))
PY
cat >cells.mjs <<'JS'
import { execFileSync } from 'node:child_process';
import joplin from '@joplin/turndown-plugin-gfm';
import { marked } from 'marked';
import TurndownService from 'turndown';
import usual from 'turndown-plugin-gfm';
const turndown = ({ gfm }) => (html) => new TurndownService().use(gfm).turndown(html);
const python = (name) => (html) => execFileSync('python', ['convert.py', name], { input: html, encoding: 'utf8' });
const converters = { 'turndown-plugin-gfm': turndown(usual), 'joplin': turndown(joplin), markdownify: python('markdownify'), html2text: python('html2text') };
for (const [name, convert] of Object.entries(converters)) {
  for (const [what, cell] of [['bar', 'read|write'], ['break', 'read<br>write']]) {
    const html = `<table><tr><th>name</th><th>mode</th><th>default</th></tr><tr><td>a</td><td>${cell}</td><td>none</td></tr></table>`;
    const rows = [...marked.parse(convert(html)).matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row]) => row);
    const cells = rows.slice(1).map((row) => [...row.matchAll(/<td>(.*?)<\/td>/gs)].map(([, text]) => text.replace(/\s*<br>\s*|\s+/g, ' ')).join(';'));
    console.log(`${name}, ${what}: ${cells.join(' / ')}`);
  }
}
JS
node cells.mjs >seen.txt
for name in turndown-plugin-gfm markdownify html2text; do expect "$name, a bar: the cells that a reader gets" "a;read;write" "$(seen "$name, bar")"; done
expect "Joplin's plugin, a bar" "a;read|write;none" "$(seen 'joplin, bar')"
expect "turndown-plugin-gfm, a break: the rows that a reader gets" "a;read; / write;none;" "$(seen 'turndown-plugin-gfm, break')"
expect "html2text, a break" "a;read; / write;none;" "$(seen 'html2text, break')"
expect "markdownify, a break" "a;read write;none" "$(seen 'markdownify, break')"
expect "Joplin's plugin, a break" "a;read write;none" "$(seen 'joplin, break')"
finish
