// Fails unless every file that names gstack's version names the same one, and the tag, if one is given, too.
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Each file that names the version, with the version that it names. */
export function versions(root) {
  const text = (name) => readFileSync(join(root, name), 'utf8');
  const json = (name) => JSON.parse(text(name));
  return {
    'Cargo.toml': text('Cargo.toml').match(/^version = "(.*)"$/m)[1],
    'Cargo.lock': text('Cargo.lock').match(/name = "gstack"\nversion = "(.*)"/)[1],
    'extension/manifest.json': json('extension/manifest.json').version,
    'gemini-extension.json': json('gemini-extension.json').version,
    'Claude Code marketplace': json('.claude-plugin/marketplace.json').metadata.version,
    'Cursor marketplace': json('.cursor-plugin/marketplace.json').metadata.version,
    'Claude Code plugin': json('plugins/gstack/.claude-plugin/plugin.json').version,
    'Codex plugin': json('plugins/gstack/.codex-plugin/plugin.json').version,
    'Cursor plugin': json('plugins/gstack/.cursor-plugin/plugin.json').version,
  };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const found = Object.entries(versions(resolve(import.meta.dirname, '..')));
  if (process.argv[2]) found.push(['the tag', process.argv[2].replace(/^v/, '')]);
  for (const [name, version] of found) console.log(`${version}  ${name}`);
  if (new Set(found.map(([, version]) => version)).size !== 1) {
    console.error('The versions differ.');
    process.exit(1);
  }
}
