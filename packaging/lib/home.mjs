// Reads packaging/home.toml: where gstack is published, under which names, and the key of its releases.
//
//   node packaging/lib/home.mjs NAME    prints one value; fails if it is empty
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/** What each value must look like: they become parts of URLs, shell scripts and JSON. */
const FORMS = {
  address: /^https:\/\/[a-z0-9.-]+(\/[A-Za-z0-9._-]+)+$/,
  'release-key': /^RW[A-Za-z0-9+/]{54}$/,
  'npm-scope': /^@[a-z0-9-]+$/,
  'mcp-name': /^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/,
  maintainer: /^[\p{L}\p{N} .-]+ <[A-Za-z0-9._+-]+@[A-Za-z0-9.-]+>$/u,
};

/** @returns {Record<keyof typeof FORMS, string>} each value; an empty string if it is not filled in */
export function readHome(file) {
  const lines = readFileSync(file, 'utf8').split('\n');
  const found = Object.fromEntries(Object.keys(FORMS).map((name) => [name, '']));
  for (const line of lines.filter((one) => one.trim() && !one.startsWith('#'))) {
    const [, name, value] = line.match(/^([a-z-]+) = "([^"\\]*)"$/) ?? [];
    if (!FORMS[name]) throw new Error(`${file}: ${line} is not understood`);
    if (value && !FORMS[name].test(value)) throw new Error(`${file}: ${value} can't be the ${name}`);
    found[name] = value;
  }
  if (found['mcp-name'] && !found['npm-scope']) throw new Error(`${file}: mcp-name needs npm-scope`);
  return found;
}

/** Whether releases can be offered: somebody owns the address, and has the key. */
export const isPublished = (home) => Boolean(home.address && home['release-key']);

/** Returns install.sh with the address, the key and the version of a release. */
export function installer(script, home, version) {
  const values = { address: home.address, key: home['release-key'], own_version: version };
  return Object.entries(values).reduce((text, [name, value]) => {
    const line = `\n${name}=''\n`;
    if (!text.includes(line)) throw new Error(`install.sh has no line ${name}=''`);
    return text.replace(line, `\n${name}='${value}'\n`);
  }, script);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const value = readHome(join(resolve(import.meta.dirname, '../..'), 'packaging/home.toml'))[process.argv[2]];
  if (!value) {
    console.error(`packaging/home.toml has no ${process.argv[2]}`);
    process.exit(1);
  }
  console.log(value);
}
