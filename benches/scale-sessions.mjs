/*
 * What sessions of `gstack run` cost on this machine: memory (PSS), the time to open, and the time of a command, with 1,
 * 10 and 50 headless browsers. Usage: node benches/scale-sessions.mjs [COUNT…]. Prints a row for each count.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { processesOf } from '../tests/e2e/harness/processes.mjs';

const GSTACK = process.env.GSTACK_BIN ?? new URL('../target/debug/gstack', import.meta.url).pathname;
const COMMANDS = 20;
const pause = (time) => new Promise((resolve) => setTimeout(resolve, time));

/** Returns the process's share of memory in MiB: pages that several processes use are divided among them. */
function memory(pid) {
  try {
    return Number(/^Pss: *(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

async function measure(count) {
  const folder = mkdtempSync(path.join(tmpdir(), 'gs-'));
  const home = path.join(folder, 'g');
  const env = { ...process.env, HOME: folder, GSTACK_HOME: home, GO: path.join(folder, 'go') };
  const script = path.join(folder, 'wait.sh');
  writeFileSync(script, '#!/bin/sh\necho "$GSTACK_SESSION" > "$GSTACK_OUT/began"\nwhile [ ! -e "$GO" ]; do sleep 0.2; done\n', {
    mode: 0o755,
  });
  const out = path.join(folder, 'out');
  const started = performance.now();
  const run = spawn(GSTACK, ['run', script, '--browsers', String(count), '--timeout', '3600', '--out', out], { env, stdio: 'ignore' });
  const ended = once(run, 'close');
  const began = (index) => path.join(out, 'items', String(index), 'began');
  const all = Array.from({ length: count }, (_, index) => index);
  while (!all.every((index) => existsSync(began(index)))) {
    if (run.exitCode !== null) throw new Error('the run ended early');
    await pause(100);
  }
  const opened = (performance.now() - started) / 1000;
  const sessions = readdirSync(path.join(home, 'instances'));
  const times = Array.from({ length: COMMANDS }, (_, index) => {
    const start = performance.now();
    execFileSync(GSTACK, ['--session', sessions[index % sessions.length], 'js', '1'], { env });
    return performance.now() - start;
  }).sort((a, b) => a - b);
  const total = processesOf(home).reduce((sum, { pid }) => sum + memory(pid), 0);
  writeFileSync(env.GO, '');
  await ended;
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  const row = [count, opened.toFixed(1), (total / count).toFixed(0), times[COMMANDS / 2].toFixed(0), loadavg()[0].toFixed(1)];
  console.log(`| ${row.join(' | ')} |`);
}

console.log('| sessions | seconds until all are open | MiB each | ms per command (median) | load |\n|---|---|---|---|---|');
const counts = process.argv.slice(2).map(Number);
for (const count of counts.length ? counts : [1, 10, 50]) await measure(count);
