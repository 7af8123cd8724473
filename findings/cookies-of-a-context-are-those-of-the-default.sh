#!/usr/bin/env bash
# Packages: ws 8.23.0 (npm), Chromium 156
# Guess: On the session of a page, `Storage.getCookies`, `setCookies` and `clearCookies` mean the browser context in which that page is, as `Network.getCookies` does.
# Seen: They mean the default context. For a page of another context `getCookies` returns the cookies of the default one, `setCookies` sets one there, and `clearCookies`
#   deletes all of them there and none of the page's own. `browserContextId` is refused on a page's session. On the browser's session it works as it should.
# Matters: A driver that isolates its work in a context and clears up there logs a person out of every site. Send these commands on the browser's session with
#   `browserContextId`, or use `Network.getAllCookies` and `Network.setCookie`, which keep to the page's context.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install ws@8.23.0
cat >look.mjs <<'EOF'
import { connect, serve, until } from './devtools.mjs';
const browser = await connect(process.argv[2]);
const origin = `http://127.0.0.1:${await serve(({ pathname, search }, request, response) => {
  if (pathname === '/set') response.setHeader('set-cookie', `${search.slice(1)}=1; Path=/`);
  return 'page';
})}`;
const names = ({ cookies }) => cookies.map(({ name }) => name).sort().join(' ') || 'none';
await browser.open(`${origin}/set?default`);
const { browserContextId } = await browser.send('Target.createBrowserContext');
const { targetId } = await browser.send('Target.createTarget', { url: `${origin}/set?other`, browserContextId });
const page = await browser.attach(targetId);
const stores = async () => {
  const other = names(await browser.send('Storage.getCookies', { browserContextId }));
  return `default: ${names(await browser.send('Storage.getCookies'))}; other: ${other}`;
};
await until(async () => (await stores()) === 'default: default; other: other');
console.log(`before: ${await stores()}`);
console.log(`page: ${names(await page('Storage.getCookies'))}`);
console.log(`network: ${names(await page('Network.getAllCookies'))}`);
console.log(`named: ${await page('Storage.getCookies', { browserContextId }).then(names, () => 'refused')}`);
await page('Storage.setCookies', { cookies: [{ name: 'added', value: '1', url: origin }] });
console.log(`set: ${await stores()}`);
await page('Network.setCookie', { name: 'net', value: '1', url: origin });
console.log(`network set: ${await stores()}`);
await page('Storage.clearCookies');
console.log(`clear: ${await stores()}`);
process.exit();
EOF
chromium_start
node look.mjs "$cdp" >seen.txt
expect "both stores before" "default: default; other: other" "$(seen before)"
expect "Storage.getCookies on the session of the other context's page" default "$(seen page)"
expect "Network.getAllCookies there" other "$(seen network)"
expect "Storage.getCookies with browserContextId there" refused "$(seen named)"
expect "after Storage.setCookies there" "default: added default; other: other" "$(seen set)"
expect "after Network.setCookie there" "default: added default; other: net other" "$(seen 'network set')"
expect "after Storage.clearCookies there" "default: none; other: net other" "$(seen clear)"
finish
