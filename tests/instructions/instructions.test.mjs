/*
 * The instruction counts of the command line's fast paths, which do not depend on how busy the machine is.
 *
 * Compares with counts.json, for the compiler that was used to count; after an intended change: GSTACK_BLESS=1 node
 * --test tests/instructions/instructions.test.mjs
 */
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { GSTACK, TestHome } from '../e2e/harness/home.mjs';

const FILE = new URL('counts.json', import.meta.url);
/**
 * Runs on one machine differ by a fifth (how an answer arrives in pieces); on other machines, paths and the environment have
 * other lengths, and the system libraries differ. Building the whole command line for a command takes ten times as many.
 */
const TOLERANCE = 0.3;
/** Sent to a running daemon, or answered by the process itself, which builds only the command in question. */
const COMMANDS = [['url'], ['press', 'Shift'], ['--version'], ['--help'], ['help', 'click'], ['clik']];

function said(program, args) {
  try {
    return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return null;
  }
}

const compiler = `${said('rustc', ['--version'])}, ${process.platform} ${process.arch}`;
const blesses = Boolean(process.env.GSTACK_BLESS);
const known = JSON.parse(readFileSync(FILE, 'utf8'));
const skip =
  said('valgrind', ['--version']) === null
    ? 'valgrind is missing'
    : !blesses && known.compiler !== compiler
      ? `counted with ${known.compiler}, this is ${compiler}`
      : false;

/** Counts the instructions of one command, in the program and the libraries that it loads. */
async function count(home, words) {
  const counted = promisify(execFile)('valgrind', ['--tool=callgrind', '--callgrind-out-file=/dev/null', GSTACK, ...words], {
    env: home.environment,
    cwd: home.person,
  });
  // A failing command is counted like any other.
  const { stderr } = await counted.catch((error) => error);
  const collected = /Collected : (\d+)/.exec(stderr)?.[1];
  assert.ok(collected, `no count of ${words.join(' ')}:\n${stderr}`);
  return Number(collected);
}

test('the short ways of the command line take no more instructions than they did', { skip }, async (t) => {
  const home = new TestHome({ port: false });
  t.after(() => home.stop());
  await home.connect(['--headless', 'about:blank']);
  const counts = {};
  for (const words of COMMANDS) counts[words.join(' ')] = await count(home, words);
  if (blesses) writeFileSync(FILE, `${JSON.stringify({ compiler, counts }, null, 2)}\n`);
  const more = Object.entries(counts).filter(([name, found]) => !blesses && found > known.counts[name] * (1 + TOLERANCE));
  assert.deepEqual(
    more.map(([name, found]) => `${name}: ${found}, was ${known.counts[name]}`),
    [],
  );
});
