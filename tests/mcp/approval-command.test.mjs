/*
 * The person's command that runs when an approval opens: what it is given, that nothing in it is run or read as an argument, and how
 * it ends.
 */
import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { isAlive } from '../e2e/harness/processes.mjs';
import { Scene } from '../e2e/harness/scene.mjs';
import { until } from '../e2e/harness/wait.mjs';
import { startClient } from './client.mjs';

/** What the shell sets itself, and what the command may get. */
const KNOWN = new Set(
  'PWD OLDPWD SHLVL _ PATH HOME USER LOGNAME LANG LC_ALL DISPLAY WAYLAND_DISPLAY XAUTHORITY XDG_RUNTIME_DIR DBUS_SESSION_BUS_ADDRESS'.split(
    ' ',
  ),
);

describe('a command for approvals', () => {
  let scene;
  let client;
  let folder;
  let tell;
  /** What the command got, by run: its standard input as JSON. */
  const told = () =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .map((name) => JSON.parse(readFileSync(path.join(folder, name), 'utf8')));

  const configure = (line) =>
    writeFileSync(path.join(scene.home.home, 'config.toml'), `[agents]\napproval-command = ${JSON.stringify(line)}\n`);

  before(async () => {
    scene = await Scene.open({ agent: false });
    folder = scene.home.folder;
    tell = path.join(folder, 'tell me');
    writeFileSync(
      tell,
      `#!/bin/sh\ncd '${folder}'\nprintf '%s|' "$#" "$@" > arguments\nenv > variables\n` +
        `sleep 1000 &\necho $! > child\ncat > $$.part\nmv $$.part $$.json\n` +
        `if [ -e hang ]; then echo $$ > hangs; exec sleep 1000; fi\n`,
    );
    chmodSync(tell, 0o755);
    const fixed = ["it's $(touch pwned)", '--flag'];
    configure([tell, ...fixed]);
    // A change of a setting reads the file.
    await scene.home.ok(['settings', 'set', 'agents.pause-on-input', 'false']);
    client = await startClient(scene.home, 'cur$(touch pwned)"\'sor', '--current-tab');
  });
  after(async () => {
    await client?.client.close();
    await scene?.close();
  });

  test('it gets the approval as JSON on standard input, and fixed arguments; nothing in it is run', async () => {
    const value = '`touch pwned`; $(touch pwned) \' " \\ \n --x=$(touch pwned)';
    const filling = client.run('fill', { selector: '#name', value });
    const asked = await scene.approval();
    const [given] = await until(() => told().length === 1 && told(), 'the command was run');
    assert.deepEqual(given, { kind: 'approval', id: asked.approvalId, from: asked.driver, ask: asked.ask, site: asked.site });
    assert.match(asked.driver, /touch pwned/);
    assert.ok(!JSON.stringify(given).includes('--x='), 'the typed text is not in it');
    assert.equal(readFileSync(path.join(folder, 'arguments'), 'utf8'), "2|it's $(touch pwned)|--flag|");
    for (const place of [folder, scene.home.person, '/']) assert.ok(!existsSync(path.join(place, 'pwned')), place);
    const names = readFileSync(path.join(folder, 'variables'), 'utf8').matchAll(/^(\w+)=/gm);
    const others = [...names].map(([, name]) => name).filter((name) => !KNOWN.has(name));
    assert.deepEqual(others, [], 'the environment of the daemon is not passed on');
    // What it left running ends with it, and it runs once for each approval.
    const child = Number(readFileSync(path.join(folder, 'child'), 'utf8'));
    await until(() => !isAlive(child), 'its children end with it');
    await scene.home.ok(['approvals', 'deny', asked.approvalId]);
    assert.ok((await filling).failed);
    const again = client.run('fill', { selector: '#name', value: 'Ada' });
    await until(() => told().length === 2, 'the next approval runs it again');
    await scene.home.ok(['approvals', 'allow']);
    assert.ok(!(await again).failed);
    assert.equal(told().length, 2);
  });

  test('one that hangs holds nothing up, and is ended after its time', async () => {
    writeFileSync(path.join(folder, 'hang'), '');
    const filling = client.run('fill', { selector: '#name', value: 'Lin' });
    const asked = await scene.approval();
    const pid = await until(
      () => existsSync(path.join(folder, 'hangs')) && Number(readFileSync(path.join(folder, 'hangs'), 'utf8')),
      'it hangs',
    );
    await scene.home.ok(['approvals', 'allow', asked.approvalId]);
    assert.ok(!(await filling).failed, 'the answer counts meanwhile');
    assert.ok(isAlive(pid));
    await until(() => !isAlive(pid), 'it is ended', 90_000);
  });

  test('its exit code decides nothing, and one that cannot run hinders nothing', async () => {
    for (const line of [['/bin/false'], ['/bin/true'], [path.join(folder, 'missing')]]) {
      configure(line);
      await scene.home.ok(['settings', 'set', 'agents.pause-on-input', 'false']);
      const filling = client.run('fill', { selector: '#name', value: line[0] });
      const asked = await scene.approval();
      await scene.home.ok(['approvals', 'deny', asked.approvalId]);
      assert.match((await filling).text, /the person denied this/);
    }
  });

  test('neither a project, an agent nor a request sets it', async () => {
    const config = path.join(scene.home.home, 'config.toml');
    const before = readFileSync(config, 'utf8');
    for (const name of ['approval-command', 'agents.approval-command']) {
      const { code } = await scene.home.run(['settings', 'set', name, tell]);
      assert.notEqual(code, 0, name);
    }
    const place = path.join(scene.home.person, '.gstack');
    mkdirSync(place, { recursive: true });
    writeFileSync(path.join(place, 'policy.toml'), `approval-command = ${JSON.stringify([tell])}\n`);
    assert.match((await client.run('fill', { selector: '#name', value: 'Eve' })).text, /"approval-command" is refused/);
    assert.equal(readFileSync(config, 'utf8'), before);
    rmSync(place, { recursive: true });
  });
});
