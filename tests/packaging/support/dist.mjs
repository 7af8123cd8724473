// A release's folder: the one that GSTACK_DIST names, or one that packaging/release.sh builds from stand-ins for every
// target.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { TARGETS } from '../../../packaging/lib/targets.mjs';
import { folder, homeFile, ROOT, standIn } from './release.mjs';

export const VERSION = readFileSync(join(ROOT, 'Cargo.toml'), 'utf8').match(/^version = "(.*)"$/m)[1];
/** Whether the release contains our stand-ins instead of programs. */
export const STANDS_IN = !process.env.GSTACK_DIST;

/** `home`: changed values of home.toml; `null` for the one of the checkout. */
export function makeRelease(out, binaries, environment = {}, home = {}) {
  const args = Object.entries(binaries).flatMap(([target, file]) => ['--binary', `${target}=${file}`]);
  const env = { ...process.env, MINISIGN_SECRET_KEY_FILE: '', ...environment };
  const at = mkdtempSync(join(tmpdir(), 'gstack-packaging-'));
  const published = home ? ['--home', homeFile(at, home)] : [];
  try {
    execFileSync(join(ROOT, 'packaging/release.sh'), ['--out', out, ...published, ...args], { env, stdio: 'pipe' });
  } finally {
    rmSync(at, { recursive: true });
  }
  return out;
}

/** Creates a stand-in for each target, each with different bytes but the same behaviour in a shell. */
export function standIns(t, body = '') {
  const at = folder(t);
  const made = Object.keys(TARGETS).map((target) => {
    const file = join(at, target);
    standIn(file, { version: VERSION, body: `${body}\n# ${target}` });
    return [target, file];
  });
  return Object.fromEntries(made);
}

export function dist(t, body) {
  if (process.env.GSTACK_DIST) return resolve(process.env.GSTACK_DIST);
  return makeRelease(join(folder(t), 'dist'), standIns(t, body));
}
