#!/usr/bin/env bash
# Packages: Chromium 156, ws 8.23.0 (npm)
# Guess: When one of two DevTools clients disconnects, the permissions that it had set end and those of the other client stay.
# Seen: If the leaving client had set any permission at all, every permission that any client had set is reset, also one of another name
#   that a client still connected had set; that client is not told. A client that set none resets none.
# Matters: With two tools on one browser, a short-lived one that grants the clipboard silently undoes what a long-lived one granted hours
#   ago, and the next page asks or fails. Keep one client that sets all permissions, or set them again after another client has left.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install ws@8.23.0
cat >clients.mjs <<'EOF'
import { connect, serve, wait } from './devtools.mjs';
const origin = `http://127.0.0.1:${await serve('')}`;
const first = await connect(process.argv[2]);
const page = await first.open(`${origin}/`);
const permission = () => page.value("navigator.permissions.query({ name: 'geolocation' }).then(({ state }) => state)");
const grant = (client, name) => client.send('Browser.setPermission', { origin, permission: { name }, setting: 'granted' });
// The effect of a departure comes a little later than the close.
const settled = async (read) => {
  for (let n = 0, last = await read(); n < 20; n++) {
    await wait(50);
    const now = await read();
    if (now !== last) return now;
  }
  return read();
};

await grant(first, 'geolocation');
const guest = await connect(process.argv[2]);
await guest.send('Browser.getVersion');
await guest.leave();
console.log(`permission, after a guest that set none: ${await settled(permission)}`);
const granter = await connect(process.argv[2]);
await grant(granter, 'notifications');
console.log(`permission, while another client sets a second one: ${await permission()}`);
await granter.leave();
console.log(`permission, after it has left: ${await settled(permission)}`);
process.exit();
EOF
chromium_start
node clients.mjs "$cdp" >seen.txt
seen() { sed -n "s/^$1: //p" seen.txt; }
expect "a guest that set none has left" granted "$(seen 'permission, after a guest that set none')"
expect "another client sets another permission" granted "$(seen 'permission, while another client sets a second one')"
expect "that client has left" prompt "$(seen 'permission, after it has left')"
finish
