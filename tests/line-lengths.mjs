/*
 * Fails for each line of our scripts that is longer than the formatter's width, and names its file and number: Biome
 * wraps code, but no strings, templates or comments. Run by tests/run.sh lint. Usage: node line-lengths.mjs [FILE…]
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const [, width] = /"lineWidth": (\d+)/.exec(readFileSync('biome.jsonc', 'utf8'));
const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', '*.js', '*.mjs'];
/** Returns our scripts, also those that are not committed yet, without what others published. */
function scripts() {
  const all = execFileSync('git', list, { encoding: 'utf8' }).split('\0').filter(Boolean);
  return all.filter((file) => existsSync(file) && !/(^|\/)vendor\//.test(file));
}

const files = process.argv.length > 2 ? process.argv.slice(2) : scripts();
const long = files.flatMap((file) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .map((line, at) => ({ place: `${file}:${at + 1}`, length: [...line].length }))
    .filter(({ length }) => length > width),
);
for (const { place, length } of long) console.error(`${place}: ${length} characters, more than ${width}`);
if (files.length === 0) console.error('no scripts were found');
process.exitCode = long.length > 0 || files.length === 0 ? 1 : 0;
