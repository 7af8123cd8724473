#!/usr/bin/env bash
# Packages: rehype-parse 9.0.1, rehype-remark 10.0.1, remark-stringify 11.0.0, unified 11.0.5, turndown 7.2.5, marked 18.2.1 (npm), markdownify 1.2.3 (PyPI)
# Guess: A converter to Markdown writes letters as letters, and escapes with a backslash what could be taken for markup.
# Seen: Where bold text touches a word and begins or ends with a blank or a punctuation mark, remark-stringify writes the letters at its sides as character
#   references: `vat<b>(19%)</b>net` becomes `va&#x74;**(19%)**&#x6E;et`. A Markdown parser reads that right; turndown and markdownify write the letters.
# Matters: Search, a diff and a model see another word, as what they read is the source: "vat" is not found in it. Where Markdown is read as text, move blanks and
#   marks out of `<b>` and `<em>` before the conversion, or decode such references behind it.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install rehype-parse@9.0.1 rehype-remark@10.0.1 remark-stringify@11.0.0 unified@11.0.5 turndown@7.2.5 marked@18.2.1
pip_install markdownify==1.2.3
cat >convert.mjs <<'JS'
import { marked } from 'marked';
import rehypeParse from 'rehype-parse';
import rehypeRemark from 'rehype-remark';
import remarkStringify from 'remark-stringify';
import TurndownService from 'turndown';
import { unified } from 'unified';
const remark = (html) => String(unified().use(rehypeParse).use(rehypeRemark).use(remarkStringify).processSync(html)).trim();
const marks = '<p>vat<b>(19%)</b>net</p>';
console.log(`marks: ${remark(marks)}`);
console.log(`read: ${marked.parse(remark(marks)).trim()}`);
console.log(`blanks: ${remark('<p>on<b> sale </b>now</p>')}`);
console.log(`words: ${remark('<p>un<b>believ</b>able</p>')}`);
console.log(`turndown: ${new TurndownService().turndown(marks)}`);
JS
node convert.mjs >seen.txt
expect "remark-stringify, bold with marks inside words" 'va&#x74;**(19%)**&#x6E;et' "$(seen marks)"
expect "what a parser makes of that" '<p>vat<strong>(19%)</strong>net</p>' "$(seen read)"
expect "bold with blanks at its ends" 'o&#x6E;**&#x20;sale&#x20;**&#x6E;ow' "$(seen blanks)"
expect "bold with letters at its ends" 'un**believ**able' "$(seen words)"
expect "turndown" 'vat**(19%)**net' "$(seen turndown)"
expect "markdownify" 'vat**(19%)**net' "$(python -c 'import markdownify; print(markdownify.markdownify("<p>vat<b>(19%)</b>net</p>").strip())')"
finish
