#!/usr/bin/env bash
# Packages: turndown 7.2.5, dom-to-semantic-markdown 1.5.0, node-html-markdown 2.0.0, jsdom 29.1.1 (npm), html-to-markdown 3.21.2 (PyPI)
# Guess: A block of code keeps its lines, however the page makes them: by line ends, by `<br>`, or by one `<div>` a line as highlighters do.
# Seen: turndown and dom-to-semantic-markdown take the text of `<code>` alone, so that lines that a `<br>` or a `<div>` divides become one: "cd app" and "make"
#   are "cd appmake". node-html-markdown does so for `<div>`, and html-to-markdown for neither.
# Matters: An agent that reads documentation runs one wrong command instead of two. Put a line end behind each `<br>` and block in `<pre>` first.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install turndown@7.2.5 dom-to-semantic-markdown@1.5.0 node-html-markdown@2.0.0 jsdom@29.1.1
pip_install html-to-markdown==3.21.2
cat >convert.mjs <<'JS'
import semantic from 'dom-to-semantic-markdown';
import { JSDOM } from 'jsdom';
import { NodeHtmlMarkdown } from 'node-html-markdown';
import TurndownService from 'turndown';
const overrideDOMParser = new (new JSDOM('').window.DOMParser)();
const converters = {
  turndown: (html) => new TurndownService({ codeBlockStyle: 'fenced' }).turndown(html),
  'dom-to-semantic-markdown': (html) => semantic.convertHtmlToMarkdown(html, { overrideDOMParser }),
  'node-html-markdown': (html) => NodeHtmlMarkdown.translate(html),
};
const forms = { 'line end': 'cd app\nmake', br: 'cd app<br>make', div: '<div>cd app</div><div>make</div>' };
for (const [name, convert] of Object.entries(converters)) {
  for (const [form, code] of Object.entries(forms)) {
    const lines = convert(`<pre><code>${code}</code></pre>`).split('\n').filter((line) => line && !line.startsWith('```'));
    console.log(`${name}, ${form}: ${lines.join(' / ')}`);
  }
}
JS
cat >convert.py <<'PY'
import html_to_markdown
for form, code in (("line end", "cd app\nmake"), ("br", "cd app<br>make"), ("div", "<div>cd app</div><div>make</div>")):
    made = html_to_markdown.convert(f"<pre><code>{code}</code></pre>")
    made = made if isinstance(made, str) else made.content
    print(f"html-to-markdown, {form}:", " / ".join(line for line in made.split("\n") if line and not line.startswith("```")))
PY
{ node convert.mjs; python convert.py; } >seen.txt
for name in turndown dom-to-semantic-markdown; do
  expect "$name, a line end" "cd app / make" "$(seen "$name, line end")"
  for form in br div; do expect "$name, <$form>" "cd appmake" "$(seen "$name, $form")"; done
done
for name in node-html-markdown html-to-markdown; do
  for form in 'line end' br; do expect "$name, $form" "cd app / make" "$(seen "$name, $form")"; done
done
expect "node-html-markdown, <div>" "cd appmake" "$(seen 'node-html-markdown, div')"
expect "html-to-markdown, <div>" "cd app / make" "$(seen 'html-to-markdown, div')"
finish
