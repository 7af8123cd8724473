#!/usr/bin/env bash
# Packages: Chromium 156 (feature WebMCPTesting), ws 8.23.0 (npm)
# Guess: If the page leaves while a WebMCP tool made by script works, its script is gone, and the call ends with "Error" or "Canceled".
# Seen: If the tool itself starts the navigation, the call ends as "Completed" with an empty list, although the tool was cut off in the
#   middle and answered nothing. If the page leaves for any other reason, such as a link that the person follows or a reload, the call does
#   not end: no `WebMCP.toolResponded` comes.
# Matters: A client takes "Completed" for the tool's word that its work is done, while half of it (the second of two requests) never
#   happened, and waits for ever if the person leaves. Watch the frame of the tool: once it has a new document, the outcome is unknown,
#   whatever the status says.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install ws@8.23.0
cat >calls.mjs <<'EOF'
import { connect, serve, wait } from './devtools.mjs';
const browser = await connect(process.argv[2]);
let second = 0;
const port = await serve(({ pathname }) => {
  if (pathname === '/second') second++;
  return '<a href="/cart">Cart</a>';
});
const slow = "await new Promise((resolve) => setTimeout(resolve, 1000)); await fetch('/second')";
const cases = {
  answers: `async () => { ${slow}; return 'done'; }`,
  'navigates itself': `async () => { location.href = '/cart'; ${slow}; return 'done'; }`,
  'a link is followed': `async () => { ${slow}; return 'done'; }`,
  'a reload': `async () => { ${slow}; return 'done'; }`,
};
for (const [name, execute] of Object.entries(cases)) {
  second = 0;
  const page = await browser.open(`http://localhost:${port}/`);
  await page('WebMCP.enable');
  await page('Page.enable');
  await page.value(`document.modelContext.registerTool({ name: 'tool', description: 'A tool', execute: ${execute} })`);
  const { frameId } = (await page.event('WebMCP.toolsAdded')).tools[0];
  await page('WebMCP.invokeTool', { frameId, toolName: 'tool', input: {} });
  if (name === 'a reload') await page('Page.reload');
  if (name === 'a link is followed') await page.value('document.links[0].click()');
  if (name !== 'answers') await page.event('Page.loadEventFired');
  const responded = await Promise.race([page.event('WebMCP.toolResponded').catch(() => {}), wait(5000)]);
  console.log(`${name}: ${responded ? `${responded.status} ${JSON.stringify(responded.output)}` : 'no answer in 5 s'}, second request: ${second}`);
}
process.exit();
EOF
chromium_start --enable-features=WebMCPTesting
node calls.mjs "$cdp" >seen.txt
seen() { sed -n "s/^$1: //p" seen.txt; }
expect "a page that stays" 'Completed "done", second request: 1' "$(seen answers)"
expect "a tool that navigates itself" "Completed [], second request: 0" "$(seen 'navigates itself')"
expect "a link that is followed during the call" "no answer in 5 s, second request: 0" "$(seen 'a link is followed')"
expect "a reload during the call" "no answer in 5 s, second request: 0" "$(seen 'a reload')"
finish
