// A release as tests see it: archives with a stand-in program, their signed manifest, and a server on loopback that can
// fail like real networks.
import { createHash } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { signer } from './minisign.mjs';

export const ROOT = resolve(import.meta.dirname, '../../..');

/** The key of the tests' releases. */
export const key = signer();

/** A home.toml as somebody who publishes gstack fills it in; nothing is at its address. */
export function homeFile(at, values = {}) {
  const file = join(at, 'home.toml');
  const all = {
    address: 'https://releases.invalid/owner/gstack',
    'release-key': key.publicKey,
    'npm-scope': '@owner',
    'mcp-name': 'io.example.owner/gstack',
    maintainer: 'Somebody <somebody@releases.invalid>',
    ...values,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name} = "${value}"\n`);
  writeFileSync(file, lines.join(''));
  return file;
}

export const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');

/**
 * Creates a folder that is removed after the test; `before` ends what runs in it, because hooks run in the order of
 * their creation.
 */
export function folder(t, before = () => {}) {
  const path = mkdtempSync(join(tmpdir(), 'gstack-packaging-'));
  t.after(() => {
    before();
    rmSync(path, { recursive: true, force: true });
  });
  return path;
}

/** Creates a program that gives the answers an installer needs, and records its arguments. */
export function standIn(path, { version = '9.9.9', calls = '/dev/null', body = '' } = {}) {
  const script = `#!/bin/sh
echo "$*" >> '${calls}'
${body}
case "$1" in
  --version) echo "gstack ${version}" ;;
  install-host) echo "Chromium  registered" ;;
  completions) echo "# completions for $2" ;;
  man) echo ".TH gstack" ;;
esac
`;
  writeFileSync(path, script);
  chmodSync(path, 0o755);
}

/**
 * Creates the archive `gstack-TARGET.tar.gz` with a stand-in, and the signed manifest; returns the release's folder.
 * `signed` makes the signature, `change` changes the archive's entry.
 */
export function release(at, target, { signed = (text) => key.sign(text), change = {}, ...options } = {}) {
  const name = `gstack-${target}`;
  mkdirSync(join(at, name), { recursive: true });
  standIn(join(at, name, 'gstack'), options);
  execFileSync('tar', ['-czf', `${name}.tar.gz`, name], { cwd: at });
  rmSync(join(at, name), { recursive: true });
  const archive = readFileSync(join(at, `${name}.tar.gz`));
  const entry = { file: `${name}.tar.gz`, size: archive.length, sha256: sha256(archive), ...change };
  const manifest = { version: options.version ?? '9.9.9', published: '2026-11-22', targets: { [target]: entry } };
  const text = `${JSON.stringify(manifest, null, 2)}\n`;
  writeFileSync(join(at, 'release.json'), text);
  const signature = signed(text);
  if (signature !== null) writeFileSync(join(at, 'release.json.minisig'), signature);
  return at;
}

/** Serves `answer(request, response)` by https; returns its address and the settings with which curl and wget trust it. */
export async function serveTls(t, answer) {
  const at = folder(t);
  const [cert, secret] = ['cert.pem', 'key.pem'].map((name) => join(at, name));
  const pair = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', secret, '-out', cert];
  const names = ['-subj', '/CN=Test', '-addext', 'subjectAltName=IP:127.0.0.1'];
  execFileSync('openssl', ['req', '-x509', ...pair, '-days', '2', ...names], { stdio: 'ignore' });
  writeFileSync(join(at, 'wgetrc'), `ca_certificate = ${cert}\n`);
  const server = createTlsServer({ cert: readFileSync(cert), key: readFileSync(secret) }, answer);
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `https://127.0.0.1:${server.address().port}`, env: { CURL_CA_BUNDLE: cert, WGETRC: join(at, 'wgetrc') } };
}

/**
 * Serves a folder. `answers[name](request, response, bytes)` replaces sending a file whole; `asked` lists the requested
 * names.
 */
export async function serve(t, at, answers = {}) {
  const asked = [];
  const server = createServer((request, response) => {
    const name = request.url.slice(1);
    asked.push(name);
    let bytes = null;
    try {
      bytes = readFileSync(join(at, name));
    } catch {
      response.writeHead(404).end();
      return;
    }
    if (answers[name]) answers[name](request, response, bytes);
    else response.writeHead(200, { 'content-length': bytes.length }).end(bytes);
  });
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${server.address().port}`, asked };
}
