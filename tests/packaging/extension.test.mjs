// The extension for the Chrome Web Store: reproducible, with the files that the program embeds, and no permission
// without a use and a reason.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { extensionZip, storeManifest } from '../../packaging/lib/extension.mjs';
import { filesIn } from '../../packaging/lib/files.mjs';
import { folder, ROOT, sha256 } from './support/release.mjs';

const read = (name) => readFileSync(join(ROOT, name), 'utf8');
const MANIFEST = JSON.parse(read('extension/manifest.json'));

test('the zip has the same bytes whatever the files are dated', (t) => {
  const copy = folder(t);
  cpSync(join(ROOT, 'extension'), join(copy, 'extension'), { recursive: true });
  for (const name of filesIn(join(copy, 'extension'))) utimesSync(join(copy, 'extension', name), 1, 1);
  assert.equal(sha256(extensionZip(copy)), sha256(extensionZip(ROOT)));
});

test('the zip is the extension that the program carries, without what only the type checker reads', (t) => {
  const at = folder(t);
  writeFileSync(join(at, 'extension.zip'), extensionZip(ROOT));
  const list = 'import sys,zipfile\nz=zipfile.ZipFile(sys.argv[1])\nz.extractall(sys.argv[2])\nprint("\\n".join(z.namelist()))';
  const names = execFileSync('python3', ['-c', list, join(at, 'extension.zip'), join(at, 'out')], { encoding: 'utf8' })
    .trim()
    .split('\n');
  assert.deepEqual(names, [...names].sort());
  assert.equal(new Set(names).size, names.length);
  const carried = filesIn(join(ROOT, 'extension')).filter((name) => !/\.d\.ts$|[jt]sconfig\.json$/.test(name));
  assert.deepEqual([...names].sort(), carried);
  for (const name of names.filter((name) => name !== 'manifest.json'))
    assert.ok(readFileSync(join(at, 'out', name)).equals(readFileSync(join(ROOT, 'extension', name))), name);
  const { key, ...rest } = MANIFEST;
  assert.ok(key);
  assert.deepEqual(JSON.parse(readFileSync(join(at, 'out/manifest.json'), 'utf8')), rest);
  assert.deepEqual(storeManifest(ROOT), rest);
});

/** The evidence that a permission is used. */
const USES = {
  nativeMessaging: /chrome\.runtime\.connectNative/,
  sidePanel: /chrome\.sidePanel/,
  tabs: /\.(title|url)\b/,
  scripting: /chrome\.scripting/,
  storage: /chrome\.storage/,
  unlimitedStorage: /chrome\.storage\.local/,
  debugger: /chrome\.debugger/,
  webNavigation: /chrome\.webNavigation/,
  sessions: /chrome\.sessions/,
  favicon: /_favicon/,
  notifications: /chrome\.notifications\.create/,
  tabGroups: /chrome\.tabGroups\.update/,
  downloads: /chrome\.downloads\.search/,
};
/** Chrome warns about them, so the person turns them on. */
const OPTIONAL = ['notifications', 'tabGroups', 'downloads'];

test('every permission is used by the code and has its reason in the listing, and the listing names no other', () => {
  const scripts = filesIn(join(ROOT, 'extension')).filter((name) => name.endsWith('.js') && !name.startsWith('vendor/'));
  const code = scripts.map((name) => read(`extension/${name}`)).join('\n');
  const section = read('docs/WEBSTORE.md').split('## Permissions')[1].split('Not asked for')[0];
  const reasons = [...section.matchAll(/^\| (`.*?) \| (.+) \|$/gm)].flatMap(([, names]) =>
    [...names.matchAll(/`([^`]+)`/g)].map(([, name]) => name),
  );
  const apis = [...MANIFEST.permissions, ...MANIFEST.optional_permissions];
  assert.deepEqual(MANIFEST.optional_permissions, OPTIONAL);
  for (const name of OPTIONAL) assert.match(section, new RegExp(`^\\| \`${name}\` \\(optional\\) \\|`, 'm'));
  assert.deepEqual(reasons.sort(), [...apis, ...MANIFEST.host_permissions].sort());
  assert.deepEqual(Object.keys(USES).sort(), [...apis].sort());
  for (const [permission, use] of Object.entries(USES)) assert.match(code, use, `${permission} is not used`);
  for (const refused of ['cookies', 'history', 'webRequest', '<all_urls>']) assert.ok(!reasons.includes(refused));
});

test('the store takes the manifest: lengths, version, icons and a policy without remote code', () => {
  assert.ok(MANIFEST.name.length <= 75);
  assert.match(MANIFEST.version, /^\d+(\.\d+){1,3}$/);
  const words = JSON.parse(read('extension/_locales/en/messages.json'));
  assert.ok(words.description.message.length <= 132, 'the short description has at most 132 characters');
  for (const size of ['16', '48', '128']) assert.ok(readFileSync(join(ROOT, 'extension', MANIFEST.icons[size])).length > 0);
  assert.match(MANIFEST.content_security_policy.extension_pages, /^default-src 'self';/);
  assert.doesNotMatch(MANIFEST.content_security_policy.extension_pages, /unsafe|https?:/);
});

test('the host lets in the extension ids of the program and no other', () => {
  const ids = read('src/protocol/lib.rs');
  const development = ids.match(/EXTENSION_ID: &str = "([a-p]{32})"/)[1];
  const store = ids.match(/STORE_EXTENSION_ID: Option<&str> = (?:None|Some\("([a-p]{32})"\))/)[1];
  const origins = [development, store].filter(Boolean).map((id) => `chrome-extension://${id}/`);
  assert.deepEqual(JSON.parse(read('manifests/io.gstack.host.json')).allowed_origins, origins);
  // An id is the first half of its key's SHA-256, in the letters a to p: nobody else can get a key with the development
  // id by chance.
  const half = sha256(Buffer.from(MANIFEST.key, 'base64')).slice(0, 32);
  assert.equal([...half].map((digit) => 'abcdefghijklmnop'[Number.parseInt(digit, 16)]).join(''), development);
});
