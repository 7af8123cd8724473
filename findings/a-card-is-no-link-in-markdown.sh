#!/usr/bin/env bash
# Packages: turndown 7.2.5, node-html-markdown 2.0.0, rehype-parse 9.0.1, rehype-remark 10.0.1, remark-stringify 11.0.0, unified 11.0.5, marked 18.2.1 (npm),
#   markdownify 1.2.3, html-to-markdown 3.21.2 (PyPI)
# Guess: A link around a heading and a text, as a card in a list of results has it, is a link in Markdown too: its blocks become one line.
# Seen: turndown and markdownify write the brackets around the blocks. No parser of Markdown takes that for a link: what is read is "[", a heading,
#   a paragraph and "](/a)" as text. node-html-markdown joins the words without a blank ("TitleText"), html-to-markdown puts one, rehype-remark makes a link of each block.
# Matters: A tool that takes the links from the Markdown finds none of the results. Take links from the HTML, or put the link into the heading first.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install turndown@7.2.5 node-html-markdown@2.0.0 rehype-parse@9.0.1 rehype-remark@10.0.1 remark-stringify@11.0.0 unified@11.0.5 marked@18.2.1
pip_install markdownify==1.2.3 html-to-markdown==3.21.2
cat >convert.mjs <<'JS'
import { execFileSync } from 'node:child_process';
import { marked } from 'marked';
import { NodeHtmlMarkdown } from 'node-html-markdown';
import rehypeParse from 'rehype-parse';
import rehypeRemark from 'rehype-remark';
import remarkStringify from 'remark-stringify';
import TurndownService from 'turndown';
import { unified } from 'unified';
const remark = unified().use(rehypeParse).use(rehypeRemark).use(remarkStringify);
const code = {
  markdownify: 'print(markdownify.markdownify(sys.stdin.read()))',
  html_to_markdown: 'made = html_to_markdown.convert(sys.stdin.read()); print(made if isinstance(made, str) else made.content)',
};
const python = (name) => (input) => execFileSync('python', ['-c', `import sys, ${name}; ${code[name]}`], { input, encoding: 'utf8' });
const converters = {
  turndown: (html) => new TurndownService().turndown(html), markdownify: python('markdownify'), 'html-to-markdown': python('html_to_markdown'),
  'node-html-markdown': (html) => NodeHtmlMarkdown.translate(html), 'rehype-remark': (html) => String(remark.processSync(html)),
};
for (const [name, convert] of Object.entries(converters)) {
  const links = (html) => [...marked.parse(convert(html)).matchAll(/<a href="\/a">(.*?)<\/a>/gs)].map(([, text]) => text).join(' / ') || 'none';
  console.log(`${name}, card: ${links('<a href="/a"><h3>Title</h3><p>Text</p></a>')}`);
  console.log(`${name}, heading: ${links('<h3><a href="/a">Title</a></h3><p>Text</p>')}`);
}
JS
node convert.mjs >seen.txt
for name in turndown markdownify; do expect "$name, the links of a card" none "$(seen "$name, card")"; done
expect "node-html-markdown, the links of a card" TitleText "$(seen 'node-html-markdown, card')"
expect "html-to-markdown, the links of a card" "Title Text" "$(seen 'html-to-markdown, card')"
expect "rehype-remark, the links of a card" "Title / Text" "$(seen 'rehype-remark, card')"
for name in turndown markdownify node-html-markdown html-to-markdown rehype-remark; do expect "$name, a link in the heading" Title "$(seen "$name, heading")"; done
finish
