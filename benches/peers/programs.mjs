/*
 * Runs programs to completion, and measures their CPU time.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';

const LIMIT_MS = 120_000;
/** The unit in /proc: Linux always uses this value there, on every processor. */
const TICKS_PER_SECOND = 100;

/** Runs a program and returns its standard output. Fails unless the exit code is 0. */
export function run([program, ...args], { env, cwd }) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { env, cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    // Not `timeout` of spawn: that timer of Node goes on after a program that could not be started, and holds this process open.
    const limit = setTimeout(() => child.kill(), LIMIT_MS);
    const failed = (error) => {
      clearTimeout(limit);
      reject(error);
    };
    const out = [];
    const err = [];
    child.stdout.on('data', (data) => out.push(data));
    child.stderr.on('data', (data) => err.push(data));
    child.once('error', failed).once('exit', (code, signal) => {
      clearTimeout(limit);
      // A daemon that it started may keep the pipes open, so wait only for the program's exit.
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

/** Returns the CPU time of all completed child processes, in milliseconds; null if the system does not report it. */
export function childrenMillis() {
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ');
    return ((Number(fields[13]) + Number(fields[14])) * 1000) / TICKS_PER_SECOND;
  } catch {
    return null;
  }
}
