// Prints the part of CHANGELOG.md about one version: the notes of its release.
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

export function notes(changelog, version) {
  const part = changelog.split(/^## /m).find((one) => one.startsWith(`${version}\n`));
  if (!part) throw new Error(`CHANGELOG.md has no heading "## ${version}"`);
  return part.slice(version.length).trim();
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const changelog = readFileSync(join(resolve(import.meta.dirname, '..'), 'CHANGELOG.md'), 'utf8');
  console.log(notes(changelog, (process.argv[2] ?? '').replace(/^v/, '')));
}
