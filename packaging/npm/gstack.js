#!/usr/bin/env node
// Runs the program of this machine's package, with the same arguments, streams, signals and exit code.

const { spawn } = require('node:child_process');

const { name: own } = require('../package.json');

/** The names of packages that may fit, the likelier one first. */
function candidates() {
  const name = `${own}-${process.platform}-${process.arch}`;
  if (process.platform !== 'linux') return [name];
  const report = process.report?.getReport();
  const glibc = (typeof report === 'string' ? JSON.parse(report) : report)?.header?.glibcVersionRuntime;
  return glibc ? [name, `${name}-musl`] : [`${name}-musl`];
}

function program() {
  for (const name of candidates()) {
    try {
      return require.resolve(`${name}/bin/gstack`);
    } catch {
      // Not installed: the next one.
    }
  }
  return null;
}

const path = program();
if (!path) {
  console.error(
    `gstack: there is no program for ${process.platform} on ${process.arch}. If this machine is Linux or macOS on x64 or arm64, ` +
      'optional dependencies were left out: install again with --include=optional.',
  );
  process.exit(1);
}
// Before the program starts: a signal that arrived in between would end this process alone. It is delivered once this
// script has run, so the program has started by then.
process.on('SIGINT', () => {
  // A terminal sends Ctrl-C to both; the program decides what it means.
});
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
const child = spawn(path, process.argv.slice(2), { stdio: 'inherit' });
child.on('error', (error) => {
  console.error(`gstack: ${path} does not start: ${error.message}`);
  process.exit(1);
});
child.on('close', (code, signal) => {
  if (!signal) process.exit(code);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
