/*
 * Writes a generated section of a Markdown file: what stands between `<!-- NAME -->` and `<!-- /NAME -->`.
 */
import { readFileSync, writeFileSync } from 'node:fs';

function marksOf(name) {
  return new RegExp(`(<!-- ${name} -->\\n)([^]*?)(<!-- /${name} -->)`);
}

/** Returns the section as it stands in the file. @param {URL} file @param {string} name */
export function section(file, name) {
  const found = marksOf(name).exec(readFileSync(file, 'utf8'));
  if (!found) throw new Error(`${file.pathname} has no section ${name}`);
  return found[2];
}

/** Replaces the section. @param {URL} file @param {string} name @param {string} text */
export function replaceSection(file, name, text) {
  section(file, name);
  const before = readFileSync(file, 'utf8');
  writeFileSync(
    file,
    before.replace(marksOf(name), (_, head, _old, tail) => `${head}${text}${tail}`),
  );
}
