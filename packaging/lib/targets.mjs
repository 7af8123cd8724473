// The targets of a release and their names for each packager. This is the only table: the tests compare the archives,
// npm, Debian, the formula and install.sh with it.

/** Keyed by Rust's target triple. `node` is npm's `os`, `cpu` and `libc`. */
export const TARGETS = {
  'x86_64-unknown-linux-gnu': { npm: 'linux-x64', node: { os: 'linux', cpu: 'x64', libc: 'glibc' }, debian: 'amd64', arch: 'x86_64' },
  'aarch64-unknown-linux-gnu': { npm: 'linux-arm64', node: { os: 'linux', cpu: 'arm64', libc: 'glibc' }, debian: 'arm64', arch: 'aarch64' },
  'x86_64-unknown-linux-musl': { npm: 'linux-x64-musl', node: { os: 'linux', cpu: 'x64', libc: 'musl' } },
  'aarch64-unknown-linux-musl': { npm: 'linux-arm64-musl', node: { os: 'linux', cpu: 'arm64', libc: 'musl' } },
  'x86_64-apple-darwin': { npm: 'darwin-x64', node: { os: 'darwin', cpu: 'x64' } },
  'aarch64-apple-darwin': { npm: 'darwin-arm64', node: { os: 'darwin', cpu: 'arm64' } },
};
