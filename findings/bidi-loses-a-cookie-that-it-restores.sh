#!/usr/bin/env bash
# Packages: ChromeDriver 156 and Chromium 156 (Debian), ws 8.23.0 (npm)
# Guess: What `storage.getCookies` of WebDriver BiDi returned can be given to `storage.setCookie`, cookie by cookie, to restore a login.
# Seen: A cookie that the server set without SameSite is read as `sameSite: "none"`, `secure: false`. `storage.setCookie` with these values
#   succeeds, but the cookie is not stored: Chromium rejects "none" without Secure. Without `sameSite` it is stored.
# Matters: A restored session is not logged in, although each call succeeded. Omit `sameSite` for cookies that are "none" and not secure, and read
#   the cookies again after setting them.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install ws@8.23.0
chromedriver_start
cat >probe.mjs <<'JS'
import { bidi } from './bidi.mjs';
import { serve } from './devtools.mjs';
let sent;
const port = await serve((address, request, response) => {
  sent = request.headers.cookie ?? 'none';
  const cookies = ['plain=1', 'lax=1; SameSite=Lax', 'strict=1; SameSite=Strict', 'none=1; SameSite=None; Secure'];
  if (address.pathname === '/set') response.setHeader('set-cookie', cookies);
  return 'page';
});
await bidi(process.argv[2], async ({ send, go }) => {
  const list = async () => (await send('storage.getCookies')).cookies;
  await go(`http://localhost:${port}/set`);
  const cookies = await list();
  for (const { name, sameSite, secure } of cookies) console.log(`${name}:`, sameSite, secure ? 'secure' : 'not secure');
  const restore = async (change) => {
    await send('storage.deleteCookies');
    for (const cookie of cookies) await send('storage.setCookie', { cookie: change(cookie) });
    await go(`http://localhost:${port}/`);
    return `${(await list()).map(({ name }) => name).sort().join(' ')}, sent: ${sent.split('; ').sort().join(' ')}`;
  };
  console.log('as read:', await restore((cookie) => cookie));
  console.log('without it:', await restore(({ sameSite, ...cookie }) => (cookie.secure ? { sameSite, ...cookie } : cookie)));
});
process.exit();
JS
node probe.mjs "$driver" >seen.txt
expect "a cookie without SameSite, as it is read" "none not secure" "$(seen plain)"
expect "one with SameSite=None; Secure" "none secure" "$(seen none)"
expect "after setting all as they were read" "lax none strict, sent: lax=1 none=1 strict=1" "$(seen 'as read')"
expect "after setting those that are not secure without sameSite" "lax none plain strict, sent: lax=1 none=1 plain=1 strict=1" "$(seen 'without it')"
finish
