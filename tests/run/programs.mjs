/*
 * Reads what `cargo test --no-run --message-format json` prints, and prints a line for each test program: its name, the
 * folder that it runs in, and its path. The unit tests of a package are named after the package.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';

for (const line of readFileSync(process.argv[2], 'utf8').split('\n')) {
  if (!line.startsWith('{')) continue;
  const { executable, manifest_path: manifest, profile, reason, target } = JSON.parse(line);
  if (reason !== 'compiler-artifact' || !executable || !(profile.test || target.kind.includes('test'))) continue;
  const name = target.kind.includes('test') ? target.name : `${target.name} (${target.kind.includes('bin') ? 'program' : 'unit tests'})`;
  console.log([name.replaceAll(' ', '_'), path.dirname(manifest), executable].join('\t'));
}
