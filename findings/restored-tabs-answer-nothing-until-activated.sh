#!/usr/bin/env bash
# Packages: ws 8.23.0 (npm), Chromium 156
# Guess: After `--restore-last-session` each restored tab is a page: it loads, and a DevTools client that attaches can read it.
# Seen: a tab that was behind another is a target with its address and title, and attaching to it works, but it has no page yet: no command
#   that needs one is answered, without an error, until the tab is activated. Then it loads from the cache, without a request, with the
#   text that was typed, and with an empty `window.name`. A popup, and what a script had opened, is loaded at once.
# Matters: A client that attaches to all tabs of a person's browser after a restart waits for ever at the first such tab, although
#   `Target.getTargets` lists it as any other. Bound the first command to each tab by a time, and activate the tab, or leave it alone, when
#   it ends.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install ws@8.23.0
cat >restore.mjs <<'EOF'
import { connect, serve, until, wait } from './devtools.mjs';
const [cdp, step, port] = process.argv.slice(2);
const browser = await connect(cdp);
if (step === 'open') {
  const page = await browser.open(`http://127.0.0.1:${port}/first`);
  await page.value("document.querySelector('input').value = 'typed'; window.name = 'named'");
  await browser.open(`http://127.0.0.1:${port}/second`);
  // The browser writes its session to disk a few seconds later.
  await wait(8000);
  await browser.send('Browser.close');
} else {
  const find = async () => (await browser.targets('page')).find(({ url }) => url.endsWith('/first'));
  const { targetId, title } = await until(find);
  const page = await browser.attach(targetId);
  const look = () => Promise.race([page.value("document.readyState + ', ' + document.visibilityState"), wait(4000).then(() => 'no reply in 4 s')]);
  console.log(`listed: ${title}`);
  console.log(`before: ${await look()}`);
  await browser.send('Target.activateTarget', { targetId });
  await until(async () => (await look()) === 'complete, visible');
  console.log(`activated: ${await page.value("`${document.querySelector('input').value}, window.name \"${window.name}\"`")}`);
}
process.exit();
EOF
cat >site.mjs <<'EOF'
import { writeFileSync } from 'node:fs';
import { serve } from './devtools.mjs';
let count = 0;
writeFileSync('port', String(await serve(({ pathname }) => {
  if (pathname !== '/favicon.ico') writeFileSync('count', String(++count));
  return `<title>${pathname}</title><form><input></form>`;
})));
EOF
background node site.mjs
until_true 10 test -s port
chromium_start
node restore.mjs "$cdp" open "$(cat port)"
until_true 20 sh -c '! [ -L "$1/SingletonLock" ]' sh "$profile"
before=$(cat count)
reuse=$profile chromium_start --restore-last-session
node restore.mjs "$cdp" look "$(cat port)" >seen.txt
seen() { sed -n "s/^$1: //p" seen.txt; }
expect "the tab behind, as it is listed" "/first" "$(seen listed)"
expect "a command to it" "no reply in 4 s" "$(seen before)"
expect "once it is activated" 'typed, window.name ""' "$(seen activated)"
expect "requests for its page" 0 "$(($(cat count) - before))"
finish
