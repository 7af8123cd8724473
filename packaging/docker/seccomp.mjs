// Reads Docker's default seccomp profile and prints it with user namespaces allowed, which Chromium's sandbox and
// bubblewrap need. Everything else stays refused.
//
//   node packaging/docker/seccomp.mjs < default.json > gstack-seccomp.json
//
// The profile of your engine: https://github.com/moby/profiles/blob/main/seccomp/default.json
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

/** What a program without rights calls to put itself into namespaces of its own. */
const NAMESPACES = ['chroot', 'clone', 'clone3', 'mount', 'pivot_root', 'setns', 'umount2', 'unshare'];

export function withNamespaces(profile) {
  if (profile.defaultAction !== 'SCMP_ACT_ERRNO' || !Array.isArray(profile.syscalls)) {
    throw new Error("this is not Docker's default profile: it must refuse what it does not name");
  }
  return { ...profile, syscalls: [{ names: NAMESPACES, action: 'SCMP_ACT_ALLOW' }, ...profile.syscalls] };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  process.stdout.write(`${JSON.stringify(withNamespaces(JSON.parse(readFileSync(0, 'utf8'))), null, 2)}\n`);
}
