// `gstack doctor --report` is meant to be pasted in public: it contains nothing about the person.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { folder, ROOT } from './support/release.mjs';

const BUILT = process.env.GSTACK_BIN ?? join(ROOT, 'target/debug/gstack');
const WORDS = {
  title: 'Overdrawn Zebra Account',
  text: 'violet walrus balance',
  secret: 'sk-ant-api03-PURPLE0123456789abcdefgh',
  person: 'adalovelace',
};

test('it says what a maintainer needs and no path, token, address or word of a page, a log, a setting or a conversation', async (t) => {
  const home = join(
    folder(t, () => {
      for (const command of ['disconnect', 'stop']) spawnSync(BUILT, [command], { env, stdio: 'ignore' });
    }),
    WORDS.person,
  );
  const root = join(home, '.gstack');
  mkdirSync(root, { recursive: true, mode: 0o700 });
  const env = { ...process.env, HOME: home, GSTACK_HOME: root, USER: WORDS.person, LOGNAME: WORDS.person, ANTHROPIC_API_KEY: WORDS.secret };
  delete env.GSTACK_TOKEN;
  writeFileSync(
    join(root, 'config.toml'),
    `[agents.own.mine]\ncommand = ["${home}/my-agent", "--key", "${WORDS.secret}"]\n[agents]\nsandbox-read = ["${home}/private"]\n`,
    {
      mode: 0o600,
    },
  );
  const page = createServer((_, response) =>
    response.setHeader('content-type', 'text/html').end(`<title>${WORDS.title}</title><p>${WORDS.text}</p>`),
  );
  await new Promise((ready) => page.listen(0, '127.0.0.1', ready));
  t.after(() => {
    page.closeAllConnections();
    page.close();
  });
  const address = `http://127.0.0.1:${page.address().port}/account?token=${WORDS.secret}`;
  const run = (...args) => execFileSync(BUILT, args, { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], timeout: 120_000 });
  const { connected } = await new Promise((done) => {
    // Asynchronously, because this process serves the page.
    import('node:child_process').then(({ execFile }) =>
      execFile(BUILT, ['connect', '--headless', address], { env }, (error, _, words) => done({ connected: error ? words : 'yes' })),
    );
  });
  assert.equal(connected, 'yes');
  appendFileSync(join(root, 'daemon.log'), `2026-01-01T00:00:00Z  WARN gstack::engine: lost ${WORDS.secret} of ${home}\n`);
  run('chat', 'help', WORDS.text);
  const report = run('doctor', '--report');
  const told = JSON.parse(report);
  for (const name of ['gstack', 'target', 'system', 'kernel', 'browsers', 'hosts', 'hops', 'agents', 'log']) assert.ok(name in told, name);
  assert.ok(told.hops.length >= 4 && told.hops.some(({ hop, ok }) => hop === 'browser' && ok), report);
  assert.ok(told.log['WARN gstack::engine'] >= 1, 'warnings are counted');
  assert.ok(told.agents.length > 0);
  const state = JSON.parse(readFileSync(join(root, 'browse.json'), 'utf8'));
  const keys = readdirSync(root).filter((name) => name.endsWith('.key') && statSync(join(root, name)).size > 0);
  const files = keys.map((name) => readFileSync(join(root, name), 'latin1').trim());
  const forbidden = [
    home,
    root,
    WORDS.person,
    WORDS.secret,
    ...WORDS.title.split(' '),
    ...WORDS.text.split(' '),
    address,
    'my-agent',
    state.token,
    ...files,
  ];
  for (const word of forbidden) {
    assert.ok(word, 'there is something to look for');
    assert.ok(!report.toLowerCase().includes(String(word).toLowerCase()), `${word} is in: ${report}`);
  }
  assert.doesNotMatch(report, /https?:\/\/|127\.0\.0\.1|"\/[a-z]|\/home\/|\/root|\/tmp|[A-Za-z0-9_-]{32,}/);
});

test('it is made also if the daemon can not start', (t) => {
  const root = join(folder(t), 'gstack');
  mkdirSync(root, { mode: 0o700 });
  // A folder in place of the daemon's lock.
  mkdirSync(join(root, 'daemon.lock'));
  const env = { ...process.env, GSTACK_HOME: root };
  const done = spawnSync(BUILT, ['doctor', '--report'], { env, encoding: 'utf8' });
  assert.equal(done.status, 0, done.stderr);
  const told = JSON.parse(done.stdout);
  assert.ok(
    told.hops.some(({ hop, ok, code }) => hop === 'daemon' && !ok && code),
    done.stdout,
  );
  assert.ok(!done.stdout.includes(root));
  assert.ok(existsSync(root));
});
