#!/usr/bin/env bash
# Packages: ws 8.23.0 (npm), Chromium 156
# Guess: After `chrome.storage.local.set({ key: value })` has succeeded, `get` returns that value, null as in JSON, or nothing.
# Seen: If the value is undefined, NaN, Infinity, a BigInt or a function, `set` succeeds and the key keeps the value from before. In an object such a member is left out, in
#   an array it is null. A typed array is refused by `local` and `sync`, and is `{}` in `session`.
# Matters: A setting that is to be cleared by `undefined`, or a figure that became NaN, silently stays what it was. Use `remove`, or null.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install ws@8.23.0
mkdir extension
echo '{"manifest_version": 3, "name": "e", "version": "1", "permissions": ["storage"], "background": {"service_worker": "worker.js"}}' >extension/manifest.json
cat >extension/worker.js <<'JS'
async function change(area, value) {
  await chrome.storage[area].set({ key: 'old' });
  try { await chrome.storage[area].set({ key: value }); } catch { return 'refused'; }
  return JSON.stringify((await chrome.storage[area].get()).key);
}
JS
cat >look.mjs <<'EOF'
import { connect, until } from './devtools.mjs';
const browser = await connect(process.argv[2]);
const find = async () => (await browser.targets('service_worker')).find(({ url }) => url.endsWith('/worker.js'))?.targetId;
const worker = await browser.attach(await until(find));
await until(() => worker.value('typeof change === "function"'));
for (const area of ['local', 'session', 'sync']) {
  const after = async (value) => worker.value(`change('${area}', ${value})`);
  for (const value of ['undefined', 'NaN', 'Infinity', '5n', '() => 1']) console.log(`${area} ${value}: ${await after(value)}`);
  console.log(`${area} null: ${await after('null')}`);
  console.log(`${area} inside: ${await after('{ a: NaN, b: [NaN], c: 1 }')}`);
  console.log(`${area} bytes: ${await after('new Uint8Array([1, 2])')}`);
}
process.exit();
EOF
chromium_start --load-extension="$work/extension" --disable-features=DisableLoadExtensionCommandLineSwitch
node look.mjs "$cdp" >seen.txt
for area in local session sync; do
  for value in undefined NaN Infinity 5n '() => 1'; do expect "$area, the key after it was set to $value" '"old"' "$(seen "$area $value")"; done
  expect "$area, after null" null "$(seen "$area null")"
  expect "$area, inside of an object" '{"b":[null],"c":1}' "$(seen "$area inside")"
done
for area in local sync; do expect "$area, after bytes" refused "$(seen "$area bytes")"; done
expect "session, after bytes" '{}' "$(seen 'session bytes')"
finish
