/*
 * Running a program to its end, and what it used of the processors.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';

const LIMIT_MS = 120_000;
/** Of /proc: Linux counts in these whatever the processor does. */
const TICKS_PER_SECOND = 100;

/** Runs it; gives standard output, and fails unless the exit code is 0. */
export function run([program, ...args], { env, cwd }) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { env, cwd, stdio: ['ignore', 'pipe', 'pipe'], timeout: LIMIT_MS });
    const out = [];
    const err = [];
    child.stdout.on('data', (data) => out.push(data));
    child.stderr.on('data', (data) => err.push(data));
    child.once('error', reject).once('exit', (code, signal) => {
      // A daemon that it has started may keep the pipes open: the end of the program counts.
      setImmediate(() => {
        const text = Buffer.concat(out).toString();
        if (code === 0) resolve(text);
        else
          reject(
            new Error(
              `${path.basename(program)} ${args.join(' ').slice(0, 100)}: ${code ?? signal}\n${Buffer.concat(err)}${text.slice(0, 400)}`,
            ),
          );
      });
    });
  });
}

/** Milliseconds of processor time of all programs that this one has run to their ends; null where nothing tells. */
export function childrenMillis() {
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ');
    return ((Number(fields[13]) + Number(fields[14])) * 1000) / TICKS_PER_SECOND;
  } catch {
    return null;
  }
}
