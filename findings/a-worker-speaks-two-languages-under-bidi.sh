#!/usr/bin/env bash
# Packages: ChromeDriver 156 and Chromium 156 (Debian), ws 8.23.0 (npm)
# Guess: `emulation.setLocaleOverride` gives a tab one language, for the page, its frames and its workers.
# Seen: The page and its frames use the new language everywhere. In a dedicated worker `Intl` uses the new language, and so does the request
#   for its script, but `navigator.language` is still the browser's.
# Matters: An application that formats and translates in a worker mixes two languages in such a test, which no real browser does. Pass the
#   language from the page to the worker.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install ws@8.23.0
chromedriver_start
cat >probe.mjs <<'JS'
import { bidi } from './bidi.mjs';
import { serve } from './devtools.mjs';
const asked = {};
const facts = '[navigator.language, Intl.DateTimeFormat().resolvedOptions().locale]';
const port = await serve((address, request, response) => {
  asked[address.pathname] = request.headers['accept-language'];
  if (address.pathname.endsWith('.js')) response.setHeader('content-type', 'text/javascript').end(`postMessage(${facts})`);
  else return '<iframe src="/frame"></iframe>'.repeat(address.pathname === '/');
  return null;
});
await bidi(process.argv[2], async ({ send, context, go, value }) => {
  await go(`http://127.0.0.1:${port}/`);
  const before = await value('navigator.language');
  const name = (language) => (language === 'ja-JP' ? 'new' : language === before ? 'old' : language);
  await send('emulation.setLocaleOverride', { locale: 'ja-JP', contexts: [context] });
  await go(`http://127.0.0.1:${port}/`);
  const frame = `frames[0].eval('${facts}')`;
  const worker = `new Promise((resolve) => { new Worker('/worker.js').onmessage = ({ data }) => resolve(data); })`;
  for (const [where, expression] of Object.entries({ page: facts, frame, worker }))
    console.log(`${where}:`, (await value(expression)).map(name).join(', '));
  console.log('asked:', ['/', '/frame', '/worker.js'].map((path) => name(asked[path])).join(', '));
});
process.exit();
JS
node probe.mjs "$driver" >seen.txt
expect "navigator.language and Intl of the page" "new, new" "$(seen page)"
expect "of a frame" "new, new" "$(seen frame)"
expect "of a worker" "old, new" "$(seen worker)"
expect "accept-language of the page, the frame, the worker's script" "new, new, new" "$(seen asked)"
finish
