#!/usr/bin/env bash
# Packages: turndown 7.2.5, turndown-plugin-gfm 1.0.2, @joplin/turndown-plugin-gfm 1.0.68 (npm), markdownify 1.2.3 (PyPI)
# Guess: A `<caption>` becomes a line above the Markdown table, or is left out.
# Seen: It changes the table. markdownify leaves out the line of dashes, so that no table is left; turndown's usual plugin gives back the table as HTML;
#   Joplin's copy takes the headings for data and puts an empty row of headings above them. Without the caption all three write the same table.
# Matters: Tables with captions are the carefully made ones. Move the text of each caption in front of its table before the conversion.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install turndown@7.2.5 turndown-plugin-gfm@1.0.2 @joplin/turndown-plugin-gfm@1.0.68
pip_install markdownify==1.2.3
cat >convert.mjs <<'JS'
import joplin from '@joplin/turndown-plugin-gfm';
import TurndownService from 'turndown';
import usual from 'turndown-plugin-gfm';
for (const [name, { gfm }] of Object.entries({ usual, joplin })) {
  for (const caption of ['', '<caption>Prices</caption>']) {
    const markdown = new TurndownService().use(gfm).turndown(`<table>${caption}<tr><th>item</th></tr><tr><td>pen</td></tr></table>`);
    console.log(`${name}${caption && ' with'}: ${markdown.split(/\n+/).map((line) => line.replace(/\s+/g, ' ')).join(' ')}`);
  }
}
JS
cat >convert.py <<'PY'
import markdownify
for name, caption in (("markdownify", ""), ("markdownify with", "<caption>Prices</caption>")):
    markdown = markdownify.markdownify(f"<table>{caption}<tr><th>item</th></tr><tr><td>pen</td></tr></table>")
    print(f"{name}:", " ".join(markdown.split()))
PY
{ node convert.mjs; python convert.py; } >seen.txt
for name in usual joplin markdownify; do expect "$name, without a caption" "| item | | --- | | pen |" "$(seen "$name")"; done
expect "markdownify, with one" "Prices | item | | pen |" "$(seen 'markdownify with')"
expect "turndown-plugin-gfm, with one" "<table><caption>Prices</caption><tbody><tr><th>item</th></tr><tr><td>pen</td></tr></tbody></table>" "$(seen 'usual with')"
expect "Joplin's plugin, with one" "Prices | | | --- | | item | | pen |" "$(seen 'joplin with')"
finish
