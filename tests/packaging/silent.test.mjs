// gstack sends nothing home: under strace, its processes connect only to unix sockets and loopback, whatever they are
// asked to do.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { connections, isLocal } from './support/connections.mjs';
import { folder, ROOT } from './support/release.mjs';

const BUILT = process.env.GSTACK_BIN ?? join(ROOT, 'target/debug/gstack');
const traces =
  spawnSync('strace', ['-f', '--seccomp-bpf', '--pidns-translation', '-e', 'trace=execve', '-o', '/dev/null', 'true']).status === 0;

test('the reader of traces tells programs and addresses apart', () => {
  const elsewhere =
    '{sa_family=AF_INET6, sin6_port=htons(443), sin6_flowinfo=htonl(0), inet_pton(AF_INET6, "2001:db8::1", &sin6_addr), sin6_scope_id=0}';
  const trace = `10 execve("/bin/sh", ["sh"], 0x1 /* 3 vars */) = 0
10 clone(child_stack=NULL, flags=SIGCHLD <unfinished ...>
11 execve("/usr/bin/gstack", ["gstack"], 0x1 /* 3 vars */) = 0
10 <... clone resumed>, child_tidptr=0x7f) = 11
11 clone3({flags=CLONE_VM}, 88) = 12
12 connect(5, {sa_family=AF_UNIX, sun_path="/home/you/.gstack/http.sock"}, 110) = 0
12 connect(5, {sa_family=AF_INET, sin_port=htons(80), sin_addr=inet_addr("127.0.0.1")}, 16) = 0
12 connect(5, {sa_family=AF_INET, sin_port=htons(443), sin_addr=inet_addr("203.0.113.7")}, 16 <unfinished ...>
12 sendto(6, "x", 1, 0, {sa_family=AF_INET, sin_port=htons(53), sin_addr=inet_addr("203.0.113.53")}, 16) = 1
12 connect(5, ${elsewhere}, 28) = -1 ENETUNREACH
11 clone(child_stack=NULL) = 13
13 execve("/usr/bin/chromium", ["chromium"], 0x1) = 0
13 clone(child_stack=NULL) = 14
15 clone(child_stack=NULL, flags=CLONE_NEWPID) = 2 /* 16 in strace's PID NS */
14 execve("/proc/self/exe", ["zygote"], 0x1) = 0
14 connect(5, {sa_family=AF_INET, sin_port=htons(443), sin_addr=inet_addr("203.0.113.9")}, 16) = 0`;
  const found = connections(trace);
  const away = found.filter((one) => !isLocal(one)).map(({ program, address }) => `${basename(program)} ${address}`);
  assert.deepEqual(away, ['gstack 203.0.113.7', 'gstack 203.0.113.53', 'gstack 2001:db8::1', 'chromium 203.0.113.9']);
  assert.equal(found.length, 6);
});

test('everyday commands connect to nothing but this machine', { skip: !traces && 'strace is missing or may not trace' }, async (t) => {
  const home = folder(t, () => {
    for (const command of ['disconnect', 'stop']) spawnSync(BUILT, [command], { env, stdio: 'ignore' });
  });
  const { GSTACK_TOKEN, ...outside } = process.env;
  const env = { ...outside, HOME: home, GSTACK_HOME: join(home, 'gstack') };
  const page = createServer((_, response) => response.setHeader('content-type', 'text/html').end('<title>t</title><button>b</button>'));
  await new Promise((ready) => page.listen(0, '127.0.0.1', ready));
  t.after(() => {
    page.closeAllConnections();
    page.close();
  });
  const address = `http://127.0.0.1:${page.address().port}/`;
  const lines = [
    '--version',
    'help',
    'install-host --dry-run',
    'status',
    `connect --headless ${address}`,
    'snapshot -i',
    'text',
    'click text=b',
    'screenshot page.png',
    'chat help',
    'tabs',
    'settings',
    'sessions',
    'policy',
    'audit',
    'doctor',
    'doctor --report',
    'skill',
    'disconnect',
    'stop',
  ];
  writeFileSync(
    join(home, 'everyday.sh'),
    lines.map((line) => `'${BUILT}' ${line} >/dev/null 2>>words || echo "${line}" >>failed\n`).join(''),
  );
  const trace = join(home, 'trace');
  const calls = 'trace=execve,clone,clone3,fork,vfork,connect,sendto,sendmsg,sendmmsg';
  const child = spawn(
    'strace',
    ['-f', '--seccomp-bpf', '--pidns-translation', '-qq', '-s', '200', '-e', calls, '-e', 'signal=none', '-o', trace, 'sh', 'everyday.sh'],
    { cwd: home, env, stdio: 'ignore' },
  );
  await new Promise((done) => child.on('close', done));
  const found = connections(readFileSync(trace, 'utf8'));
  const ours = found.filter(({ program }) => program === BUILT);
  assert.ok(ours.filter(({ family }) => family === 'AF_UNIX').length >= 10, 'the commands reached the daemon');
  assert.deepEqual(
    ours.filter((one) => !isLocal(one)),
    [],
  );
  const unknown = found.filter(({ program }) => program === '?');
  assert.deepEqual(unknown, [], 'each call belongs to a program');
});
