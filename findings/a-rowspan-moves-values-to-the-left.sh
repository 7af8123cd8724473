#!/usr/bin/env bash
# Packages: turndown 7.2.5, @joplin/turndown-plugin-gfm 1.0.68, node-html-markdown 2.0.0, rehype-parse 9.0.1, rehype-remark 10.0.1, remark-gfm 4.0.1, remark-stringify 11.0.0,
#   unified 11.0.5 (npm), markdownify 1.2.3, html2text 2025.4.15, html-to-markdown 3.21.2 (PyPI)
# Guess: Markdown has no cells over several rows, so a converter leaves the cell below a `rowspan` empty; the converters that know `colspan` do.
# Seen: turndown's plugin, node-html-markdown, markdownify and html2text write the next row as if the spanned cell were not there: its values move a
#   column to the left. node-html-markdown even adds the missing cell, at the right end. rehype-remark and html-to-markdown leave the cell empty.
# Matters: "Tuesday" under "Week" is not a missing value but a wrong one, in timetables, price lists and tables of an API. Put a copy of the cell into
#   each row that it covers before the conversion.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install turndown@7.2.5 @joplin/turndown-plugin-gfm@1.0.68 node-html-markdown@2.0.0 rehype-parse@9.0.1 rehype-remark@10.0.1 remark-gfm@4.0.1 remark-stringify@11.0.0 unified@11.0.5
pip_install markdownify==1.2.3 html2text==2025.4.15 html-to-markdown==3.21.2
cat >table.html <<'HTML'
<table><tr><th>Week</th><th>Day</th></tr><tr><td rowspan="2">48</td><td>Monday</td></tr><tr><td>Tuesday</td></tr></table>
HTML
cat >convert.mjs <<'JS'
import { readFileSync } from 'node:fs';
import joplin from '@joplin/turndown-plugin-gfm';
import { NodeHtmlMarkdown } from 'node-html-markdown';
import rehypeParse from 'rehype-parse';
import rehypeRemark from 'rehype-remark';
import remarkGfm from 'remark-gfm';
import remarkStringify from 'remark-stringify';
import TurndownService from 'turndown';
import { unified } from 'unified';
const html = readFileSync('table.html', 'utf8');
const remark = unified().use(rehypeParse).use(rehypeRemark).use(remarkGfm).use(remarkStringify);
const made = {
  turndown: new TurndownService().use(joplin.gfm).turndown(html), 'node-html-markdown': NodeHtmlMarkdown.translate(html),
  'rehype-remark': String(remark.processSync(html)),
};
for (const [name, markdown] of Object.entries(made)) console.log(`${name}: ${markdown.trim().split('\n').at(-1).replace(/ +/g, ' ').trim()}`);
JS
cat >convert.py <<'PY'
import html2text, html_to_markdown, markdownify
html = open("table.html").read()
made = {"markdownify": markdownify.markdownify(html), "html2text": html2text.HTML2Text().handle(html), "html-to-markdown": html_to_markdown.convert(html)}
for name, markdown in made.items():
    markdown = markdown if isinstance(markdown, str) else markdown.content
    print(f"{name}:", " ".join(markdown.strip().split("\n")[-1].split()))
PY
{ node convert.mjs; python convert.py; } >seen.txt
expect "turndown's last row, of which Tuesday is the day" "| Tuesday |" "$(seen turndown)"
expect "node-html-markdown" "| Tuesday | |" "$(seen node-html-markdown)"
expect "markdownify" "| Tuesday |" "$(seen markdownify)"
expect "html2text" "Tuesday" "$(seen html2text)"
expect "rehype-remark" "| | Tuesday |" "$(seen rehype-remark)"
expect "html-to-markdown" "| | Tuesday |" "$(seen html-to-markdown)"
finish
