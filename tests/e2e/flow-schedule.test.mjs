/*
 * `gstack flow schedule`: the system's timer runs a flow, by a grant for this content, these sites and this time. systemd itself
 * checks the units; a stand-in of systemctl notes the calls, and the test runs the unit's command line by hand.
 */
import assert from 'node:assert/strict';
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { TestHome } from './harness/home.mjs';

const PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Shop</title><body><h1>Lamps</h1><button>Buy</button><script>
document.querySelector('button').onclick = async () => {
  await fetch('/buy', { method: 'POST' });
  document.body.insertAdjacentHTML('beforeend', '<p>Bought</p>');
};
</script>`;
const UNTIL = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);
const analyze = spawnSync('systemd-analyze', ['--version']).status === 0;

describe('a scheduled flow', { concurrency: false, skip: process.platform !== 'linux' }, () => {
  let home;
  let server;
  let site;
  let calls;
  let told;
  let units;
  let bin;
  let bought = 0;
  const own = (name, text) => writeFileSync(path.join(home.home, 'flows', `${name}.toml`), text);
  const flow = (name = 'Buy') => `flow = 1
about = "Buy"
parameters.who = "a%h $HOME \\"x\\""
steps = [
  { act = "goto", url = "${site}?{{who}}", wait = { text = "Lamps" } },
  { act = "click", role = "button", name = "${name}", wait = { text = "Bought" } },
]
`;
  const systemctl = (body) => {
    writeFileSync(path.join(bin, 'systemctl'), `#!/bin/sh\necho "$*" >> '${calls}'\n${body}\n`);
    chmodSync(path.join(bin, 'systemctl'), 0o755);
  };
  const called = () => (existsSync(calls) ? readFileSync(calls, 'utf8').trim().split('\n') : []);
  const files = () => (existsSync(units) ? readdirSync(units).sort() : []);
  const unit = (ending) =>
    readFileSync(
      path.join(
        units,
        files().find((name) => name.endsWith(ending)),
      ),
      'utf8',
    );
  const environment = () => ({ PATH: `${bin}:${process.env.PATH}`, XDG_CONFIG_HOME: path.join(home.person, 'con fig%h') });
  const run = (...args) => home.run(['flow', ...args], { environment: environment() });
  const schedule = (name, ...more) => run('schedule', name, '--cron', '30 9 13 * fri', '--until', UNTIL, '--yes', ...more);
  /* Runs the command of the unit as systemd does: its words and its variables, and nothing else of ours. */
  const start = () => {
    const words = (key) =>
      [...new RegExp(`^${key}=(.*)$`, 'm').exec(unit('.service'))[1].matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, word]) =>
        word.replace(/\\(.)/g, '$1').replaceAll('%%', '%').replaceAll('$$', '$'),
      );
    const variables = Object.fromEntries(words('Environment').map((one) => one.split(/=(.*)/s).slice(0, 2)));
    const [program, ...args] = words('ExecStart');
    const { PATH, HOME } = home.environment;
    const plain = Object.fromEntries(Object.entries(home.environment).filter(([name]) => name.startsWith('GSTACK_TEST')));
    const env = { PATH: `${bin}:${PATH}`, HOME, ...plain, ...environment(), ...variables };
    return new Promise((resolve) => {
      execFile(program, args, { env, timeout: 120_000 }, (error, stdout, stderr) => {
        resolve({ code: error ? error.code : 0, stdout, stderr });
      });
    });
  };
  const tabs = async () => (await home.json('tabs')).data.map((tab) => tab.id);
  const messages = () =>
    existsSync(told)
      ? readFileSync(told, 'utf8')
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line))
      : [];

  before(async () => {
    server = createServer((request, response) => {
      response.setHeader('content-type', 'text/html');
      if (!request.url.startsWith('/buy')) return response.end(PAGE);
      bought += 1;
      return response.end('ok');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    site = `http://127.0.0.1:${server.address().port}/`;
    home = new TestHome();
    bin = path.join(home.person, 'bin');
    calls = path.join(home.person, 'calls');
    told = path.join(home.person, 'told');
    units = path.join(home.person, 'con fig%h/systemd/user');
    mkdirSync(bin);
    systemctl('exit 0');
    const tell = path.join(bin, 'tell');
    writeFileSync(tell, `#!/bin/sh\ncat >> '${told}'\n`);
    chmodSync(tell, 0o755);
    mkdirSync(path.join(home.home, 'flows'), { recursive: true, mode: 0o700 });
    writeFileSync(path.join(home.home, 'config.toml'), `[agents]\napproval-command = [${JSON.stringify(tell)}]\n`, { mode: 0o600 });
    own('order', flow());
    await home.ok(['connect', '--headless', site], { limit: 240_000 });
  });
  after(async () => {
    server.closeAllConnections();
    server.close();
    await home.stop();
  });

  test('the person sees the grant, and systemd gets units that it accepts', { timeout: 120_000 }, async () => {
    const alone = await run('schedule', 'order', '--cron', '0 9 * * *', '--until', UNTIL);
    assert.equal(alone.code, 1);
    assert.match(alone.stderr, /nobody can be asked here/);
    assert.deepEqual([files(), called()], [[], []]);
    const { code, stdout, stderr } = await schedule('order');
    assert.equal(code, 0, stderr);
    const origin = new URL(site).origin;
    for (const shown of [origin, 'click, goto', UNTIL, '30 9 13 * fri', 'order.toml']) assert.ok(stdout.includes(shown), stdout);
    const names = files();
    assert.equal(names.length, 2);
    assert.match(names[1], /^gstack-flow-order-[0-9a-f]{8}\.timer$/);
    assert.deepEqual(called(), ['--user daemon-reload', `--user enable --now ${names[1]}`]);
    assert.match(unit('.timer'), /OnCalendar=\*-\*-13 09:30:00\nOnCalendar=Fri \*-\*-\* 09:30:00\n/);
    assert.doesNotMatch(unit('.service'), /\$HOME/, 'values are not in the unit');
    if (analyze) {
      const verified = spawnSync('systemd-analyze', ['--user', 'verify', ...names.map((name) => path.join(units, name))], {
        env: { ...process.env, XDG_RUNTIME_DIR: home.person },
        encoding: 'utf8',
      });
      assert.doesNotMatch(`${verified.stdout}${verified.stderr}`, /gstack-flow-.*(:\d+:|Unknown|Failed|Invalid)/);
      for (const [, when] of unit('.timer').matchAll(/^OnCalendar=(.*)$/gm)) {
        assert.match(execFileSync('systemd-analyze', ['calendar', when], { encoding: 'utf8' }), /Next elapse/);
      }
    }
    const [listed] = JSON.parse(await home.ok(['flow', 'schedule', '--json']));
    assert.deepEqual([listed.flow, listed.sites, listed.kinds, listed.until], ['order', [origin], ['click', 'goto'], UNTIL]);
  });

  test('a run by the timer acts in a tab of its own, and its end is in the history and told', { timeout: 200_000 }, async () => {
    const before = await tabs();
    const { code, stderr } = await start();
    assert.equal(code, 0, stderr);
    assert.equal(bought, 1);
    assert.deepEqual(await tabs(), before);
    assert.deepEqual(
      messages().map(({ kind, ask }) => [kind, ask]),
      [['flow', 'order is done']],
    );
    assert.match(await home.ok(['sessions']), /\/order --scheduled/);
    const [{ last }] = JSON.parse(await home.ok(['flow', 'schedule', '--json']));
    assert.equal(last.done, true);
  });

  test('it stops where a person would decide, and runs no other content', { timeout: 200_000 }, async () => {
    own('order', flow('Gone'));
    assert.equal((await schedule('order')).code, 0);
    rmSync(told, { force: true });
    const stopped = await start();
    assert.equal(stopped.code, 1, stopped.stderr);
    assert.match(messages()[0].ask, /order stopped at step 2 of 2: there is no button “Gone”/);
    own('order', flow());
    rmSync(told, { force: true });
    const changed = await start();
    assert.equal(changed.code, 1);
    assert.match(`${changed.stderr}${messages()[0].ask}`, /it has changed since it was scheduled/);
    assert.equal(bought, 1);
  });

  test('what is over runs no more, and is no longer started', { timeout: 200_000 }, async () => {
    assert.equal((await schedule('order')).code, 0);
    const folder = path.join(home.home, 'flow-schedules');
    const grant = path.join(folder, readdirSync(folder)[0]);
    writeFileSync(grant, readFileSync(grant, 'utf8').replace(UNTIL, '2020-01-01'));
    const over = await start();
    assert.equal(over.code, 1);
    assert.match(over.stderr, /granted until 2020-01-01/);
    assert.deepEqual(files(), []);
    assert.equal(bought, 1);
    assert.equal((await run('schedule', 'order', '--remove')).code, 0);
    assert.deepEqual(readdirSync(folder), []);
    assert.equal((await run('schedule', 'order', '--remove')).code, 1);
  });

  test('what cannot be scheduled is said, and leaves nothing', { timeout: 200_000 }, async () => {
    own('here', 'flow = 1\nsteps = [\n  { act = "press", key = "Enter" },\n]\n');
    const wrong = [
      ['here', '0 9 * * *', UNTIL, /begin with goto/],
      ['order', '0 0 9 * * *', UNTIL, /five fields/],
      ['order', '@reboot', UNTIL, /five fields/],
      ['order', '0 9 31 2 *', UNTIL, /no month/],
      ['order', '0 9 * * *\nExecStart=/bin/sh', UNTIL, /five fields|is not a/],
      ['order', '0 9 * * %h', UNTIL, /is not a weekday/],
      ['order', '0 9 * * *', '2020-01-01', /--until must be a day/],
      ['order', '0 9 * * *', '9999-01-01', /--until must be a day/],
      ['a\nb', '0 9 * * *', UNTIL, /cannot be the name/],
      ['%h', '0 9 * * *', UNTIL, /cannot be the name/],
    ];
    for (const [name, cron, until, said] of wrong) {
      const { code, stderr } = await run('schedule', name, '--cron', cron, '--until', until, '--yes');
      assert.notEqual(code, 0, cron);
      assert.match(stderr, said);
    }
    systemctl('echo "Failed to connect to bus: No medium found" >&2; exit 1');
    const { code, stderr } = await schedule('order');
    assert.equal(code, 1);
    assert.match(stderr, /No medium found[\s\S]*loginctl enable-linger[\s\S]*--scheduled/);
    systemctl('exit 0');
    const project = path.join(home.person, 'project');
    mkdirSync(path.join(project, '.gstack/flows'), { recursive: true });
    writeFileSync(path.join(project, '.gstack/flows/theirs.toml'), flow());
    const theirs = await home.run(['flow', 'schedule', 'theirs', '--cron', '0 9 * * *', '--until', UNTIL, '--yes'], {
      cwd: project,
      environment: environment(),
    });
    assert.match(theirs.stderr, /have not allowed this content/);
    assert.deepEqual([files(), JSON.parse(await home.ok(['flow', 'schedule', '--json']))], [[], []]);
    const forged = await run('run', 'order', '--scheduled', '../../config');
    assert.match(forged.stderr, /not scheduled/);
  });
});
