// Writes files whose bytes depend only on their content: fixed modes, fixed times, sorted names.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { gzipSync } from 'node:zlib';

export const epoch = () => Number(process.env.SOURCE_DATE_EPOCH ?? 0);

export const sha256 = (file) => createHash('sha256').update(readFileSync(file)).digest('hex');

export function put(file, content, mode = 0o644) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  chmodSync(file, mode);
}

export function copy(from, to, mode = 0o644) {
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, to);
  chmodSync(to, mode);
}

/** Returns every file below a folder, as paths relative to it, sorted by code point. */
export function filesIn(folder) {
  const found = [];
  const walk = (at) => {
    for (const entry of readdirSync(at, { withFileTypes: true })) {
      const path = join(at, entry.name);
      if (entry.isDirectory()) walk(path);
      else found.push(relative(folder, path));
    }
  };
  walk(folder);
  return found.sort((a, b) => (a < b ? -1 : 1));
}

/** Sets every mode and time below a folder, including its own. */
export function settle(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) settle(path);
    else utimesSync(path, epoch(), epoch());
  }
  chmodSync(folder, 0o755);
  utimesSync(folder, epoch(), epoch());
}

/** Compresses with gzip, without a name and a time. */
export const gzipped = (bytes) => gzipSync(bytes, { level: 9 });

/** Creates a .tar.gz of one folder in `at` with GNU tar. */
export function archive(at, name, file) {
  settle(join(at, name));
  const flags = ['--sort=name', `--mtime=@${epoch()}`, '--owner=0', '--group=0', '--numeric-owner', '--format=ustar'];
  const tar = execFileSync('tar', [...flags, '-cf', '-', name], { cwd: at, maxBuffer: 1 << 30 });
  put(file, gzipped(tar));
}
