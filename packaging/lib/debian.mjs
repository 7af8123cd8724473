// Builds the .deb: the program, its manual page and completions, and host manifests for all users of the machine, so
// that no user has to register it. dpkg-deb builds it; the bytes depend on SOURCE_DATE_EPOCH alone.
import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { copy, filesIn, gzipped, put, settle } from './files.mjs';

const PROGRAM = '/usr/bin/gstack';
// The folders where browsers look for the hosts of all users. Source: Chromium's chrome/common/chrome_paths.cc (Brave
// and Vivaldi keep its folder) and
// https://learn.microsoft.com/microsoft-edge/extensions-chromium/developer-guide/native-messaging
export const HOST_FOLDERS = [
  '/etc/opt/chrome/native-messaging-hosts',
  '/etc/chromium/native-messaging-hosts',
  '/etc/opt/edge/native-messaging-hosts',
];

/**
 * @param {{root: string, home: Record<string, string>, work: string, out: string, version: string, glibc: string, architecture: string,
 *   folder: string}} of `folder` contains the program and its documents
 */
export function debian({ root, home, work, out, version, glibc, architecture, folder }) {
  const tree = join(work, `deb-${architecture}`);
  const place = (from, to, mode) => copy(join(folder, from), join(tree, to), mode);
  place('gstack', PROGRAM, 0o755);
  put(join(tree, 'usr/share/man/man1/gstack.1.gz'), gzipped(readFileSync(join(folder, 'gstack.1'))));
  place('completions/gstack.bash', 'usr/share/bash-completion/completions/gstack');
  place('completions/gstack.fish', 'usr/share/fish/vendor_completions.d/gstack.fish');
  place('completions/_gstack', 'usr/share/zsh/vendor-completions/_gstack');
  copy(join(root, 'LICENSE'), join(tree, 'usr/share/doc/gstack/copyright'));
  put(join(tree, 'usr/share/doc/gstack/changelog.gz'), gzipped(readFileSync(join(root, 'CHANGELOG.md'))));
  const manifest = JSON.parse(readFileSync(join(root, 'manifests/io.gstack.host.json'), 'utf8'));
  const hosts = HOST_FOLDERS.map((at) => `${at}/${manifest.name}.json`);
  for (const host of hosts) put(join(tree, host), `${JSON.stringify({ ...manifest, path: PROGRAM }, null, 2)}\n`);
  const size = filesIn(tree).reduce((sum, name) => sum + statSync(join(tree, name)).size, 0);
  put(join(tree, 'DEBIAN/conffiles'), `${hosts.join('\n')}\n`);
  put(
    join(tree, 'DEBIAN/control'),
    `Package: gstack
Version: ${version.replace('-', '~')}
Architecture: ${architecture}
Maintainer: ${home.maintainer || 'gstack contributors'}
Installed-Size: ${Math.ceil(size / 1024)}
Depends: libc6 (>= ${glibc})
Recommends: bubblewrap, curl, chromium | google-chrome-stable | microsoft-edge-stable | brave-browser
Section: web
Priority: optional
${home.address ? `Homepage: ${home.address}\n` : ''}Description: coding agent in the browser's side panel
 A side panel for chatting with a coding agent about the page in view, and a
 command line that drives the same browser.
`,
  );
  settle(tree);
  const file = join(out, `gstack_${version.replace('-', '~')}_${architecture}.deb`);
  execFileSync('dpkg-deb', ['--build', '--root-owner-group', '-Zxz', tree, file], { stdio: ['ignore', 'ignore', 'inherit'] });
  return file;
}
