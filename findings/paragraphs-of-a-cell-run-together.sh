#!/usr/bin/env bash
# Packages: node-html-markdown 2.0.0, rehype-parse 9.0.1, rehype-remark 10.0.1, remark-gfm 4.0.1, remark-stringify 11.0.0, unified 11.0.5, turndown 7.2.5,
#   @joplin/turndown-plugin-gfm 1.0.68 (npm), html2text 2025.4.15, markdownify 1.2.3 (PyPI)
# Guess: A converter that must put two paragraphs of a table's cell onto one line leaves a blank between them, as it does for blocks elsewhere.
# Seen: node-html-markdown, rehype-remark and html2text write "1920" for the paragraphs "19" and "20"; node-html-markdown does so for a `<br>` and the items
#   of a list too. Outside of a table all write two paragraphs. markdownify leaves blanks, Joplin's plugin for turndown `<br>`.
# Matters: Two prices, dates or ids become one that is wrong and looks right. Put a blank behind each block and break in a cell before the conversion.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install node-html-markdown@2.0.0 rehype-parse@9.0.1 rehype-remark@10.0.1 remark-gfm@4.0.1 remark-stringify@11.0.0 unified@11.0.5 turndown@7.2.5 @joplin/turndown-plugin-gfm@1.0.68
pip_install html2text==2025.4.15 markdownify==1.2.3
cat >convert.mjs <<'JS'
import { execFileSync } from 'node:child_process';
import joplin from '@joplin/turndown-plugin-gfm';
import { NodeHtmlMarkdown } from 'node-html-markdown';
import rehypeParse from 'rehype-parse';
import rehypeRemark from 'rehype-remark';
import remarkGfm from 'remark-gfm';
import remarkStringify from 'remark-stringify';
import TurndownService from 'turndown';
import { unified } from 'unified';
const remark = unified().use(rehypeParse).use(rehypeRemark).use(remarkGfm).use(remarkStringify);
const code = { html2text: 'html2text.HTML2Text().handle', markdownify: 'markdownify.markdownify' };
const python = (name) => (input) => execFileSync('python', ['-c', `import sys, ${name}; print(${code[name]}(sys.stdin.read()))`], { input, encoding: 'utf8' });
const converters = {
  'node-html-markdown': (html) => NodeHtmlMarkdown.translate(html), 'rehype-remark': (html) => String(remark.processSync(html)),
  joplin: (html) => new TurndownService().use(joplin.gfm).turndown(html), html2text: python('html2text'), markdownify: python('markdownify'),
};
const forms = { paragraphs: '<p>19</p><p>20</p>', break: '19<br>20', list: '<ul><li>19</li><li>20</li></ul>' };
for (const [name, convert] of Object.entries(converters)) {
  for (const [form, cell] of Object.entries(forms)) {
    const lines = convert(`<table><tr><th>price</th></tr><tr><td>${cell}</td></tr></table>`).trim().split('\n').slice(2);
    console.log(`${name}, ${form}: ${lines.join(' ').replace(/[|\s]+/g, ' ').trim()}`);
  }
  console.log(`${name}, outside: ${convert(forms.paragraphs).trim().split(/\s+/).join(' ')}`);
}
JS
node convert.mjs >seen.txt
for name in node-html-markdown rehype-remark html2text; do expect "$name, two paragraphs in a cell" 1920 "$(seen "$name, paragraphs")"; done
for form in break list; do expect "node-html-markdown, a $form in a cell" 1920 "$(seen "node-html-markdown, $form")"; done
expect "markdownify, two paragraphs in a cell" "19 20" "$(seen 'markdownify, paragraphs')"
expect "Joplin's plugin, two paragraphs in a cell" "19<br><br>20" "$(seen 'joplin, paragraphs')"
for name in node-html-markdown rehype-remark html2text markdownify joplin; do expect "$name, outside of a table" "19 20" "$(seen "$name, outside")"; done
finish
