/*
 * What each command says to the browser, and when: the DevTools messages of the daemon as `strace` sees them, one line an
 * exchange. Writes its part of PROFILES.md; with `--dry` it only prints. Needs strace; tracing makes each step slower,
 * so the times are good to compare with each other only.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import path from 'node:path';
import { TestHome } from '../../tests/e2e/harness/home.mjs';
import { CommandSocket } from '../command-socket.mjs';
import { servePages } from '../peers/pages.mjs';
import { replaceSection } from '../section.mjs';
import { exchanges } from './traced.mjs';

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
/** The daemon's own work after a command (file choosers) must not fall into the next one. */
const REST_MS = 1500;

const pages = await servePages();
const home = new TestHome({ port: false });
let socket;
try {
  mkdirSync(home.home, { mode: 0o700 });
  await home.connect(['--headless', pages.url('tiny')]);
  socket = new CommandSocket(home.home);
  const shown = await socket.run('snapshot');
  const [button, field] = [/(@e\d+) \[button\]/, /(@e\d+) \[textbox\]/].map((pattern) => pattern.exec(shown)[1]);
  const commands = [
    ['url'],
    ['click', button],
    ['fill', field, 'some text'],
    ['snapshot', '-i'],
    ['text'],
    ['screenshot'],
    ['goto', pages.url('tiny')],
  ];
  // Once before, so that nothing is the first time.
  for (const words of commands.slice(0, -1)) await socket.run(...words);
  const [{ pid }] = home.processes('daemon');
  const file = path.join(home.folder, 'trace');
  const calls = 'trace=write,writev,sendto,sendmsg,recvfrom,recvmsg,read,readv';
  const tracer = spawn('strace', ['-f', '-ttt', '-s', '6000', '-e', calls, '-o', file, '-p', String(pid)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(tracer, 'exit');
  // It says that it has attached.
  await Promise.race([once(tracer.stderr, 'data'), ended.then(() => Promise.reject(new Error('strace did not attach')))]);
  for (const words of commands) {
    await pause(REST_MS);
    await socket.run(...words);
  }
  await pause(REST_MS);
  tracer.kill('SIGTERM');
  await ended;
  const day = new Date().toISOString().slice(0, 10);
  let text = `${day}, the page *tiny*, load ${loadavg()[0].toFixed(1)}; \`node benches/goals/exchanges.mjs\`.\n\n`;
  text += '| command | ms since the request | to the browser |\n| --- | ---: | --- |\n';
  for (const { command, steps, answered } of exchanges(readFileSync(file, 'utf8'))) {
    for (const { at, words } of steps) text += `| ${command} | ${at.toFixed(1)} | ${words} |\n`;
    text += `| ${command} | ${answered.toFixed(1)} | *the answer to the command* |\n`;
  }
  console.log(text);
  if (!process.argv.includes('--dry')) replaceSection(new URL('PROFILES.md', import.meta.url), 'exchanges', text);
} finally {
  socket?.close();
  await home.stop();
  await pages.stop();
}
