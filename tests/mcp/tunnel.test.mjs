/*
 * `gstack tunnel`: a program on another machine gets its own tabs and nothing else. The other machine is played by the socket itself
 * and, where OpenSSH's server is installed, by a real `ssh -R` on loopback. What comes through may be hostile.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import path from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import { TestHome } from '../e2e/harness/home.mjs';
import { Site } from '../e2e/harness/site.mjs';
import { until } from '../e2e/harness/wait.mjs';
import { startClient } from './client.mjs';

const SSHD = '/usr/sbin/sshd';

/** Sends bytes to a socket and returns all that comes back until it has `wanted`, or until it closes. */
function say(socket, bytes, wanted = undefined) {
  return new Promise((resolve) => {
    let said = '';
    const stream = connect(socket);
    const done = () => {
      stream.destroy();
      resolve(said);
    };
    stream.on('data', (data) => {
      said += data;
      if (wanted?.test(said)) done();
    });
    stream.on('error', done);
    stream.on('close', done);
    stream.on('connect', () => stream.write(bytes));
  });
}

const line = (message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;
const INITIALIZE = line({
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'other', version: '1' } },
});
const INITIALIZED = line({ method: 'notifications/initialized' });

describe('a tunnel to another machine', () => {
  let home;
  let site;
  let mine;
  const children = [];

  const drivers = async () => (await home.json('status')).drivers ?? [];
  const gone = () => until(async () => (await drivers()).length === 0, 'the tunnel is closed');
  /** Opens a tunnel; returns `{ child, opened, ended, said }`. */
  const open = async (...args) => {
    const child = home.start(['tunnel', '--json', ...args]);
    children.push(child);
    const tunnel = { child, said: '' };
    let output = '';
    child.stdout.on('data', (data) => {
      output += data;
    });
    child.stderr.on('data', (data) => {
      tunnel.said += data;
    });
    tunnel.ended = new Promise((resolve) => child.once('close', (code, signal) => resolve({ code, signal })));
    await until(
      () => output.includes('\n') || child.exitCode !== null,
      () => `no tunnel: ${tunnel.said}`,
    );
    assert.equal(child.exitCode, null, tunnel.said);
    tunnel.opened = JSON.parse(output);
    return tunnel;
  };
  const close = async ({ child, ended }) => {
    child.kill('SIGTERM');
    await ended;
    await gone();
  };
  /** Runs `gstack --remote` as the other machine would: with a home of its own, and without a daemon. */
  const other = (socket, args, options = {}) => {
    const environment = { GSTACK_HOME: path.join(home.folder, 'elsewhere'), ...options.environment };
    return home.run(['--remote', socket, ...args], { ...options, environment });
  };

  before(async () => {
    home = new TestHome();
    site = await Site.start();
    await home.connect(['--headless', `${site.origin}/login`]);
    mine = JSON.parse(await home.ok(['tabs', '--json'])).data[0].id;
    await home.ok(['policy', 'allow', 'act', '--site', site.origin.replace('http://', '')]);
  });
  // A test that fails leaves no tunnel to the next one.
  afterEach(async () => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    await gone();
  });
  after(async () => {
    for (const child of children) child.kill('SIGKILL');
    await site?.stop();
    assert.deepEqual(await home.stop(), [], 'nothing is left behind');
  });

  test('an MCP client over there works in its own tab, under the name of the tunnel', async () => {
    const tunnel = await open('--name', 'build');
    const { socket } = tunnel.opened;
    assert.equal(statSync(socket).mode & 0o777, 0o600);
    assert.equal(statSync(path.dirname(socket)).mode & 0o777, 0o700);
    const { client, call, fault } = await startClient(home, 'claims-to-be-cursor', '--socket', socket);
    await call('goto', { url: `${site.origin}/form` });
    assert.match(await call('snapshot'), /Order now/);
    const [driver] = await drivers();
    assert.equal(driver.name, 'tunnel (build)');
    assert.equal(driver.tabs.length, 1);
    assert.notEqual(driver.tabs[0], mine);
    assert.match(await home.ok(['status']), /tunnel \(build\), from another machine/);
    assert.ok(!(await call('tabs')).includes('/login'), 'the tab of the person is hidden');
    assert.match(await fault('tab', { id: Number(mine) }), /tab/i);
    const names = (await client.listTools()).tools.map(({ name }) => name);
    const closed = ['upload', 'download', 'cookies', 'storage', 'state', 'cdp', 'chain', 'eval', 'pdf'];
    assert.deepEqual(
      closed.filter((tool) => names.includes(tool)),
      [],
    );
    const shot = await client.callTool({ name: 'screenshot', arguments: {} });
    assert.ok(
      shot.content.some(({ type }) => type === 'image'),
      'a picture comes with the answer',
    );
    const waiting = client.callTool({ name: 'lease', arguments: { id: Number(mine) } });
    const [asked] = await until(async () => {
      const { approvals } = await home.json('approvals');
      return approvals.length > 0 && approvals;
    }, 'the person is asked here');
    assert.equal(asked.driver, 'tunnel (build)');
    await home.ok(['approvals', 'deny', asked.approvalId]);
    assert.ok((await waiting).isError);
    // A program on another machine does not learn who has a tab.
    const local = await startClient(home, 'secret-project', '--tab', String(mine));
    await local.call('url');
    const told = await fault('tab', { id: Number(mine) });
    assert.ok(/leased by another driver/.test(told) && !told.includes('secret-project'), told);
    await local.client.close();
    await client.close();
    assert.equal((await drivers()).length, 1, 'the tunnel stays for the next client');
    await close(tunnel);
    assert.ok(!existsSync(path.dirname(socket)), 'its folder is removed');
    assert.match(await home.ok(['audit']), /tunnel open --ttl 28800s .*tunnel \(build\)/);
  });

  test('the command line over there runs the same commands in the same tab', async () => {
    const tunnel = await open('--name', 'cli', '--tabs', String(mine));
    const { socket } = tunnel.opened;
    const run = async (...args) => {
      const { code, stdout, stderr } = await other(socket, args);
      assert.equal(code, 0, `${args.join(' ')}: ${stderr}${stdout}`);
      return stdout;
    };
    await run('goto', `${site.origin}/form`);
    await run('fill', '#name', 'Ada');
    await run('goto', `${site.origin}/counter`);
    const ref = /(@e\d+)[^\n]*Add one/.exec(await run('snapshot', '-i'))[1];
    await run('click', ref);
    assert.match(await run('text'), /Add one\s*1/);
    assert.equal(JSON.parse(await run('url', '--json')).output, `${site.origin}/counter`);
    const picture = path.join(home.folder, 'from-afar.png');
    assert.match(await run('screenshot', '--viewport', picture), /Screenshot saved.*from-afar\.png/);
    assert.equal(readFileSync(picture).subarray(1, 4).toString(), 'PNG');
    const unnamed = JSON.parse(await run('screenshot', '--json'));
    assert.deepEqual(unnamed.files, [unnamed.data.path]);
    assert.equal(readFileSync(unnamed.data.path).subarray(1, 4).toString(), 'PNG');
    rmSync(unnamed.data.path);
    for (const [args, why] of [
      [['cookies'], /not offered|offered/],
      [['screenshot', 'page.jpg'], /screenshots as PNG only/],
      [['upload', '#name', '/etc/passwd'], /not offered/],
      [['pdf', '/tmp/gstack-from-afar.pdf'], /not offered/],
      [['chain', 'url | text'], /not offered/],
      [['status'], /--remote is for browser commands/],
      [['approvals'], /--remote is for browser commands/],
      [['tunnel'], /--remote is for browser commands/],
    ]) {
      const { code, stderr } = await other(socket, args, { input: '' });
      assert.notEqual(code, 0, args.join(' '));
      assert.match(stderr, why, args.join(' '));
    }
    assert.ok(!existsSync(path.join(home.folder, 'elsewhere')), 'nothing is started over there');
    await close(tunnel);
  });

  test('nothing else of the daemon can be reached through it', async () => {
    const tunnel = await open('--name', 'attack');
    const { socket } = tunnel.opened;
    const before = await home.ok(['audit', '--json']);
    const token = JSON.parse(execFileSync('cat', [path.join(home.home, 'browse.json')])).token;
    const routes = [
      'status',
      'policy/add',
      'approvals/answer',
      'stop',
      'driver',
      'command',
      'mcp',
      'cdp/open',
      'tunnels/revoke',
      '../http.sock',
    ];
    for (const route of routes.map((name) => `/${name}`)) {
      for (const method of ['GET', 'POST']) {
        const body = '{"command":"url","args":[]}';
        const head = `${method} ${route} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${token}\r\n`;
        const answer = await say(socket, `${head}content-length: ${body.length}\r\n\r\n${body}\r\n`, /\n/);
        assert.ok(!answer.includes('HTTP/1.1'), `${method} ${route}: ${answer}`);
        assert.ok(answer === '' || JSON.parse(answer.split('\n')[0]).error, `${method} ${route}: ${answer}`);
      }
    }
    const answered = async (method, params) => {
      const said = await say(socket, INITIALIZE + INITIALIZED + line({ id: 7, method, params }), /"id":7[,}].*\n/);
      return JSON.parse(said.split('\n').find((one) => one.includes('"id":7')));
    };
    for (const [method, params] of [
      ['gstack/status', {}],
      ['gstack/approve', { id: 'x' }],
      ['gstack/command', { command: 'url', args: [], driverId: 'x' }],
      ['gstack/command', { command: 'url', args: [], cwd: '/etc' }],
      ['gstack/command', { command: 'url', args: [], forModel: false }],
      ['gstack/command', { command: 'url' }],
      ['gstack/command', []],
      ['gstack/command', { command: 7, args: [] }],
      ['resources/read', { uri: 'file:///etc/passwd' }],
      ['tools/call', { name: 'cookies', arguments: {} }],
      ['tools/call', { name: 'upload', arguments: { selector: 'input', file: ['/etc/passwd'] } }],
      ['tools/call', { name: 'heap', arguments: { action: 'snapshot' } }],
      ['tools/call', { name: 'har', arguments: { action: 'start' } }],
    ]) {
      assert.ok((await answered(method, params)).error, `${method} ${JSON.stringify(params)}`);
    }
    for (const [command, args, tabId] of [
      ['tab-each', ['url']],
      ['cookies', []],
      ['js', ['1'], Number(mine)],
      ['text', [], Number(mine)],
      ['policy', ['allow', 'act']],
      ['load-html', ['/etc/passwd']],
      ['screenshot', ['/etc/x.png']],
      ['route', ['**', '--har', '/etc/passwd']],
      ['chain', [`tab ${mine} | text`]],
      ['webmcp-call', ['look'], Number(mine)],
      ['pause', []],
      ['resume', []],
      ['release', [String(mine)]],
    ]) {
      const { result, error } = await answered('gstack/command', { command, args, tabId });
      assert.ok(error || result.failed, `${command}: ${JSON.stringify(result)}`);
    }
    // One that asks and never reads is not read any more, and is held in no memory.
    const deaf = connect(socket).on('error', () => {});
    deaf.pause();
    deaf.write(INITIALIZE + INITIALIZED);
    const asks = line({ id: 9, method: 'tools/list' }).repeat(20_000);
    assert.equal(deaf.write(asks), false);
    const about = `/proc/${tunnel.child.pid}/status`;
    const memory = () => (existsSync(about) ? Number(/VmRSS:\s+(\d+)/.exec(readFileSync(about, 'utf8'))[1]) / 1024 : 0);
    for (let count = 0; count < 20; count++) await say(socket, INITIALIZE, /"id":1/);
    assert.ok(memory() < 300, `it holds ${memory()} MiB`);
    deaf.destroy();
    // Half a message, garbage, a line without end, many at once: the tunnel goes on.
    const half = connect(socket);
    await new Promise((resolve) => half.write('{"jsonrpc":"2.0","id":1,', resolve));
    half.destroy();
    assert.match(await say(socket, '\u0000\u0001garbage\n', /\n/), /error/);
    const crowd = Array.from({ length: 40 }, () => connect(socket).on('error', () => {}));
    await Promise.all(crowd.map((one) => new Promise((resolve) => one.once('connect', resolve).once('close', resolve))));
    for (const one of crowd) one.destroy();
    await until(async () => (await say(socket, INITIALIZE, /"id":1/)).includes('serverInfo'), 'it still answers');
    const rules = JSON.parse(await home.ok(['policy', '--json']));
    assert.equal(rules.rules.length, 1, 'no rule was added');
    assert.ok((await home.ok(['audit', '--json'])).length >= before.length);
    assert.equal((await home.json('status')).healthy ?? true, true);
    await close(tunnel);
  });

  test('it ends when it is revoked, when its time is over and when its command is killed', async () => {
    const revoked = await open('--name', 'revoked');
    const { client, run } = await startClient(home, 'there', '--socket', revoked.opened.socket);
    await run('goto', { url: `${site.origin}/form` });
    assert.match(await home.ok(['tunnel', 'list']), /tunnel \(revoked\) {2}tabs \d+/);
    assert.match((await home.run(['tunnel', 'revoke', 'nonsense'])).stderr, /no tunnel has the id or name/);
    await home.ok(['tunnel', 'revoke', 'revoked']);
    assert.equal((await revoked.ended).code, 1);
    assert.match(revoked.said, /was revoked/);
    await assert.rejects(run('url', {}));
    await client.close();
    await gone();
    const short = await open('--ttl', '1s');
    assert.equal((await short.ended).code, 0);
    assert.match(short.said, /time is up/);
    await gone();
    const killed = await open('--name', 'killed');
    killed.child.kill('SIGKILL');
    await killed.ended;
    await gone();
    assert.match(await home.ok(['tunnel', 'list']), /No tunnel is open/);
    assert.match(await home.ok(['audit']), /tunnel revoke[\s\S]*tunnel expire/);
    for (const wrong of [
      ['--ttl', '0s'],
      ['--ttl', '8d'],
      ['--to', '-oProxyCommand=x'],
      ['--to', 'a b'],
    ]) {
      assert.notEqual((await home.run(['tunnel', ...wrong])).code, 0, wrong.join(' '));
    }
  });

  test("an agent's shell can neither open a tunnel nor connect to one", async () => {
    const tunnel = await open('--name', 'mine');
    const { socket } = tunnel.opened;
    const agent = { GSTACK_AGENT: home.home, GSTACK_CONVERSATION: 'c1' };
    const opening = await home.run(['tunnel'], { environment: agent });
    assert.notEqual(opening.code, 0);
    // The process itself carries what marks an agent's.
    const script = `const stream = require('node:net').connect(${JSON.stringify(socket)});
      stream.on('data', () => process.exit(3)).on('close', () => process.exit(0)).on('error', () => process.exit(0));
      stream.write(${JSON.stringify(INITIALIZE)});`;
    const child = spawn(process.execPath, ['-e', script], { env: { ...home.environment, ...agent }, stdio: ['ignore', 'pipe', 'inherit'] });
    const code = await new Promise((resolve) => child.once('close', resolve));
    assert.equal(code, 0, 'its connection is closed without an answer');
    await close(tunnel);
  });

  test('the other end connects to no socket of somebody else, and to nothing that is none', async () => {
    const file = path.join(home.folder, 'file');
    writeFileSync(file, '');
    for (const [target, why] of [
      [file, /is not a socket/],
      [path.join(home.folder, 'missing'), /no tunnel at/],
    ]) {
      const { code, stderr } = await other(target, ['url']);
      assert.notEqual(code, 0);
      assert.match(stderr, why);
    }
    if (process.getuid() === 0) {
      const foreign = path.join(home.folder, 'foreign');
      const server = createServer(() => assert.fail('it connected')).listen(foreign);
      await until(() => existsSync(foreign), 'the socket is there');
      execFileSync('chown', ['nobody', foreign]);
      assert.match((await other(foreign, ['url'])).stderr, /belongs to another user/);
      server.close();
    }
    // What comes back is shown on a terminal: it cannot speak to that.
    const escape = '\u001b]0;pwned\u0007\u001b[2J\u009b31m\u202e';
    for (const result of [
      { done: { output: `words ${escape}`, data: escape } },
      { failed: { code: 'not-found', message: `m${escape}`, hint: `h${escape}`, command: `c${escape}` } },
      undefined,
    ]) {
      const sly = path.join(home.folder, 'sly');
      const server = createServer((stream) =>
        stream.on('data', (data) => {
          for (const { id } of String(data)
            .trim()
            .split('\n')
            .map((one) => JSON.parse(one))) {
            if (id === 1 || (id === 2 && result)) stream.write(line({ id, result: id === 1 ? {} : result }));
            else if (id === 2) stream.write(line({ id, error: { code: 1, message: `e${escape}` } }));
          }
        }),
      ).listen(sly);
      await until(() => existsSync(sly), 'the socket is there');
      for (const args of [['text'], ['text', '--json']]) {
        const { stdout, stderr } = await other(sly, args);
        assert.doesNotMatch(stdout + stderr, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/, JSON.stringify(result));
        assert.match(stdout + stderr, /pwned/, JSON.stringify(result));
      }
      server.close();
      await until(() => !existsSync(sly), 'the socket is gone');
    }
    // A server that answers nonsense, or too late, is an error and not a hang.
    const odd = path.join(home.folder, 'odd');
    const server = createServer((stream) => stream.end('nonsense\n')).listen(odd);
    await until(() => existsSync(odd), 'the socket is there');
    assert.match((await other(odd, ['url'])).stderr, /could not be read/);
    server.close();
  });

  test('a real ssh takes the socket to the other side', { skip: !existsSync(SSHD) && 'no OpenSSH server' }, async () => {
    const folder = path.join(home.folder, 'ssh');
    mkdirSync(folder, { mode: 0o700 });
    const file = (name) => path.join(folder, name);
    for (const key of ['host', 'me']) execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', file(key)]);
    execFileSync('cp', [file('me.pub'), file('authorized')]);
    if (process.getuid() === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 });
    const port = await new Promise((resolve) => {
      const probe = createServer().listen(0, '127.0.0.1', () => {
        const { port } = probe.address();
        probe.close(() => resolve(port));
      });
    });
    const settings = [
      `Port ${port}`,
      'ListenAddress 127.0.0.1',
      `HostKey ${file('host')}`,
      `AuthorizedKeysFile ${file('authorized')}`,
      'StrictModes no',
      'UsePAM no',
      `PidFile ${file('pid')}`,
      'PasswordAuthentication no',
      'PermitRootLogin yes',
    ];
    writeFileSync(file('sshd_config'), `${settings.join('\n')}\n`);
    const server = spawn(SSHD, ['-D', '-e', '-f', file('sshd_config')], { stdio: ['ignore', 'ignore', 'pipe'] });
    children.push(server);
    let said = '';
    server.stderr.on('data', (data) => {
      said += data;
    });
    await until(
      () => said.includes('listening'),
      () => `no sshd: ${said}`,
    );
    const known = ['StrictHostKeyChecking no', `UserKnownHostsFile ${file('known')}`, 'BatchMode yes'];
    const client = [`Port ${port}`, `IdentityFile ${file('me')}`, ...known];
    writeFileSync(file('config'), `Host *\n  ${client.join('\n  ')}\n`);
    // The person's ssh, with the settings of this test instead of theirs.
    mkdirSync(file('bin'));
    writeFileSync(file('bin/ssh'), `#!/bin/sh\nexec /usr/bin/ssh -F '${file('config')}' "$@"\n`, { mode: 0o755 });
    const remote = file('remote.sock');
    const child = home.start(['tunnel', '--to', '127.0.0.1', '--run', '--remote-socket', remote, '--name', 'far'], {
      environment: { PATH: `${file('bin')}:${process.env.PATH}` },
    });
    children.push(child);
    let told = '';
    child.stderr.on('data', (data) => {
      told += data;
    });
    await until(
      () => existsSync(remote) || child.exitCode !== null,
      () => `no socket over there: ${told}`,
    );
    assert.equal(child.exitCode, null, told);
    const { code, stderr } = await other(remote, ['goto', `${site.origin}/counter`]);
    assert.equal(code, 0, stderr);
    assert.match((await other(remote, ['text'])).stdout, /Counter/);
    const far = await startClient(home, 'far', '--socket', remote);
    assert.match(await far.call('url'), /\/counter/);
    await far.client.close();
    const [driver] = await drivers();
    assert.equal(driver.name, 'tunnel (far)');
    assert.match(await home.ok(['tunnel', 'list']), /tunnel \(far\) {2}to 127\.0\.0\.1/);
    const closed = new Promise((resolve) => child.once('close', resolve));
    await home.ok(['tunnel', 'revoke', 'far']);
    await closed;
    assert.match(told, /was revoked/);
    await gone();
    assert.match((await other(remote, ['url'])).stderr, /no tunnel at|closed the connection|could not be read/);
    const ended = new Promise((resolve) => server.once('close', resolve));
    server.kill('SIGKILL');
    await ended;
    assert.deepEqual(
      readdirSync(path.join(home.home)).filter((name) => name.startsWith('tunnel-')),
      [],
      'no socket is left',
    );
  });
});
