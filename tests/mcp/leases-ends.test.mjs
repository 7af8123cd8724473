/*
 * A lease ends with its holder, within two seconds of a kill that lets it say nothing. The daemon's own log has the time of the
 * end, so that what this test itself has to wait for does not count.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Scene } from '../e2e/harness/scene.mjs';
import { until } from '../e2e/harness/wait.mjs';
import { startClient } from './client.mjs';
import { openTunnel, Terminal } from './holders.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const KILLS = 5;
const LIMIT_MS = 2000;

describe('the end of a lease', () => {
  let scene;
  let mine;
  const children = [];

  const holder = async () => (await scene.home.json('tabs')).data.find(({ id }) => id === mine).leasedBy;
  const log = () => readFileSync(path.join(scene.home.home, 'daemon.log'), 'utf8').split('\n');
  /** Starts a program that says `connected`. */
  const connected = async (program, argument) => {
    const child = spawn(process.execPath, [program, argument], { stdio: ['ignore', 'pipe', 'inherit'] });
    children.push(child);
    let said = '';
    child.stdout.on('data', (data) => {
      said += data;
    });
    await until(() => said.includes('connected') || child.exitCode !== null, `${program} does not connect`);
    assert.equal(child.exitCode, null, program);
    return child;
  };
  const ends = (name) => `a driver's registration has ended driver="${name}"`;

  /**
   * Kills a holder and, at once, a process that the daemon does not know. Returns how long the daemon took to end the lease and
   * the test to hear of the other process, in ms.
   */
  const kill = async (pid, ended) => {
    const control = spawn('sleep', ['600'], { stdio: 'ignore' });
    await once(control, 'spawn');
    const heard = once(control, 'exit').then(() => Date.now());
    const known = log().length - 1;
    const began = Date.now();
    process.kill(pid, 'SIGKILL');
    control.kill('SIGKILL');
    const line = await until(
      () =>
        log()
          .slice(known, -1)
          .find((one) => one.includes(ended)),
      () => `no end in the log: ${ended}\n${scene.home.log()}`,
    );
    assert.equal(await holder(), undefined, `the tab is free when the log says so: ${line}`);
    return { took: Date.parse(line.split(' ')[0]) - began, late: (await heard) - began };
  };
  /** Starts a holder of the tab and kills it, several times. `start` returns the process, its name and what the log says of its end. */
  const endsInTime = async (start) => {
    const kills = [];
    for (let count = 0; count < KILLS; count++) {
      const { pid, name, ended = ends(name) } = await start(count);
      assert.equal(await holder(), name);
      kills.push(await kill(pid, ended));
    }
    const took = kills.map((one) => one.took).sort((a, b) => a - b);
    assert.ok(took[0] >= 0, 'nothing ended before it was killed');
    // On a busy machine everything is late, also the test's own news of the other process.
    const late = Math.max(...kills.map((one) => one.late));
    assert.ok(took[Math.floor(KILLS / 2)] <= LIMIT_MS + late, `took ${took} ms, and the machine was ${late} ms late`);
  };

  before(async () => {
    scene = await Scene.open();
    mine = (await scene.home.json('tabs')).data[0].id;
  });
  after(async () => {
    for (const child of children) child.kill('SIGKILL');
    await scene?.close();
  });

  test('the lease of a client ends when its `gstack mcp` is killed', () =>
    endsInTime(async (count) => {
      const { call, pid } = await startClient(scene.home, `mcp-${count}`, '--tab', String(mine));
      await call('url');
      return { pid, name: `mcp-${count}` };
    }));

  test('the lease of a client ends when the client itself is killed', () =>
    endsInTime(async (count) => {
      const { environment, person } = scene.home;
      const about = { environment, person, name: `client-${count}`, args: ['--tab', String(mine)] };
      const { pid } = await connected(path.join(here, 'idle-client.mjs'), JSON.stringify(about));
      return { pid, name: `client-${count}` };
    }));

  test('the lease of a CDP client ends when the client is killed', () =>
    endsInTime(async (count) => {
      const url = (await scene.home.ok(['cdp', '--tabs', String(mine), '--name', `suite-${count}`])).trim();
      const { pid } = await connected(path.join(here, '../drivers/idle-client.mjs'), url);
      return { pid, name: `CDP client (suite-${count})` };
    }));

  test('the lease of a tunnel ends when its command is killed, although its client over there lives on', () =>
    endsInTime(async (count) => {
      const { pid, name, socket } = await openTunnel(scene.home, `far-${count}`, '--tabs', String(mine));
      const there = await startClient(scene.home, 'there', '--socket', socket);
      await there.call('url');
      return { pid, name };
    }));

  test('the lease of a shell with a name ends when the shell is killed', () =>
    endsInTime(async (count) => {
      const shell = new Terminal(scene.home, `shop-${count}`);
      children.push(shell.child);
      await shell.ok(`lease ${mine}`);
      return { pid: shell.pid, name: shell.name };
    }));

  test('what a killed shell with a name still runs in its tab ends with the lease', async () => {
    await scene.home.ok(['policy', 'allow', 'act', '--site', new URL(scene.site.origin).host]);
    const shell = new Terminal(scene.home, 'chain');
    children.push(shell.child);
    await shell.ok(`lease ${mine}`);
    shell.begin(`--tab ${mine} chain "wait #later --timeout 120000 | fill #name Mallory"`);
    const runs = ({ command, outcome }) => command === 'chain' && outcome === 'running';
    await until(async () => (await scene.home.json('activity')).entries.some(runs), 'the command runs');
    process.kill(shell.pid, 'SIGKILL');
    await until(async () => (await holder()) === undefined, 'the lease ends');
    const next = await startClient(scene.home, 'next', '--tab', String(mine));
    await next.call('url');
    await scene.page.evaluate(`{
      globalThis.values = [];
      document.querySelector('#name').addEventListener('input', ({ target }) => globalThis.values.push(target.value));
      document.body.append(Object.assign(document.createElement('p'), { id: 'later', textContent: 'Later' }));
    }`);
    // A tab runs one command after the other, so what was there before this one has ended.
    await next.call('fill', { selector: '#name', value: 'Ada' });
    await next.client.close();
    assert.deepEqual(await scene.page.evaluate('values'), ['Ada'], 'nobody else acted in its tab');
  });

  test("the lease of an agent of the panel ends, with its turn, when the agent's process is killed", () =>
    endsInTime(async (count) => {
      await scene.ask(`Order ${count}`);
      const [{ pid }] = scene.home.processes().filter(({ command }) => command.some((part) => part.endsWith('fake/claude.mjs')));
      return { pid, name: await holder(), ended: 'turn ended' };
    }));
});
