// Packages the extension for the Chrome Web Store: the same files that the program embeds, reproducibly.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesIn } from './files.mjs';
import { zip } from './zip.mjs';

/** As in src/install/extension.rs: excludes files that only the type checker reads. */
const isShipped = (name) => !(name.endsWith('.d.ts') || /(^|\/)(tsconfig|jsconfig)\.json$/.test(name));

/**
 * The manifest for the store: the store assigns the extension its key and rejects a manifest that contains another one.
 */
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
