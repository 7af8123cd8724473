#!/usr/bin/env bash
# Packages: Chromium 156 (feature WebMCPTesting), ws 8.23.0 (npm)
# Guess: A WebMCP tool that is a plain form (`toolname`, `toolautosubmit`) and leads to a result page answers with the page's text or
#   address, or with nothing, as the page that offered it is gone.
# Seen: The call outlives the navigation and answers with the JSON-LD of the next page: a list of what its `application/ld+json` scripts
#   contain. Of the text that a person sees there it has nothing, and a page without JSON-LD answers with an empty list, as "Completed".
# Matters: On most sites the markup for search engines is about the shop or the breadcrumbs, and the result, or the error, is in the text.
#   An agent that reads the answer as the outcome is told of a success that it knows nothing about. Read the page after such a call; who
#   offers a form should add the outcome as JSON-LD, or answer by `SubmitEvent.respondWith`.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install ws@8.23.0
cat >form.mjs <<'EOF'
import { connect, serve } from './devtools.mjs';
const browser = await connect(process.argv[2]);
const linked = '<script type="application/ld+json">{"@type":"WebSite","name":"Shop"}</script>';
const port = await serve(({ pathname, searchParams }) => {
  const form = `<form toolname="order" tooldescription="Orders" toolautosubmit action="/result"><input name="marked"><button>Order</button></form>`;
  const result = `<title>result</title>${searchParams.get('marked') === 'yes' ? linked : ''}<p>Sold out: nothing was ordered</p>`;
  return pathname === '/result' ? result : form;
});
for (const marked of ['yes', 'no']) {
  const page = await browser.open(`http://localhost:${port}/`);
  await page('WebMCP.enable');
  const { tools } = await page.event('WebMCP.toolsAdded');
  await page('WebMCP.invokeTool', { frameId: tools[0].frameId, toolName: 'order', input: { marked } });
  const { status, output } = await page.event('WebMCP.toolResponded');
  console.log(`${marked}: ${status} ${JSON.stringify(output)}, on "${await page.value('document.title + ": " + document.body.textContent')}"`);
}
process.exit();
EOF
chromium_start --enable-features=WebMCPTesting
node form.mjs "$cdp" >seen.txt
expect "the result page has JSON-LD" 'Completed [{"@type":"WebSite","name":"Shop"}], on "result: Sold out: nothing was ordered"' "$(sed -n 's/^yes: //p' seen.txt)"
expect "the result page has none" 'Completed [], on "result: Sold out: nothing was ordered"' "$(sed -n 's/^no: //p' seen.txt)"
finish
