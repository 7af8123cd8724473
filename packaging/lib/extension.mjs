// The extension as the Chrome Web Store takes it: the files that the program carries too, with the same bytes each time.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesIn } from './files.mjs';
import { zip } from './zip.mjs';

/** As in src/install/extension.rs: what only the type checker reads is left out. */
const isShipped = (name) => !(name.endsWith('.d.ts') || /(^|\/)(tsconfig|jsconfig)\.json$/.test(name));

/** The manifest as the store takes it: the store gives the extension its key, and refuses one that names another. */
export function storeManifest(root) {
  const { key, ...manifest } = JSON.parse(readFileSync(join(root, 'extension/manifest.json'), 'utf8'));
  if (!key) throw new Error('the manifest has no key: the development id depends on it');
  return manifest;
}

/** @returns {Buffer} */
export function extensionZip(root) {
  const folder = join(root, 'extension');
  const content = (name) =>
    name === 'manifest.json' ? Buffer.from(`${JSON.stringify(storeManifest(root), null, 2)}\n`) : readFileSync(join(folder, name));
  return zip(
    filesIn(folder)
      .filter(isShipped)
      .map((name) => [name.replaceAll('\\', '/'), content(name)]),
  );
}
