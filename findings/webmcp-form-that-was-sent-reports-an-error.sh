#!/usr/bin/env bash
# Packages: Chromium 156 (feature WebMCPTesting), ws 8.23.0 (npm)
# Guess: If the call of a WebMCP form tool (`toolname`, `toolautosubmit`) ends with "Error", the form was not sent, and the call may be made
#   again.
# Seen: A form that ends on another site, by its action or by a redirect, is sent, the server acts on it and the browser shows the other
#   site, and yet the call ends with "Error": "Cannot return tool results after a cross-origin navigation". The same form that ends on its
#   own site ends with "Completed".
# Matters: Paying and signing in usually end on another site. An agent that repeats a failed call orders twice. Take this error as "sent,
#   outcome unknown" and look at the page; treat only errors without a navigation as "nothing happened".
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install ws@8.23.0
cat >form.mjs <<'EOF'
import { connect, serve, until } from './devtools.mjs';
const browser = await connect(process.argv[2]);
let orders = 0;
const port = await serve(({ pathname, searchParams }, _, response) => {
  const form = `<form toolname="order" tooldescription="Orders" toolautosubmit action="/order"><input name="host"><button>Order</button></form>`;
  if (pathname !== '/order') return pathname === '/thanks' ? '<title>thanks</title>' : form;
  orders++;
  response.writeHead(303, { location: `http://${searchParams.get('host')}:${port}/thanks` }).end();
  return null;
});
for (const host of ['localhost', '127.0.0.1']) {
  orders = 0;
  const page = await browser.open(`http://localhost:${port}/`);
  await page('WebMCP.enable');
  const { tools } = await page.event('WebMCP.toolsAdded');
  await page('WebMCP.invokeTool', { frameId: tools[0].frameId, toolName: 'order', input: { host } });
  const { status, errorText } = await page.event('WebMCP.toolResponded');
  await until(async () => (await page.value('document.title')) === 'thanks');
  console.log(`${host}: ${status}, ${orders} order, ${/cross-origin navigation/.test(errorText) ? 'says cross-origin navigation' : 'no error'}`);
}
process.exit();
EOF
chromium_start --enable-features=WebMCPTesting
node form.mjs "$cdp" >seen.txt
expect "a form that ends on its own site" "Completed, 1 order, no error" "$(sed -n 's/^localhost: //p' seen.txt)"
expect "a form that ends on another site" "Error, 1 order, says cross-origin navigation" "$(sed -n 's/^127.0.0.1: //p' seen.txt)"
finish
